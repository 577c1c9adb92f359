#===- SparseConvInstall.cmake - the installed package ---------------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Every library and tool of the project, its headers (ODS files and generated
# ones too) and a CMake package that finds them wherever the tree is moved. With
# SPARSECONV_STANDALONE there is a component of that name besides, which is what
# bundles and wheels carry.
# Included last: it reads what the helpers of SparseConv.cmake recorded.
#
#===-----------------------------------------------------------------------===#

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(SPARSECONV_LIBRARIES GLOBAL PROPERTY SPARSECONV_LIBRARIES)
get_property(SPARSECONV_TOOLS GLOBAL PROPERTY SPARSECONV_TOOLS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/SparseConv)

# The component Runtime: what programs link that have neither LLVM nor MLIR.
set(runtime_libraries SparseConvCompilerShared SparseConvRuntimeShared)
install(TARGETS ${runtime_libraries}
  EXPORT SparseConvRuntimeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(other_libraries ${SPARSECONV_LIBRARIES})
list(REMOVE_ITEM other_libraries ${runtime_libraries})
install(TARGETS ${other_libraries} ${SPARSECONV_TOOLS}
  EXPORT SparseConvTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sparseconv ${PROJECT_SOURCE_DIR}/include/sparseconv-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/sparseconv
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/SparseConvConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
foreach(export SparseConvTargets SparseConvRuntimeTargets)
  install(EXPORT ${export}
    NAMESPACE SparseConv::
    DESTINATION ${package_dir})
endforeach()
set(config_files
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfigVersion.cmake)
install(FILES ${config_files}
  ${PROJECT_SOURCE_DIR}/cmake/SparseConvLibOMP.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SparseConvFileFormats.cmake
  DESTINATION ${package_dir})

if(NOT SPARSECONV_STANDALONE)
  return()
endif()
get_property(starters GLOBAL PROPERTY SPARSECONV_TOOL_STARTERS)
set(standalone COMPONENT Standalone EXCLUDE_FROM_ALL)
install(TARGETS sparseconv-multicall ${runtime_libraries} SparseConvCpuRuntimeShared
  RUNTIME DESTINATION bin ${standalone}
  LIBRARY DESTINATION lib ${standalone})
install(PROGRAMS ${starters} DESTINATION bin ${standalone})
# The thread pool of the CPU target, the one library that has no archive.
file(REAL_PATH ${SPARSECONV_LIBOMP} libomp)
install(FILES ${libomp} DESTINATION lib RENAME libomp.so.5 ${standalone})
# What programs that run plans are built with: the component Runtime of the package.
install(FILES ${PROJECT_SOURCE_DIR}/include/sparseconv/Runtime/CudaRuntime.h
  DESTINATION include/sparseconv/Runtime ${standalone})
install(FILES ${PROJECT_SOURCE_DIR}/include/sparseconv-c/Compiler.h
  DESTINATION include/sparseconv-c ${standalone})
install(EXPORT SparseConvRuntimeTargets NAMESPACE SparseConv:: DESTINATION ${package_dir} ${standalone})
install(FILES ${config_files} DESTINATION ${package_dir} ${standalone})
# The licences of what is linked in or beside it ask for their texts.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION . ${standalone})
foreach(package libagg-dev libarchive-dev libbz2-dev liblzf-dev liblzma-dev libomp-22-dev
    libpng-dev libstdc++-12-dev libzstd-dev llvm-22-dev nettle-dev zlib1g-dev)
  file(REAL_PATH /usr/share/doc/${package}/copyright copyright)
  install(FILES ${copyright} DESTINATION licences RENAME ${package} ${standalone})
endforeach()
