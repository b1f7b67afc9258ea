# The target headers_alone, outside `all`: each header of common and viz compiled by itself, so that none leans on what
# is included before it (a library's files are compiled together, which would hide that).
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/common/*.hpp ${PROJECT_SOURCE_DIR}/viz/*.hpp)
# Those of the prelude stand before a kernel's text, each after the others.
list(FILTER headers EXCLUDE REGEX "^common/prelude/|^common/conformance/|^common/annotate/testing/")
if(NOT LANEWISE_WINDOW)
  list(FILTER headers EXCLUDE REGEX "^viz/")
endif()
set(sources)
foreach(header IN LISTS headers)
  set(source ${PROJECT_BINARY_DIR}/headers-alone/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n" @ONLY)
  list(APPEND sources ${source})
endforeach()
add_library(headers_alone OBJECT EXCLUDE_FROM_ALL ${sources})
target_compile_options(headers_alone PRIVATE -O0 -Wno-unused)
target_link_libraries(headers_alone PRIVATE Libclang::Libclang lanewise::cli lanewise::emu lanewise::gpu lanewise::measure fmt::fmt
  nlohmann_json::nlohmann_json)
if(LANEWISE_WINDOW)
  target_link_libraries(headers_alone PRIVATE lanewise::viz_app)
endif()
