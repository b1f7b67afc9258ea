# add_lesson([NAME]): all that a lesson's CMakeLists.txt has to say. NAME is the folder's name when left out.
#
# From kernels.cuh, entries.inc and lesson.cpp it makes
#   <name>        build/lessons/<name>, the program a learner runs
#   <name>_test   build/tests/<name>_test, from lesson.test.cpp and lessons/every_lesson.test.cpp; shares the
#                 program's objects
#   <name>.check  a ctest: every variant on the emulator against its reference
#
# Each build of the kernels is a file of its own, configured from wrapper.in around a derived copy that
# lanewise_annotate makes; builds.cpp lists those there are. So touching kernels.cuh compiles this lesson's wrappers
# again and nothing else.
set(LANEWISE_CMAKE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

function(add_lesson)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  cmake_path(GET folder FILENAME name)
  if(ARGC GREATER 0)
    set(name ${ARGV0})
  endif()
  lanewise_check_lesson(${folder})
  lanewise_kernel_set(${name} kernels)

  add_library(${name}_objects OBJECT ${folder}/lesson.cpp)
  target_link_libraries(${name}_objects PUBLIC lanewise::cli lanewise::launch)
  target_compile_definitions(${name}_objects PUBLIC
    LANEWISE_LESSON_NAME="${name}" LANEWISE_LESSON_FOLDER="${folder}")

  set(parts ${name}_objects ${name}_builds ${name}_hooked lanewise::cli lanewise::check lanewise::gpu lanewise::measure)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/lessons/main.cpp)
  target_link_libraries(${name} PRIVATE ${parts})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lessons)
  if(LANEWISE_WINDOW)
    target_link_libraries(${name} PRIVATE lanewise::viz_app)
    target_compile_definitions(${name} PRIVATE LANEWISE_WITH_WINDOW=1)
  endif()

  lanewise_test(${name}_test
    SOURCES ${folder}/lesson.test.cpp ${PROJECT_SOURCE_DIR}/lessons/every_lesson.test.cpp LINKS ${parts})
  if(LANEWISE_TESTS)
    add_test(NAME ${name}.check COMMAND ${name} --backend cpu --check)
    # common/cli may define this: the commands in a lesson's text are run.
    if(COMMAND lanewise_document_test)
      lanewise_document_test(${name} ${folder}/lesson.md)
    endif()
    # viz/testing may define this: what the stage writes is looked at in every variant.
    if(COMMAND lanewise_labels_test)
      lanewise_labels_test(${name})
    endif()
  endif()
endfunction()

