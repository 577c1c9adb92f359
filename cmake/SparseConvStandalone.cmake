#===- SparseConvStandalone.cmake - what runs where no LLVM is --------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# The target SparseConvArchives has everything that an executable with the property
# SPARSECONV_STANDALONE needs to run where no LLVM is. The distribution's targets of
# LLVM's archives name its shared library in their interface, so the archives are
# taken by their files; the linker picks from them what the executable uses.
#
#===-----------------------------------------------------------------------===#

file(GLOB sparseconv_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER sparseconv_archives EXCLUDE REGEX "Test|CAPI")
if(NOT sparseconv_archives)
  message(FATAL_ERROR "no archives of LLVM and MLIR in ${LLVM_LIBRARY_DIR}")
endif()

# libarchive, libpng and LLVM, and the ciphers and compressions that they need.
foreach(name archive png nettle bz2 lzma zstd z)
  find_library(SPARSECONV_LIB${name} lib${name}.a)
  if(NOT SPARSECONV_LIB${name})
    message(FATAL_ERROR "SPARSECONV_STANDALONE needs lib${name}.a (Debian: scripts/setup --bundle)")
  endif()
  mark_as_advanced(SPARSECONV_LIB${name})
  list(APPEND sparseconv_other_archives ${SPARSECONV_LIB${name}})
endforeach()

# What comes as source: functions that older C libraries do not have, linked before
# the C library, and liblzf, of which Debian has no archive.
add_library(SparseConvEmbedded STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/lib/Support/Arc4Random.c)
target_link_libraries(SparseConvEmbedded PRIVATE liblzf::embed)
# liblzf's options have one that clang does not know and warns of.
set_target_properties(SparseConvEmbedded PROPERTIES COMPILE_WARNING_AS_ERROR OFF)

add_library(SparseConvArchives INTERFACE)
string(JOIN "," sparseconv_group ${sparseconv_archives})
target_link_libraries(SparseConvArchives INTERFACE
  "$<LINK_GROUP:RESCAN,${sparseconv_group}>" ${sparseconv_other_archives}
  SparseConvEmbedded ${CMAKE_DL_LIBS})
target_link_options(SparseConvArchives INTERFACE
  -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--strip-all)
