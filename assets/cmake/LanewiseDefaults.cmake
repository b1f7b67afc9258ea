# What every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(LANEWISE_CCACHE ccache)
if(LANEWISE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LANEWISE_CCACHE})
endif()

add_library(lanewise_options INTERFACE)
target_include_directories(lanewise_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(lanewise_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>)
if(LANEWISE_SANITIZE)
  target_compile_options(lanewise_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-omit-frame-pointer -g1>)
  target_link_options(lanewise_options INTERFACE -fsanitize=address,undefined)
endif()

# The standard library's headers take a second of each file's compilation: they are compiled once. Not with ccache, which
# does better by itself and knows nothing of them by default.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  option(LANEWISE_PRECOMPILE "Precompile the standard library's headers" OFF)
else()
  option(LANEWISE_PRECOMPILE "Precompile the standard library's headers" ON)
endif()
set(LANEWISE_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
  <sstream> <string> <string_view> <utility> <variant> <vector>)

# lanewise_precompile(TARGET SHARED [LINKS…] [HEADERS…] [OPTIONS…]): with headers that are compiled once, in the target
# SHARED, for all targets that name it; they compile with the same OPTIONS.
function(lanewise_precompile target shared)
  if(NOT LANEWISE_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LINKS;HEADERS;OPTIONS" ${ARGN})
  if(NOT TARGET ${shared})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${shared}.cpp CONTENT "// Only its headers matter.\n")
    add_library(${shared} OBJECT ${PROJECT_BINARY_DIR}/${shared}.cpp)
    target_link_libraries(${shared} PRIVATE lanewise_options ${arg_LINKS})
    target_compile_options(${shared} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${shared} PRIVATE ${LANEWISE_STANDARD_HEADERS} ${arg_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# lanewise_library(NAME SOURCES… LINKS…): a static library `lanewise_NAME`, alias lanewise.NAME
function(lanewise_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(lanewise_${name} STATIC ${arg_SOURCES})
  add_library(lanewise::${name} ALIAS lanewise_${name})
  target_link_libraries(lanewise_${name} PUBLIC lanewise_options ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
  lanewise_precompile(lanewise_${name} lanewise_precompiled)
endfunction()

# lanewise_test(NAME SOURCES… LINKS… [LABELS…] [ENVIRONMENT…]): a GoogleTest program, one ctest for each of its tests.
function(lanewise_test name)
  if(NOT LANEWISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gtest_main)
  # What is tested is optimized; the tests themselves are small, and compile in three quarters of the time. Under the
  # sanitizers -O1 doubles it.
  set(optimization $<IF:$<BOOL:${LANEWISE_SANITIZE}>,-O0,-O1>)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${optimization}>)
  lanewise_precompile(${name} lanewise_precompiled_test LINKS GTest::gtest HEADERS <gtest/gtest.h> OPTIONS ${optimization})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}")
endfunction()

# How a traced copy is compiled for the emulator: -fsanitize=thread announces every load and store, to functions of our
# own (common/emu/hooks.cpp) in place of its runtime, so it is never given to the linker. Scalar replacement would make
# four loads of one float4. Kernels look at a float4 as eight halves and nvcc lets them, so must this compiler.
set(LANEWISE_HOOKED_OPTIONS
  -O1 -g -fsanitize=thread -fno-builtin -fno-tree-sra -fno-strict-aliasing
  --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1)
# Indices outside an array whose type says how long it is: also to a function of our own.
if(NOT LANEWISE_SANITIZE)
  list(APPEND LANEWISE_HOOKED_OPTIONS -fsanitize=bounds)
endif()
