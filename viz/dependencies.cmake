# lanewise_imgui: ImGui with its GLFW and OpenGL 3 backends, wherever this system keeps it (1.86 to 1.92).
option(LANEWISE_FETCH_IMGUI "Download ImGui when the system has none" OFF)

find_package(PkgConfig QUIET)
find_package(glfw3 3.3 REQUIRED)
find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)
find_package(Threads REQUIRED)
# pkg-config first: Debian's md4c package config names a program that is packaged apart.
if(PkgConfig_FOUND)
  pkg_check_modules(LANEWISE_MD4C QUIET IMPORTED_TARGET md4c)
endif()
add_library(lanewise_md4c INTERFACE)
if(TARGET PkgConfig::LANEWISE_MD4C)
  target_link_libraries(lanewise_md4c INTERFACE PkgConfig::LANEWISE_MD4C)
else()
  find_package(md4c CONFIG REQUIRED)
  target_link_libraries(lanewise_md4c INTERFACE md4c::md4c)
endif()

# stb: a library on Debian and Ubuntu, headers alone elsewhere (vcpkg); widgets/stb.cpp then holds the code.
add_library(lanewise_stb INTERFACE)
if(PkgConfig_FOUND)
  pkg_check_modules(LANEWISE_STB QUIET IMPORTED_TARGET stb)
endif()
if(TARGET PkgConfig::LANEWISE_STB)
  target_link_libraries(lanewise_stb INTERFACE PkgConfig::LANEWISE_STB)
else()
  find_path(LANEWISE_STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb REQUIRED)
  target_include_directories(lanewise_stb INTERFACE ${LANEWISE_STB_INCLUDE})
  target_compile_definitions(lanewise_stb INTERFACE LANEWISE_STB_HEADER_ONLY)
endif()

add_library(lanewise_imgui INTERFACE)
if(NOT LANEWISE_FETCH_IMGUI)
  find_package(imgui CONFIG QUIET)
  if(NOT TARGET imgui::imgui AND PkgConfig_FOUND)
    pkg_check_modules(LANEWISE_IMGUI QUIET IMPORTED_TARGET imgui)
  endif()
endif()
if(LANEWISE_FETCH_IMGUI)
  include(FetchContent)
  # No CMakeLists of its own: the sources are compiled here. FETCHCONTENT_SOURCE_DIR_IMGUI names a local copy.
  FetchContent_Declare(imgui
    GIT_REPOSITORY https://github.com/ocornut/imgui.git
    GIT_TAG d6cb3c923d28dcebb2d8d9605ccc7229ccef19eb)  # v1.90.1
  FetchContent_GetProperties(imgui)
  if(NOT imgui_POPULATED)
    FetchContent_Populate(imgui)
  endif()
  add_library(lanewise_fetched_imgui STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
  target_include_directories(lanewise_fetched_imgui SYSTEM PUBLIC ${imgui_SOURCE_DIR})
  target_link_libraries(lanewise_fetched_imgui PUBLIC glfw)
  target_link_libraries(lanewise_imgui INTERFACE lanewise_fetched_imgui)
elseif(TARGET imgui::imgui)
  target_link_libraries(lanewise_imgui INTERFACE imgui::imgui)
elseif(TARGET PkgConfig::LANEWISE_IMGUI)
  target_link_libraries(lanewise_imgui INTERFACE PkgConfig::LANEWISE_IMGUI)
else()
  message(FATAL_ERROR "ImGui was not found: install libimgui-dev (Debian, Ubuntu), or set -DLANEWISE_FETCH_IMGUI=ON to "
    "download it, or -DLANEWISE_WINDOW=OFF to build without a window")
endif()
# Debian's imgui.pc leaves out what libimgui.a itself needs.
target_link_libraries(lanewise_imgui INTERFACE lanewise_stb glfw OpenGL::OpenGL ${CMAKE_DL_LIBS})
