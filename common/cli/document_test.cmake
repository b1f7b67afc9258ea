# Runs the commands of a document that call a lesson: every line of its ```sh blocks that begins with
# "./lessons/run LESSON ARGUMENT…". In: DOCUMENT, PROGRAM (the lesson's), LESSON (its name), RECORDED
# (assets/recorded), WINDOW (was the program built with one?).
#
# The program runs as ./lessons/run would run it, without a display and away from the sources, so that nothing it
# writes lands among them.
file(READ ${DOCUMENT} text)
string(REPLACE ";" "," text "${text}")  # a semicolon would split a line in two
string(REGEX REPLACE "[][]" "" text "${text}")  # and brackets would join lines
string(REPLACE "\n" ";" lines "${text}")
file(GLOB timings ${RECORDED}/*/${LESSON}/timings.json)
file(GLOB costs ${RECORDED}/*/costs.json)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/document-test-${LESSON})
file(MAKE_DIRECTORY ${folder})
set(inside FALSE)
set(count 0)
unset(ENV{DISPLAY})
unset(ENV{WAYLAND_DISPLAY})
foreach(line IN LISTS lines)
  if(line MATCHES "^```")
    if(line STREQUAL "```sh")
      set(inside TRUE)
    else()
      set(inside FALSE)
    endif()
  elseif(inside AND line MATCHES "^\\./lessons/run ([^ -][^ ]*)( .*)$")
    string(REGEX REPLACE " *#.*$" "" arguments "${CMAKE_MATCH_2}")
    if((arguments MATCHES "--time" AND NOT timings) OR (arguments MATCHES "--costs" AND NOT costs))
      message(STATUS "not run, nothing is recorded yet: ${line}")
      continue()
    endif()
    if(arguments MATCHES "--screenshot" AND NOT WINDOW)
      message(STATUS "not run, built without a window: ${line}")
      continue()
    endif()
    separate_arguments(arguments UNIX_COMMAND "${arguments}")
    execute_process(COMMAND ${PROGRAM} ${arguments} WORKING_DIRECTORY ${folder}
      RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${DOCUMENT} says\n  ${line}\nand that ended with ${status}:\n${output}")
    endif()
    math(EXPR count "${count} + 1")
  endif()
endforeach()
message(STATUS "${count} commands of ${DOCUMENT} ran")
