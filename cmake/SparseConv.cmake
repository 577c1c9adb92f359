#===- SparseConv.cmake - build settings and target helpers ----------------===#
#
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
#
# Sets the build up as an LLVM tool tree on the distribution's packages and
# defines the helpers that every library, tool and unit test of the project uses.
#
#===-----------------------------------------------------------------------===#

# MLIRConfig does not export this; it makes mlir_target_link_libraries() pick
# libMLIR.so. Archives beside the shared library would duplicate its TypeIDs.
set(MLIR_LINK_MLIR_DYLIB ON)

# Debian keeps libMLIR.so out of the linker's default path.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

set(LLVM_RUNTIME_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})

# lit and the tests' scripts run in one Python, which has numpy. The
# distribution's comes first: one found through PATH often has no numpy. While pip
# builds a wheel, PYTHONPATH hides what is installed.
if(NOT Python3_EXECUTABLE)
  foreach(candidate /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -E -c "import numpy"
      RESULT_VARIABLE no_numpy OUTPUT_QUIET ERROR_QUIET)
    if(no_numpy EQUAL 0)
      find_program(Python3_EXECUTABLE ${candidate})
      break()
    endif()
  endforeach()
endif()
if(NOT Python3_EXECUTABLE)
  message(FATAL_ERROR "sparseconv needs a Python 3 with numpy (Debian: python3-numpy)")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

include(GNUInstallDirs)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
separate_arguments(SPARSECONV_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${SPARSECONV_LLVM_DEFINITIONS})
add_compile_options(-Wall -Wextra -Wno-unused-parameter)

if(SPARSECONV_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # The program that loads a library has the sanitizers' functions.
  string(REPLACE "-Wl,-z,defs" "" CMAKE_SHARED_LINKER_FLAGS "${CMAKE_SHARED_LINKER_FLAGS}")
endif()

# The headers that most files of a compiler library start with, parsed once. A change
# of one builds all of these files anew. Those of our operations would do that anyway,
# and are half of what a file takes to compile.
option(SPARSECONV_PRECOMPILE "Precompile the MLIR headers that most files include" ON)
set(sparseconv_precompiled_headers
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/ImplicitLocOpBuilder.h>
  <mlir/IR/OpImplementation.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/DialectConversion.h>
  <sparseconv/Dialect/SparseConv/IR/SparseConvOps.h>)

# precompile_mlir_headers(target): shares one precompiled header between all
# targets, which therefore have to be compiled with the same flags. Clang only.
function(precompile_mlir_headers target)
  if(NOT SPARSECONV_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  if(NOT TARGET SparseConvPrecompiled)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/Precompiled.cpp CONTENT "")
    add_library(SparseConvPrecompiled OBJECT ${PROJECT_BINARY_DIR}/Precompiled.cpp)
    llvm_update_compile_flags(SparseConvPrecompiled)
    target_compile_features(SparseConvPrecompiled PUBLIC cxx_std_17)
    target_compile_options(SparseConvPrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(SparseConvPrecompiled PRIVATE ${sparseconv_precompiled_headers})
    add_dependencies(SparseConvPrecompiled SparseConvIRIncGen)
  endif()
  # CMake would compile an executable with -fPIE, which the header does not fit.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_property(TARGET ${target} PROPERTY POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # for ccache
  target_precompile_headers(${target} REUSE_FROM SparseConvPrecompiled)
endfunction()

# link_shared(target scope libraries...)
#
# Links shared libraries. An executable with the property SPARSECONV_STANDALONE
# does without all that come this way, and links their archives itself.
function(link_shared target scope)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} ${scope}
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:SPARSECONV_STANDALONE>>>:${library}>)
  endforeach()
endfunction()

# link_llvm(target scope [mlir-libs...])
#
# Links the shared library of LLVM, and that of MLIR where libraries of it are named.
function(link_llvm target scope)
  if(ARGN)
    link_shared(${target} ${scope} MLIR)
  endif()
  link_shared(${target} ${scope} LLVM)
endfunction()

# add_sparseconv_library(name sources... [NO_LLVM] [MLIR mlir-libs...] [LINK libs...] [DEPENDS targets...])
#
# A static library of the project. MLIR names are linked through libMLIR.so.
# NO_LLVM is for what runs where no LLVM is.
function(add_sparseconv_library name)
  cmake_parse_arguments(ARG "NO_LLVM" "" "MLIR;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(SparseConv::${name} ALIAS ${name})
  llvm_update_compile_flags(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_17)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_MLIR)
    precompile_mlir_headers(${name})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_LLVM)
    link_llvm(${name} PUBLIC ${ARG_MLIR})
  endif()
  set_property(GLOBAL APPEND PROPERTY SPARSECONV_LIBRARIES ${name})
endfunction()

# add_sparseconv_executable(name sources... [MLIR mlir-libs...] [LINK libs...])
#
# What tools and unit tests have in common.
function(add_sparseconv_executable name)
  cmake_parse_arguments(ARG "" "" "MLIR;LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_MLIR)
    precompile_mlir_headers(${name})
  endif()
  link_llvm(${name} PRIVATE ${ARG_MLIR})
endfunction()

# add_sparseconv_tool(name sources... [MLIR mlir-libs...] [LINK libs...])
function(add_sparseconv_tool name)
  add_sparseconv_executable(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SPARSECONV_TOOLS ${name})
endfunction()

# add_sparseconv_unittest(name sources... [MLIR mlir-libs...] [LINK libs...])
#
# A GoogleTest program. The name ends in Tests, by which lit finds it.
function(add_sparseconv_unittest name)
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "unit test ${name}: the name has to end in Tests")
  endif()
  find_package(GTest REQUIRED)
  add_sparseconv_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY SPARSECONV_UNITTESTS ${name})
endfunction()
