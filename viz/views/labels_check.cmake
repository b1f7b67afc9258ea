# Saves a trace of every variant that a lesson lists, as the emulator runs it, and looks at what the stage writes.
#   cmake -DLESSON=program -DCHECK=labels_check -DFOLDER=… -P labels_check.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${LESSON} --list OUTPUT_VARIABLE list RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${LESSON} --list ended with ${status}")
endif()
string(REGEX REPLACE "^[^\n]*\n" "" list "${list}")   # the heading
string(REGEX MATCHALL "(^|\n)[a-z][A-Za-z0-9_]*" names "\n${list}")
set(traces)
foreach(name ${names})
  string(STRIP "${name}" name)
  execute_process(COMMAND ${LESSON} --backend cpu --variant ${name} --save-trace ${FOLDER}/${name}.ndjson
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  # Variants that only a GPU runs have no trace here.
  if(EXISTS ${FOLDER}/${name}.ndjson)
    list(APPEND traces ${FOLDER}/${name}.ndjson)
  endif()
endforeach()
if(NOT traces)
  message(FATAL_ERROR "${LESSON} saved no trace of: ${names}")
endif()
execute_process(COMMAND ${CHECK} ${traces} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "labels_check ended with ${status}")
endif()
