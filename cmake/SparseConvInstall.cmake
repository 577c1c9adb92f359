#===- SparseConvInstall.cmake - the installed package ---------------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Every library and tool of the project, its headers (ODS files and generated
# ones too) and a CMake package that finds them wherever the tree is moved.
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
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/SparseConvConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SparseConvLibOMP.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SparseConvFileFormats.cmake
  DESTINATION ${package_dir})
