# Finds the build's dependencies (LLVM 22, clang 22, a CUDA toolkit's headers, the OpenCL ICD loader), or reports in one sentence
# how to install them.

find_program(CUSAFE_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
find_program(CUSAFE_CLANG NAMES clang-22)
find_program(CUSAFE_CLANGXX NAMES clang++-22)
if(NOT CUSAFE_LLVM_CONFIG OR NOT CUSAFE_CLANG OR NOT CUSAFE_CLANGXX)
  message(FATAL_ERROR "CuSafe requires LLVM 22 and clang 22: run packaging/install-deps, or install clang-22 and llvm-22-dev.")
endif()
execute_process(COMMAND ${CUSAFE_LLVM_CONFIG} --version OUTPUT_VARIABLE CUSAFE_LLVM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT CUSAFE_LLVM_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "CuSafe requires LLVM 22, but ${CUSAFE_LLVM_CONFIG} is version ${CUSAFE_LLVM_VERSION}: run packaging/install-deps.")
endif()
execute_process(COMMAND ${CUSAFE_LLVM_CONFIG} --includedir OUTPUT_VARIABLE CUSAFE_LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${CUSAFE_LLVM_CONFIG} --libdir OUTPUT_VARIABLE CUSAFE_LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${CUSAFE_LLVM_CONFIG} --bindir OUTPUT_VARIABLE CUSAFE_LLVM_BINDIR OUTPUT_STRIP_TRAILING_WHITESPACE)

find_path(CUSAFE_CUDA_INCLUDE cuda.h
  HINTS ${CUSAFE_CUDA_PATH}/include $ENV{CUDA_PATH}/include PATHS /usr/local/cuda/include
  DOC "The CUDA toolkit's headers")
if(NOT CUSAFE_CUDA_INCLUDE)
  message(FATAL_ERROR "CuSafe requires the headers of a CUDA toolkit: install one, or set -DCUSAFE_CUDA_PATH=<toolkit>.")
endif()
get_filename_component(CUSAFE_CUDA_PATH ${CUSAFE_CUDA_INCLUDE} DIRECTORY)

find_package(OpenCL REQUIRED)

# cusafe_llvm(<target>): a target of CuSafe whose C++ includes LLVM's headers, and is compiled as LLVM is.
function(cusafe_llvm target)
  cusafe_target(${target})
  target_include_directories(${target} SYSTEM PRIVATE ${CUSAFE_LLVM_INCLUDE})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -fvisibility-inlines-hidden -fPIC>)
  target_compile_definitions(${target} PRIVATE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
endfunction()

# cusafe_precompiled_llvm(<target>): the same with LLVM's most used headers precompiled, once for all such targets, which takes a third
# of the time. Every file includes what it needs all the same: nightly compiles without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
function(cusafe_precompiled_llvm target)
  cusafe_llvm(${target})
  if(NOT TARGET cusafe_llvm_headers)
    set(empty ${CMAKE_BINARY_DIR}/llvm_headers.c ${CMAKE_BINARY_DIR}/llvm_headers.cpp) # for targets that have both
    foreach(file IN LISTS empty)
      file(CONFIGURE OUTPUT ${file} CONTENT "")
    endforeach()
    add_library(cusafe_llvm_headers OBJECT ${empty})
    cusafe_llvm(cusafe_llvm_headers)
    target_precompile_headers(cusafe_llvm_headers PRIVATE $<$<COMPILE_LANGUAGE:C>:<llvm-c/Core.h$<ANGLE-R>>)
    foreach(header IN ITEMS Analysis/LoopInfo IR/Dominators IR/IRBuilder IR/InstIterator IR/Instructions IR/IntrinsicInst IR/Module IR/Operator)
      target_precompile_headers(cusafe_llvm_headers PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<llvm/${header}.h$<ANGLE-R>>)
    endforeach()
  endif()
  target_precompile_headers(${target} REUSE_FROM cusafe_llvm_headers)
endfunction()
