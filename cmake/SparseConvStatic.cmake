#===- SparseConvStatic.cmake - LLVM and MLIR as archives -------------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# The target SparseConvLLVMArchives has everything that an executable needs to
# run where no LLVM is. The distribution's targets of the archives name LLVM's
# shared library in their interface, so the archives are taken by their files;
# the linker picks from them what the executable uses.
#
#===-----------------------------------------------------------------------===#

file(GLOB sparseconv_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER sparseconv_archives EXCLUDE REGEX "Test|CAPI")
if(NOT sparseconv_archives)
  message(FATAL_ERROR "no archives of LLVM and MLIR in ${LLVM_LIBRARY_DIR}")
endif()
find_library(SPARSECONV_ZSTD libzstd.a)
if(NOT SPARSECONV_ZSTD)
  message(FATAL_ERROR "a static build needs libzstd.a (Debian: libzstd-dev)")
endif()
mark_as_advanced(SPARSECONV_ZSTD)

# Before the C library, whose own definitions older systems do not have.
add_library(SparseConvArc4Random STATIC ${PROJECT_SOURCE_DIR}/lib/Support/Arc4Random.c)

add_library(SparseConvLLVMArchives INTERFACE)
string(JOIN "," sparseconv_group ${sparseconv_archives})
target_link_libraries(SparseConvLLVMArchives INTERFACE
  "$<LINK_GROUP:RESCAN,${sparseconv_group}>" ${SPARSECONV_ZSTD} ZLIB::ZLIB
  SparseConvArc4Random ${CMAKE_DL_LIBS})
target_link_options(SparseConvLLVMArchives INTERFACE
  -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--strip-all)
