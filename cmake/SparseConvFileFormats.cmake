#===- SparseConvFileFormats.cmake - libraries of files and pictures --------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# SPARSECONV_FILE_FORMATS is what SparseConvIO links: libarchive (zip), liblzf
# (compressed PCD), libpng, and Anti-Grain Geometry (bars and text on a picture),
# which comes as an archive alone. Included by the build and by the installed
# package.
#
#===-----------------------------------------------------------------------===#

if(SPARSECONV_STATIC)
  set(sparseconv_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
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

set(SPARSECONV_FILE_FORMATS LibArchive::LibArchive PNG::PNG SparseConv::Agg)
if(SPARSECONV_STATIC)
  # libarchive's archive needs those of its ciphers and compressions. Debian has
  # liblzf not as an archive but as source, to be compiled in.
  foreach(name bz2 lzma nettle)
    find_library(SPARSECONV_LIB${name} ${name} REQUIRED)
    mark_as_advanced(SPARSECONV_LIB${name})
    list(APPEND SPARSECONV_FILE_FORMATS ${SPARSECONV_LIB${name}})
  endforeach()
  list(APPEND SPARSECONV_FILE_FORMATS liblzf::embed)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${sparseconv_suffixes})
else()
  list(APPEND SPARSECONV_FILE_FORMATS liblzf::liblzf)
endif()