# All builds of this folder's kernels.cuh, with what entries.inc lists, as the object libraries NAME_builds and
# NAME_hooked. lanewise::generated::FUNCTION() then is their launch::KernelSet. With EMULATED_ONLY there are no GPU
# builds.
#
# The folder may have kernels_smNN.cuh with entries_smNN.inc beside it: kernels for GPUs of sm_NN and later, with inline
# PTX or blocks that run together. They are compiled by nvcc alone, for those of the architectures asked for that are
# sm_NN or later; where there are none, the program knows their names and says what they need.
function(lanewise_kernel_set name function)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" id "lesson_${name}")

  set(copies)
  foreach(file IN ITEMS gpu_traced.cuh emulated.cuh emulated_traced.cuh tables.inc includes.inc)
    list(APPEND copies ${generated}/kernels.${file})
  endforeach()
  add_custom_command(OUTPUT ${copies}
    COMMAND lanewise_annotate ${folder}/kernels.cuh ${generated}
    DEPENDS ${folder}/kernels.cuh lanewise_annotate
    COMMENT "Annotating ${name}/kernels.cuh" VERBATIM)
  add_custom_target(${name}_kernels DEPENDS ${copies})

  # gpu_plain is the file as the learner reads it; the others are derived.
  set(declarations "")
  set(additions "")
  set(listed "")
  set(architectures "")
  set(wrapper_file kernels.cuh)
  set(wrapper_architecture 0)
  set(wrapper_entries ${folder}/entries.inc)
  set(wrapper_folder ${generated})
  lanewise_wrapper(emulated cpp ${generated}/kernels.emulated.cuh common/prelude/emulated/emulated.hpp)
  lanewise_wrapper(emulated_traced cpp ${generated}/kernels.emulated_traced.cuh common/prelude/emulated/emulated_traced.hpp)
  set(with_gpu FALSE)
  if(LANEWISE_HAS_CUDA AND NOT "EMULATED_ONLY" IN_LIST ARGN)
    set(with_gpu TRUE)
    list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "-(real|virtual)$" "" OUTPUT_VARIABLE architectures)
    lanewise_wrapper(gpu_plain cu ${folder}/kernels.cuh common/prelude/gpu/gpu_headers.cuh)
    lanewise_wrapper(gpu_traced cu ${generated}/kernels.gpu_traced.cuh common/prelude/gpu/gpu_traced.cuh)
  endif()
  set(gpu_only)
  file(GLOB gpu_files CONFIGURE_DEPENDS ${folder}/kernels_sm*.cuh)
  foreach(file IN LISTS gpu_files)
    lanewise_gpu_only_kernels(${file})
  endforeach()
  configure_file(${LANEWISE_CMAKE_FOLDER}/builds.cpp.in ${generated}/builds.cpp @ONLY)

  # The traced emulated build stands apart: its flags suit no other file, and no sanitizer suits it.
  add_library(${name}_hooked OBJECT ${generated}/emulated_traced.cpp)
  target_include_directories(${name}_hooked PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/common/prelude/include)
  target_compile_options(${name}_hooked PRIVATE
    -Wall -Wno-unknown-pragmas -Wno-sign-compare -Wno-misleading-indentation -ffp-contract=off ${LANEWISE_HOOKED_OPTIONS})

  add_library(${name}_builds OBJECT ${generated}/builds.cpp ${generated}/emulated.cpp)
  target_link_libraries(${name}_builds PUBLIC lanewise::launch)
  set_source_files_properties(${generated}/emulated.cpp PROPERTIES
    INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/common/prelude/include
    COMPILE_OPTIONS "-O2;-ffp-contract=off;-fno-strict-aliasing;-Wno-unknown-pragmas;-Wno-sign-compare;-Wno-conversion;-Wno-shadow")
  if(with_gpu)
    target_sources(${name}_builds PRIVATE ${generated}/gpu_plain.cu ${generated}/gpu_traced.cu)
    lanewise_traced_options(${generated}/gpu_traced.cu)
    target_link_libraries(${name}_builds PUBLIC lanewise_cuda_options)
  endif()
  foreach(library IN LISTS gpu_only)
    target_sources(${name}_builds INTERFACE $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_dependencies(${name}_hooked ${name}_kernels)
  add_dependencies(${name}_builds ${name}_kernels)
endfunction()

# One kernels_smNN.cuh of lanewise_kernel_set(), as the object library NAME_smNN where there is an architecture for it.
macro(lanewise_gpu_only_kernels file)
  get_filename_component(wrapper_file ${file} NAME)
  if(NOT wrapper_file MATCHES "^kernels_sm([0-9]+)\\.cuh$")
    message(FATAL_ERROR "${name}/${wrapper_file}: a file of kernels for GPUs only is named for the architecture they need, "
                        "such as kernels_sm90.cuh.")
  endif()
  set(wrapper_architecture ${CMAKE_MATCH_1})
  set(wrapper_entries ${folder}/entries_sm${wrapper_architecture}.inc)
  if(NOT EXISTS ${wrapper_entries})
    message(FATAL_ERROR "${name}/${wrapper_file} needs entries_sm${wrapper_architecture}.inc beside it, with a line such "
                        "as ENTRY(my_kernel, 256) for each instance.")
  endif()
  set(wrapper_folder ${generated}_sm${wrapper_architecture})
  string(APPEND listed "const prelude::RawEntry kEntriesOfSm${wrapper_architecture}[] = {\n"
                       "#include \"${wrapper_entries}\"\n};\n")
  string(APPEND additions
    "    set.declare(launch::import_file(launch::Build::gpu_plain,\n"
    "        {kEntriesOfSm${wrapper_architecture}, static_cast<std::uint32_t>(std::size(kEntriesOfSm${wrapper_architecture})),\n"
    "         nullptr, 0, nullptr, 0, nullptr, \"${wrapper_file}\", ${wrapper_architecture}}));\n")
  set(wrapper_can)
  foreach(architecture IN LISTS architectures)
    if(architecture MATCHES "^[0-9]+" AND NOT CMAKE_MATCH_0 LESS wrapper_architecture)
      list(APPEND wrapper_can ${architecture})
    endif()
  endforeach()
  if(wrapper_can)
    set(library ${name}_sm${wrapper_architecture})
    set(copies ${wrapper_folder}/kernels.gpu_traced.cuh ${wrapper_folder}/kernels.tables.inc
               ${wrapper_folder}/kernels.includes.inc)
    add_custom_command(OUTPUT ${copies}
      COMMAND lanewise_annotate ${file} ${wrapper_folder} gpu_only
      DEPENDS ${file} lanewise_annotate
      COMMENT "Annotating ${name}/${wrapper_file}" VERBATIM)
    add_custom_target(${library}_kernels DEPENDS ${copies})
    lanewise_wrapper(gpu_plain cu ${file} common/prelude/gpu/gpu_headers.cuh)
    lanewise_wrapper(gpu_traced cu ${wrapper_folder}/kernels.gpu_traced.cuh common/prelude/gpu/gpu_traced.cuh)
    add_library(${library} OBJECT ${wrapper_folder}/gpu_plain.cu ${wrapper_folder}/gpu_traced.cu)
    lanewise_traced_options(${wrapper_folder}/gpu_traced.cu)
    set_target_properties(${library} PROPERTIES CUDA_ARCHITECTURES "${wrapper_can}")
    target_link_libraries(${library} PRIVATE lanewise::launch lanewise_cuda_options)
    add_dependencies(${library} ${library}_kernels)
    list(APPEND gpu_only ${library})
  endif()
endmacro()

# A traced copy is looked at, never timed: with little optimization nvcc takes 5 s instead of 13 for lesson 05's.
macro(lanewise_traced_options file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-Xcicc=-O1;-Xptxas=-O1")
endmacro()

# One build's wrapper: its prelude, its copy of the kernels in a namespace of its own, and the table of entries; and what
# builds.cpp says of it.
macro(lanewise_wrapper build suffix copy prelude)
  set(wrapper_build ${build})
  set(wrapper_copy ${copy})
  set(wrapper_prelude ${prelude})
  set(wrapper_function ${id}_${build})
  if(wrapper_architecture)
    string(APPEND wrapper_function _sm${wrapper_architecture})
  endif()
  set(wrapper_namespace kernels_${wrapper_function})
  set(wrapper_address "reinterpret_cast<const void*>(&KERNEL(name __VA_OPT__(, ) __VA_ARGS__))")
  if("${build}" MATCHES "^emulated")
    set(wrapper_address "reinterpret_cast<const void*>(static_cast<void (*)(void**)>( \\
        ::lanewise_emulated::body<&KERNEL(name __VA_OPT__(, ) __VA_ARGS__)>))")
  endif()
  set(wrapper_warp_entry "")
  if("${build}" MATCHES "^emulated")
    set(wrapper_warp_entry "\\
    {#name, #__VA_ARGS__, \\
     ${wrapper_address}, \\
     SIGNATURE(name __VA_OPT__(, ) __VA_ARGS__)::parameters, SIGNATURE(name __VA_OPT__(, ) __VA_ARGS__)::count, warp},")
  endif()
  set(wrapper_tables "nullptr, 0, nullptr, 0")
  set(wrapper_include_tables "")
  if("${build}" MATCHES "traced$")
    set(wrapper_tables "kStatements, kStatementCount, kSharedNames, kSharedCount")
    set(wrapper_include_tables "#include \"${wrapper_folder}/kernels.tables.inc\"")
  endif()
  set(wrapper_capture nullptr)
  if("${build}" STREQUAL "gpu_traced")
    set(wrapper_capture "::lanewise_traced::capture_symbol()")
  endif()
  string(APPEND declarations "prelude::RawFile ${wrapper_function}();\n")
  string(APPEND additions "    set.add(launch::import_file(launch::Build::${build}, ${wrapper_function}()));\n")
  configure_file(${LANEWISE_CMAKE_FOLDER}/wrapper.in ${wrapper_folder}/${build}.${suffix} @ONLY)
endmacro()

# Says what a lesson's folder lacks before a compiler does.
function(lanewise_check_lesson folder)
  cmake_path(GET folder FILENAME name)
  foreach(file IN ITEMS kernels.cuh entries.inc lesson.cpp lesson.md lesson.test.cpp)
    if(NOT EXISTS ${folder}/${file})
      message(FATAL_ERROR "lessons/${name} has no ${file}; copy it from lessons/_template and change it.")
    endif()
  endforeach()
  file(STRINGS ${folder}/entries.inc entries REGEX "^[ \t]*ENTRY\\(")
  if(NOT entries)
    message(FATAL_ERROR "lessons/${name}/entries.inc lists no kernel; write a line such as ENTRY(my_kernel, 256).")
  endif()
  file(STRINGS ${folder}/entries.inc entries REGEX "^[ \t]*(WARP_)?ENTRY\\(")
  file(READ ${folder}/kernels.cuh kernels)
  lanewise_check_entries(${name} kernels.cuh entries.inc "${entries}" "${kernels}")
  file(GLOB gpu_files ${folder}/kernels_sm*.cuh)
  foreach(file IN LISTS gpu_files)
    cmake_path(GET file FILENAME file)
    string(REPLACE kernels entries entries_file "${file}")
    string(REPLACE .cuh .inc entries_file "${entries_file}")
    if(EXISTS ${folder}/${entries_file})  # else lanewise_gpu_only_kernels() says so
      file(STRINGS ${folder}/${entries_file} entries REGEX "^[ \t]*(WARP_)?ENTRY\\(")
      file(READ ${folder}/${file} kernels)
      if(entries MATCHES "WARP_ENTRY")
        message(FATAL_ERROR "lessons/${name}/${entries_file} has a WARP_ENTRY, but GPUs have no teaching warps: remove it.")
      endif()
      lanewise_check_entries(${name} ${file} ${entries_file} "${entries}" "${kernels}")
    endif()
  endforeach()
endfunction()

# Says which of the entries of one file are not as they must be.
function(lanewise_check_entries name kernel_file entries_file entries kernels)
  foreach(entry IN LISTS entries)
    if(entry MATCHES "WARP_ENTRY\\(" AND NOT entry MATCHES "WARP_ENTRY\\([ \t]*(4|8|16)[ \t]*,")
      string(STRIP "${entry}" entry)
      message(FATAL_ERROR "lessons/${name}/${entries_file} says ${entry}, but a teaching warp has 4, 8 or 16 lanes: write a "
                          "line such as WARP_ENTRY(8, my_kernel, 8).")
    endif()
    string(REGEX MATCH "ENTRY\\([ \t]*([0-9]+[ \t]*,[ \t]*)?([A-Za-z_0-9]+)" unused "${entry}")
    if(NOT kernels MATCHES "[^A-Za-z_0-9]${CMAKE_MATCH_2}[ \t\r\n]*\\(")
      string(STRIP "${entry}" entry)
      message(FATAL_ERROR "lessons/${name}/${entries_file} says ${entry}, but ${kernel_file} has no kernel of that name.")
    endif()
    if(entry MATCHES ";[ \t]*$")
      message(FATAL_ERROR "lessons/${name}/${entries_file}: '${entry}' must not end with a semicolon.")
    endif()
  endforeach()
endfunction()
