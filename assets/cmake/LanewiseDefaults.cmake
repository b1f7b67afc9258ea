# What every target shares.
if(NOT LANEWISE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR
    "Lanewise needs g++ 12 or later, and CMAKE_CXX_COMPILER is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} "
    "(${CMAKE_CXX_COMPILER}): emulated kernels are watched through g++'s -fsanitize=thread. Configure a fresh build folder "
    "with -DCMAKE_CXX_COMPILER=g++, or another name of g++ such as g++-12.")
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(lanewise_options INTERFACE)
target_include_directories(lanewise_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(lanewise_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)  # whatever processor the user's flags name
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ tidies its memory from 128 MB on, again and again: a seventh of the time that a library's files take.
  target_compile_options(lanewise_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()
if(LANEWISE_SANITIZE)
  target_compile_options(lanewise_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-omit-frame-pointer -g1>)
  target_link_options(lanewise_options INTERFACE -fsanitize=address,undefined)
endif()

if(LANEWISE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LANEWISE_FUZZ needs clang, whose libFuzzer makes the inputs: configure with "
                        "-DCMAKE_CXX_COMPILER=clang++.")
  endif()
  target_compile_options(lanewise_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  target_link_options(lanewise_options INTERFACE -fsanitize=address,undefined)
endif()

# The standard library's and fmt's headers take a second of each file's compilation: they are compiled once. Not with
# ccache as the launcher, which by default keeps nothing of a file with precompiled headers.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  option(LANEWISE_PRECOMPILE "Precompile the standard library's headers" OFF)
else()
  option(LANEWISE_PRECOMPILE "Precompile the standard library's headers" ON)
endif()
set(LANEWISE_STANDARD_HEADERS <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint>
  <cstring> <deque> <filesystem> <fstream> <functional> <future> <iostream> <limits> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
  <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
find_package(fmt REQUIRED)

# A library's files share most of what they include, so up to twenty are compiled as one: together they take a third of
# the time. Of a test's, whose names are free, up to eight of one folder. OFF compiles a single changed file faster.
option(LANEWISE_UNITY "Compile several files of a library at once" ON)

# lanewise_unite(TARGET SOURCES… [BY_FOLDER]): files with options of their own stay alone, as CMake has it.
function(lanewise_unite target)
  if(NOT LANEWISE_UNITY)
    return()
  endif()
  cmake_parse_arguments(arg "BY_FOLDER" "" "" ${ARGN})
  set(most 20)
  if(arg_BY_FOLDER)
    set(most 8)
  endif()
  set(folder all)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    if(arg_BY_FOLDER)
      cmake_path(GET source PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "files_${folder}" folder)
    endif()
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR batch "${count_${folder}} / ${most}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

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
    target_link_libraries(${shared} PRIVATE lanewise_options fmt::fmt ${arg_LINKS})
    target_compile_options(${shared} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${shared} PRIVATE ${LANEWISE_STANDARD_HEADERS} ${arg_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
  target_link_libraries(${target} PRIVATE fmt::fmt)  # its definitions must be the same
endfunction()

# lanewise_library(NAME SOURCES… LINKS… [APART] [O1 | ONCE]): a static library `lanewise_NAME`, alias lanewise.NAME.
# APART: each of its files is compiled by itself. Unless the user chose the flags of a release, O1 compiles with -O1, in
# three quarters of the time, for code that reads, describes or draws steps: a frame's lists take 0.4 to 0.7 ms, and a
# recording of 230 kB is opened and printed in 18 ms, either way. ONCE compiles with -Og, in seven eighths of -O1's
# time, for what runs once a command.
function(lanewise_library name)
  cmake_parse_arguments(arg "APART;O1;ONCE" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(lanewise_${name} STATIC ${arg_SOURCES})
  add_library(lanewise::${name} ALIAS lanewise_${name})
  target_link_libraries(lanewise_${name} PUBLIC lanewise_options ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
  if(NOT arg_APART)
    lanewise_unite(lanewise_${name} ${arg_SOURCES})
  endif()
  if((arg_O1 OR arg_ONCE) AND CMAKE_CXX_FLAGS_RELEASE STREQUAL LANEWISE_RELEASE_FLAGS)
    target_compile_options(lanewise_${name} PRIVATE
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:$<IF:$<BOOL:${arg_ONCE}>,-Og,-O1>>)
  endif()
  lanewise_precompile(lanewise_${name} lanewise_precompiled)
endfunction()

# lanewise_optimize_most(FILES…): with -O3 in a release, in the folder that builds them. Without the precompiled
# headers: those are made with -O2, and g++ 12 then forgets the -O3 (the emulator's switch from lane to lane took 8 %
# longer).
function(lanewise_optimize_most)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# lanewise_test(NAME SOURCES… LINKS… [LABELS…] [APART] [ON_A_GPU]): a GoogleTest program, one ctest for each of its tests.
# ON_A_GPU: those whose names end in OnAGpu need one, and have the label gpu.
function(lanewise_test name)
  if(NOT LANEWISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "APART;ON_A_GPU" "" "SOURCES;LINKS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gtest_main)
  # What is tested is optimized; the tests themselves are small, and compile in three quarters of the time. Under the
  # sanitizers -O1 doubles it.
  set(optimization $<IF:$<BOOL:${LANEWISE_SANITIZE}>,-O0,-O1>)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${optimization}>)
  if(NOT arg_APART)
    lanewise_unite(${name} ${arg_SOURCES} BY_FOLDER)
  endif()
  lanewise_precompile(${name} lanewise_precompiled_test LINKS GTest::gtest HEADERS <gtest/gtest.h> OPTIONS ${optimization})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(arg_ON_A_GPU)
    gtest_discover_tests(${name} TEST_FILTER "*OnAGpu" TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
      TEST_LIST ${name}_on_a_gpu PROPERTIES LABELS "gpu")
    set(others TEST_FILTER "-*OnAGpu")
  endif()
  gtest_discover_tests(${name} ${others} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}")
endfunction()

# How every copy of a kernel is compiled: an assert in a kernel speaks, as it does with nvcc.
set(LANEWISE_KERNEL_OPTIONS -UNDEBUG)

# How both emulated copies are compiled: a large frame touches each of its pages, so that a lane's stack that ends meets
# its guard; an address in a kernel leads to its line, and a call to where it was made; a loop without end stays one.
set(LANEWISE_LANE_OPTIONS -fstack-clash-protection -fno-finite-loops -fno-optimize-sibling-calls -g1)

# How a traced copy is compiled for the emulator: -fsanitize=thread announces every load and store, to functions of our
# own (common/emu/hooks.cpp) in place of its runtime, so it is never given to the linker. Scalar replacement would make
# four loads of one float4. Kernels look at a float4 as eight halves and nvcc lets them, so must this compiler. Volatile
# accesses have hooks of their own: a lane that waits lets others run.
set(LANEWISE_HOOKED_OPTIONS
  ${LANEWISE_LANE_OPTIONS} -O1 -g -fsanitize=thread -fno-builtin -fno-tree-sra -fno-strict-aliasing
  --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1)
# Indices outside an array whose type says how long it is: also to a function of our own.
if(NOT LANEWISE_SANITIZE)
  list(APPEND LANEWISE_HOOKED_OPTIONS -fsanitize=bounds)
endif()
