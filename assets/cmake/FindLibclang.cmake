# libclang's C interface, as the target Libclang::Libclang: Debian's and Ubuntu's libclang-dev, or what llvm-config
# names.
find_program(LANEWISE_LLVM_CONFIG NAMES llvm-config llvm-config-20 llvm-config-19 llvm-config-18 llvm-config-17
  llvm-config-16 llvm-config-15 llvm-config-14)
set(Libclang_PLACES)
if(LANEWISE_LLVM_CONFIG)
  execute_process(COMMAND ${LANEWISE_LLVM_CONFIG} --prefix OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET)
  list(APPEND Libclang_PLACES ${prefix})
endif()
# Each version has a folder of its own; the newest first.
file(GLOB versions /usr/lib/llvm-*)
list(SORT versions COMPARE NATURAL ORDER DESCENDING)
list(APPEND Libclang_PLACES ${versions})
find_path(Libclang_INCLUDE_DIR clang-c/Index.h HINTS ${Libclang_PLACES} PATH_SUFFIXES include)
if(Libclang_INCLUDE_DIR)
  cmake_path(GET Libclang_INCLUDE_DIR PARENT_PATH prefix)
  list(PREPEND Libclang_PLACES ${prefix})  # the library of these headers
endif()
find_library(Libclang_LIBRARY NAMES clang libclang HINTS ${Libclang_PLACES} PATH_SUFFIXES lib lib64)
mark_as_advanced(LANEWISE_LLVM_CONFIG Libclang_INCLUDE_DIR Libclang_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libclang REQUIRED_VARS Libclang_LIBRARY Libclang_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "the annotator reads kernel files with it: sudo apt-get install libclang-dev")
if(Libclang_FOUND AND NOT TARGET Libclang::Libclang)
  add_library(Libclang::Libclang UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Libclang::Libclang PROPERTIES
    IMPORTED_LOCATION ${Libclang_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Libclang_INCLUDE_DIR})
endif()
