#===- SparseConvFileFormats.cmake - libraries of files and pictures --------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# SPARSECONV_FILE_FORMATS are the shared libraries that SparseConvIO links: libarchive
# (zip), libpng and liblzf (compressed PCD). SparseConv::Agg is Anti-Grain Geometry
# (bars and text on a picture), which comes as an archive alone. Included by the
# build and by the installed package.
#
#===-----------------------------------------------------------------------===#

find_package(LibArchive REQUIRED)
find_package(PNG REQUIRED)
find_package(liblzf CONFIG REQUIRED)
find_path(SPARSECONV_AGG_INCLUDE agg_renderer_base.h PATH_SUFFIXES agg2 REQUIRED)
find_library(SPARSECONV_AGG agg_pic REQUIRED)
mark_as_advanced(SPARSECONV_AGG SPARSECONV_AGG_INCLUDE)
if(NOT TARGET SparseConv::Agg)
  add_library(SparseConv::Agg STATIC IMPORTED)
  set_target_properties(SparseConv::Agg PROPERTIES
    IMPORTED_LOCATION ${SPARSECONV_AGG}
    INTERFACE_INCLUDE_DIRECTORIES ${SPARSECONV_AGG_INCLUDE})
endif()

set(SPARSECONV_FILE_FORMATS LibArchive::LibArchive PNG::PNG liblzf::liblzf)
