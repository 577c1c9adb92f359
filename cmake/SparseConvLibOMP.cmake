#===- SparseConvLibOMP.cmake - the thread pool -----------------------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Compiled networks call LLVM's OpenMP runtime by name. The target names that
# library itself: find_package(OpenMP) would give GCC's under GCC, which has
# other functions. Included by the build and by the installed package.
#
#===-----------------------------------------------------------------------===#

find_library(SPARSECONV_LIBOMP omp HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(SPARSECONV_LIBOMP)
if(NOT TARGET SparseConv::LibOMP)
  add_library(SparseConv::LibOMP SHARED IMPORTED)
  set_target_properties(SparseConv::LibOMP PROPERTIES
    IMPORTED_LOCATION ${SPARSECONV_LIBOMP} IMPORTED_NO_SONAME FALSE)
endif()
