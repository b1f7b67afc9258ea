# Installs what is built into a folder, moves that, and runs a lesson from there: nothing may lead back to where it was
# built. In: BUILD, LESSON (its name), PROGRAM (as built), WINDOW (was it built with one?), COMPILER, SOURCE (for one
# test file), FOLDER (to work in).
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/written)
unset(ENV{DISPLAY})
unset(ENV{WAYLAND_DISPLAY})
unset(ENV{DESTDIR})

# run(OUT COMMAND…): fails the test where the command does.
function(run out)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER}/written
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}${errors}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

run(unused ${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/first)
file(RENAME ${FOLDER}/first ${FOLDER}/moved)
set(installed ${FOLDER}/moved/bin/${LESSON})

# A program without its tree must not fall back on the sources that it was built from.
file(COPY ${installed} DESTINATION ${FOLDER}/alone/bin)
execute_process(COMMAND ${FOLDER}/alone/bin/${LESSON} --list RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_QUIET)
if(status EQUAL 0 OR NOT errors MATCHES "alone/share/lanewise")
  message(FATAL_ERROR "Without share/lanewise the program ended with ${status} and said: ${errors}")
endif()

# What it says is what the built one says.
foreach(arguments IN ITEMS "--list" "--text" "--text;--backend;recorded" "--time;--backend;recorded" "--costs;--backend;recorded"
    "--check;--backend;cpu")
  run(here ${installed} ${arguments})
  run(there ${PROGRAM} ${arguments})
  if(NOT here STREQUAL there OR here STREQUAL "")
    message(FATAL_ERROR "${arguments} says\n${here}\nwhere installed, and\n${there}\nwhere built.")
  endif()
endforeach()

# What it writes: a page holds the kernel's source and the lesson's data.
set(exports page.html stage.svg values.csv)
foreach(file IN LISTS exports)
  run(unused ${installed} --export ${file})
endforeach()
file(READ ${FOLDER}/written/page.html page)
foreach(part IN ITEMS "__shfl_xor_sync" "<script>" "${LESSON}")
  string(FIND "${page}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "The page that the installed program exports has no ${part}.")
  endif()
endforeach()
# A kernel file of one's own is compiled with what was installed.
set(ENV{XDG_CACHE_HOME} ${FOLDER}/cache)
file(WRITE ${FOLDER}/written/own.cu "// run: k<<<1, 32>>>(out = zeros(32))\n__global__ void k(int* out) { out[threadIdx.x] = 3; }\n")
run(checked ${FOLDER}/moved/bin/check own.cu --expect "out == 3")
if(NOT checked MATCHES "clean for this run")
  message(FATAL_ERROR "The installed program says of a kernel file:\n${checked}")
endif()

if(WINDOW)
  run(unused ${installed} --screenshot picture.png)
  file(SIZE ${FOLDER}/written/picture.png size)
  if(size LESS 10000)
    message(FATAL_ERROR "The picture has ${size} bytes.")
  endif()
endif()

# A kernel file compiles for the emulator against the installed headers alone.
run(unused ${COMPILER} -std=c++20 -fsyntax-only -w -DCASE=0 -I${FOLDER}/moved/share/lanewise
  -I${FOLDER}/moved/share/lanewise-cuda-headers ${SOURCE})
file(REMOVE_RECURSE ${FOLDER})
