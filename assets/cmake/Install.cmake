# `cmake --install build --prefix FOLDER`: what has been built, and what it reads, as a tree that may be moved.
#
#   bin/NN_name                    lessons
#   bin/check                      what runs a kernel file of one's own, and libexec/lanewise what it reads that with
#   share/lanewise/lessons/…       their texts and kernels
#   share/lanewise/assets/…        recordings
#   share/lanewise/common/…        headers that compile a kernel file for the emulator,
#   share/lanewise-cuda-headers    and those that stand in for the CUDA toolkit's
#
# A program finds all of it from where it lies itself (common/base/data_folder.hpp). A build has the same layout: its
# programs lie in lessons/, and share/lanewise/lessons is a link to the sources.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/lanewise)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/lessons ${PROJECT_BINARY_DIR}/share/lanewise/lessons SYMBOLIC)

install(DIRECTORY assets/recorded DESTINATION share/lanewise/assets)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/lanewise-cuda-headers DESTINATION share)
install(DIRECTORY common/prelude DESTINATION share/lanewise/common
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "*.inc" PATTERN "*.h")
foreach(header IN ITEMS base/element.hpp base/element_of.hpp base/warp.hpp launch/kernel_exports.hpp launch/library_exports.hpp
        trace/op.hpp trace/trace.hpp)  # that the prelude includes
  cmake_path(GET header PARENT_PATH folder)
  install(FILES common/${header} DESTINATION share/lanewise/common/${folder})
endforeach()

install(PROGRAMS $<TARGET_FILE:lanewise_annotate> DESTINATION libexec/lanewise OPTIONAL)

# lanewise_install_lesson(NAME FOLDER): a lesson that has not been built is left out.
function(lanewise_install_lesson name folder)
  install(PROGRAMS $<TARGET_FILE:${name}> DESTINATION bin OPTIONAL)
  install(DIRECTORY ${folder}/ DESTINATION share/lanewise/lessons/${name}
    FILES_MATCHING PATTERN "emulated" EXCLUDE PATTERN "*.md" PATTERN "*.cuh" PATTERN "entries*.inc")
endfunction()
