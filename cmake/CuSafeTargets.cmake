# Compilation options and output folders of all CuSafe targets. The build tree has the layout of an installed prefix.

set(CUSAFE_BIN ${CMAKE_BINARY_DIR}/bin)              # cusafe
set(CUSAFE_LIB ${CMAKE_BINARY_DIR}/lib)              # libcusafe.so
set(CUSAFE_PRIVATE ${CMAKE_BINARY_DIR}/lib/cusafe)   # the pass, the retargeter, device bitcode
set(CUSAFE_CPU ${CUSAFE_PRIVATE}/cpu)                # libcuda.so.1 and libcudart.so.13 for the CPU device

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# cusafe_target(<target>): sets warnings, the include root, and with CUSAFE_HOST_SANITIZERS the sanitizers.
function(cusafe_target target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE CUSAFE_SONAME="libcusafe.so.${PROJECT_VERSION_MAJOR}")
  target_compile_options(${target} PRIVATE -Wall -Wextra
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes -Wstrict-prototypes -Wvla>
    $<$<BOOL:${CUSAFE_WERROR}>:-Werror>)
  if(CUSAFE_HOST_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
