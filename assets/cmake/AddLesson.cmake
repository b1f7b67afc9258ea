# add_lesson([NAME] [FORMATS]): all that a lesson's CMakeLists.txt has to say. NAME is the folder's name when left out.
# FORMATS: its variants are measured against a library on number formats beside f32.
#
# From kernels.cuh, entries.inc and lesson.cpp it makes
#   <name>        build/lessons/<name>, the program a learner runs
#   <name>_test   build/tests/<name>_test, from lesson.test.cpp and lessons/every_lesson.test.cpp; shares the
#                 program's objects
#   <name>.check  a ctest: every variant on the emulator against its reference
#   <name>.figures  a ctest: every figure of lesson.md against its source in figures.csv
#   <name>.predictions  a ctest: the questions of --predict of ten variants, answered once more from the trace files
#
# Each build of the kernels is a file of its own, a wrapper around a derived copy; lanewise_annotate makes both, and
# builds.cpp, which lists those there are. So touching kernels.cuh, or a .cuh beside it that it includes, compiles this
# lesson's wrappers again and nothing else.

function(add_lesson)
  cmake_parse_arguments(arg "FORMATS" "" "" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  cmake_path(GET folder FILENAME name)
  if(arg_UNPARSED_ARGUMENTS)
    set(name ${arg_UNPARSED_ARGUMENTS})
  endif()
  lanewise_check_lesson(${folder})
  lanewise_kernel_set(${name} kernels)

  add_library(${name}_objects OBJECT ${folder}/lesson.cpp)
  target_link_libraries(${name}_objects PUBLIC lanewise::cli lanewise::launch)
  target_compile_definitions(${name}_objects PUBLIC LANEWISE_LESSON_NAME="${name}")

  lanewise_precompile(${name}_objects lanewise_precompiled)

  # What every lesson shares (lessons/CMakeLists.txt) is compiled once.
  set(parts ${name}_objects ${name}_builds ${name}_hooked)
  if(arg_FORMATS AND LANEWISE_HAS_CUDA)
    list(APPEND parts lanewise_measure_formats)
  endif()
  add_executable(${name})
  target_link_libraries(${name} PRIVATE ${parts} lanewise_lesson_main)
  lanewise_loads_kernels(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lessons)

  if(NOT name MATCHES "^_")
    lanewise_install_lesson(${name} ${folder})
  endif()

  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*.test.cpp)
  lanewise_test(${name}_test SOURCES ${tests} LINKS ${parts} lanewise_every_lesson_test ON_A_GPU)
  if(LANEWISE_TESTS)
    add_test(NAME ${name}.check COMMAND ${name} --backend cpu --check)
    # common/cli may define this: the commands in a lesson's text are run.
    if(COMMAND lanewise_document_test)
      lanewise_document_test(${name} ${folder}/lesson.md)
    endif()
    # Every figure of the text is held to its source.
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if(Python3_Interpreter_FOUND AND name MATCHES "^[0-9]")
      add_test(NAME ${name}.figures COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/assets/figures.py
        --programs ${PROJECT_BINARY_DIR}/lessons ${name})
      # Every question's answer, computed once more from the trace.
      add_test(NAME ${name}.predictions COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/assets/predictions.py
        --programs ${PROJECT_BINARY_DIR}/lessons --most 10 ${name})
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

  # gpu_plain is the file as the learner reads it; the others are derived.
  set(builds emulated emulated_traced)
  set(architectures "")
  set(with_gpu FALSE)
  if(LANEWISE_HAS_CUDA AND NOT "EMULATED_ONLY" IN_LIST ARGN)
    set(with_gpu TRUE)
    list(APPEND builds gpu_plain gpu_traced)
    list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "-(real|virtual)$" "" OUTPUT_VARIABLE architectures)
  endif()
  lanewise_annotated(${name}_kernels kernels.cuh 0 ${generated} "${builds}"
    kernels.gpu_traced.cuh kernels.emulated.cuh kernels.emulated_traced.cuh)
  set(gpu_only)
  set(gpu_listed)
  file(GLOB gpu_files CONFIGURE_DEPENDS ${folder}/kernels_sm*.cuh)
  foreach(file IN LISTS gpu_files)
    lanewise_gpu_only_kernels(${file})
  endforeach()
  string(REPLACE ";" "," joined_builds "${builds}")
  string(REPLACE ";" "," joined_architectures "${architectures}")
  add_custom_command(OUTPUT ${generated}/builds.cpp
    COMMAND lanewise_annotate builds --lesson ${name} --id ${id} --function ${function} --builds ${joined_builds}
            --architectures "${joined_architectures}" ${gpu_listed} ${generated}/builds.cpp
    DEPENDS lanewise_annotate
    COMMENT "Listing ${name}'s builds" VERBATIM)

  # The traced emulated build stands apart: its flags suit no other file, and no sanitizer suits it.
  add_library(${name}_hooked OBJECT ${generated}/emulated_traced.cpp)
  target_include_directories(${name}_hooked PRIVATE ${PROJECT_SOURCE_DIR} ${LANEWISE_STAND_INS})
  target_compile_options(${name}_hooked PRIVATE
    -Wall -Wno-unknown-pragmas -Wno-sign-compare -Wno-misleading-indentation -ffp-contract=off ${LANEWISE_HOOKED_OPTIONS}
    ${LANEWISE_KERNEL_OPTIONS})

  add_library(${name}_builds OBJECT ${generated}/builds.cpp ${generated}/emulated.cpp)
  target_link_libraries(${name}_builds PUBLIC lanewise::launch)
  set_source_files_properties(${generated}/emulated.cpp PROPERTIES
    INCLUDE_DIRECTORIES ${LANEWISE_STAND_INS} SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-O2;${LANEWISE_LANE_OPTIONS};${LANEWISE_KERNEL_OPTIONS};-ffp-contract=off;-fno-strict-aliasing;-Wno-unknown-pragmas;-Wno-sign-compare;-Wno-conversion;-Wno-shadow")
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
  set(architecture ${CMAKE_MATCH_1})
  set(entries ${folder}/entries_sm${architecture}.inc)
  if(NOT EXISTS ${entries})
    message(FATAL_ERROR "${name}/${wrapper_file} needs entries_sm${architecture}.inc beside it, with a line such "
                        "as ENTRY(my_kernel, 256) for each instance.")
  endif()
  list(APPEND gpu_listed --gpu-file ${architecture}=${entries})
  set(wrapper_can)
  foreach(other IN LISTS architectures)
    if(other MATCHES "^[0-9]+" AND NOT CMAKE_MATCH_0 LESS architecture)
      list(APPEND wrapper_can ${other})
    endif()
  endforeach()
  if(wrapper_can)
    set(library ${name}_sm${architecture})
    set(wrapper_folder ${generated}_sm${architecture})
    list(APPEND builds gpu_plain_sm${architecture} gpu_traced_sm${architecture})
    lanewise_annotated(${library}_kernels ${wrapper_file} ${architecture} ${wrapper_folder} "gpu_plain;gpu_traced"
      kernels.gpu_traced.cuh)
    add_library(${library} OBJECT ${wrapper_folder}/gpu_plain.cu ${wrapper_folder}/gpu_traced.cu)
    lanewise_traced_options(${wrapper_folder}/gpu_traced.cu)
    set_target_properties(${library} PROPERTIES CUDA_ARCHITECTURES "${wrapper_can}")
    target_link_libraries(${library} PRIVATE lanewise::launch lanewise_cuda_options)
    add_dependencies(${library} ${library}_kernels)
    list(APPEND gpu_only ${library})
  endif()
endmacro()

# The target `target`: the derived copies of one kernel file that are named at the end, and the wrappers of `builds`, in
# the folder `generated`. `architecture` is 0 for a file that is emulated too.
function(lanewise_annotated target kernels architecture generated builds)
  set(entries ${folder}/entries.inc)
  if(architecture)
    set(entries ${folder}/entries_sm${architecture}.inc)
  endif()
  list(TRANSFORM ARGN PREPEND ${generated}/ OUTPUT_VARIABLE outputs)
  list(GET outputs 0 first)
  list(APPEND outputs ${generated}/kernels.tables.inc ${generated}/kernels.includes.inc)
  foreach(build IN LISTS builds)
    if(build MATCHES "^gpu")
      list(APPEND outputs ${generated}/${build}.cu)
    else()
      list(APPEND outputs ${generated}/${build}.cpp)
    endif()
  endforeach()
  string(REPLACE ";" "," joined "${builds}")
  get_target_property(declarations lanewise_annotate LANEWISE_DECLARATIONS)
  add_custom_command(OUTPUT ${outputs}
    COMMAND lanewise_annotate copies --root ${PROJECT_SOURCE_DIR} --stand-ins ${LANEWISE_STAND_INS} --declarations ${declarations} --depfile ${first}.d
            --lesson ${name} --id ${id} --entries ${entries} --architecture ${architecture} --builds ${joined}
            ${folder}/${kernels} ${generated}
    DEPENDS ${folder}/${kernels} lanewise_annotate ${declarations} DEPFILE ${first}.d
    COMMENT "Annotating ${name}/${kernels}" VERBATIM)
  add_custom_target(${target} DEPENDS ${outputs})
  add_dependencies(${target} lanewise_declarations)
endfunction()

# A traced copy is looked at, never timed: with little optimization nvcc takes 5 s instead of 13 for lesson 05's.
macro(lanewise_traced_options file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-Xcicc=-O1;-Xptxas=-O1")
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
  lanewise_read_kernels(${folder} kernels.cuh kernels)
  lanewise_check_entries(${name} kernels.cuh entries.inc "${entries}" "${kernels}")
  file(GLOB gpu_files ${folder}/kernels_sm*.cuh)
  foreach(file IN LISTS gpu_files)
    cmake_path(GET file FILENAME file)
    string(REPLACE kernels entries entries_file "${file}")
    string(REPLACE .cuh .inc entries_file "${entries_file}")
    if(EXISTS ${folder}/${entries_file})  # else lanewise_gpu_only_kernels() says so
      file(STRINGS ${folder}/${entries_file} entries REGEX "^[ \t]*(WARP_)?ENTRY\\(")
      lanewise_read_kernels(${folder} ${file} kernels)
      if(entries MATCHES "WARP_ENTRY")
        message(FATAL_ERROR "lessons/${name}/${entries_file} has a WARP_ENTRY, but GPUs have no teaching warps: remove it.")
      endif()
      lanewise_check_entries(${name} ${file} ${entries_file} "${entries}" "${kernels}")
    endif()
  endforeach()
endfunction()

# The text of a kernel file, with that of the .cuh files beside it that it may include.
function(lanewise_read_kernels folder file result)
  file(READ ${folder}/${file} text)
  file(GLOB beside ${folder}/*.cuh)
  list(FILTER beside EXCLUDE REGEX "/kernels(_sm[0-9]+)?\\.cuh$")
  foreach(other IN LISTS beside)
    file(READ ${other} more)
    string(APPEND text "${more}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
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
