#include "viz/platform/offscreen.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/error.hpp"
#include "viz/platform/drivers.hpp"

namespace lanewise::viz {
namespace {

template <class Function>
Function egl_function(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

bool has_extension(const char* all, const char* one) { return all && std::strstr(all, one) != nullptr; }

}  // namespace

struct OffscreenConnection {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;   // a pbuffer of one pixel where a context needs a surface

    bool open(EGLDisplay candidate) {
        EGLint major = 0, minor = 0;
        if (candidate == EGL_NO_DISPLAY || !eglInitialize(candidate, &major, &minor)) return false;
        display = candidate;
        if (make_context()) return true;
        close();
        return false;
    }

    bool make_context() {
        if (!eglBindAPI(EGL_OPENGL_API)) return false;
        const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        // Prefer a context without any surface; a pbuffer's config else.
        for (const EGLint surface_type : {0, EGL_PBUFFER_BIT}) {
            const EGLint wanted[] = {EGL_SURFACE_TYPE, surface_type, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
            EGLConfig config = nullptr;
            EGLint count = 0;
            if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) continue;
            context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
            if (context == EGL_NO_CONTEXT) continue;
            if (surface_type == EGL_PBUFFER_BIT) {
                const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
                surface = eglCreatePbufferSurface(display, config, size);
            }
            if (eglMakeCurrent(display, surface, surface, context)) return true;
            release();
        }
        return false;
    }

    void release() {
        if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        surface = EGL_NO_SURFACE;
        context = EGL_NO_CONTEXT;
    }

    void close() {
        if (display == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        release();
        if (kUnloadDrivers) eglTerminate(display);
        display = EGL_NO_DISPLAY;
    }
};

namespace {

bool open_any(OffscreenConnection& connection) {
    const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const auto platform_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (platform_display && has_extension(client, "EGL_MESA_platform_surfaceless")) {
        if (connection.open(platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr))) return true;
    }
    const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    if (platform_display && query_devices && has_extension(client, "EGL_EXT_platform_device")) {
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count)) {
            for (EGLint i = 0; i < count; ++i) {
                if (connection.open(
                        platform_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr)))
                    return true;
            }
        }
    }
    return connection.open(eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

}  // namespace

struct Offscreen::State {
    OffscreenConnection connection;
    GLuint framebuffer = 0;
    GLuint color = 0;
    int width = 0;
    int height = 0;

    ~State() { connection.close(); }
};

Offscreen::Offscreen(int width, int height) : state_(std::make_unique<State>()) {
    state_->width = width;
    state_->height = height;
    if (!open_any(state_->connection)) {
        throw Error("No OpenGL 3.2 could be opened for the picture; install Mesa's software renderer "
                    "(libegl1 and libgl1-mesa-dri on Debian and Ubuntu) or a GPU driver with EGL.");
    }
    renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width > largest || height > largest) {
        throw Error("A picture of " + std::to_string(width) + "x" + std::to_string(height) + " is more than " +
                    renderer_ + " can draw; the largest is " + std::to_string(largest) + "x" + std::to_string(largest) +
                    ".");
    }
    glGenTextures(1, &state_->color);
    glBindTexture(GL_TEXTURE_2D, state_->color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    egl_function<PFNGLGENFRAMEBUFFERSPROC>("glGenFramebuffers")(1, &state_->framebuffer);
    egl_function<PFNGLBINDFRAMEBUFFERPROC>("glBindFramebuffer")(GL_FRAMEBUFFER, state_->framebuffer);
    egl_function<PFNGLFRAMEBUFFERTEXTURE2DPROC>("glFramebufferTexture2D")(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                                                          GL_TEXTURE_2D, state_->color, 0);
    const GLenum status = egl_function<PFNGLCHECKFRAMEBUFFERSTATUSPROC>("glCheckFramebufferStatus")(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        throw Error("A picture of " + std::to_string(width) + "x" + std::to_string(height) +
                    " could not be set up on " + renderer_ + "; ask for a smaller one with --size.");
    }
    glViewport(0, 0, width, height);
}

Offscreen::~Offscreen() = default;

void Offscreen::finish() const { glFinish(); }

// Through a pixel buffer, in the framebuffer's own format. Read straight into memory as RGB, a picture of 1600x900 took
// 20 s on an H200 (driver 580) once CUDA had a context in the same process; like this the whole run takes 0.5 s.
Image Offscreen::read() const {
    Image image{state_->width, state_->height, {}};
    const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
    const std::size_t bytes = width * height * 4;
    const auto bind = egl_function<PFNGLBINDBUFFERPROC>("glBindBuffer");
    GLuint buffer = 0;
    egl_function<PFNGLGENBUFFERSPROC>("glGenBuffers")(1, &buffer);
    bind(GL_PIXEL_PACK_BUFFER, buffer);
    egl_function<PFNGLBUFFERDATAPROC>("glBufferData")(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr,
                                                      GL_STREAM_READ);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    std::vector<std::uint8_t> upside_down(bytes);
    egl_function<PFNGLGETBUFFERSUBDATAPROC>("glGetBufferSubData")(GL_PIXEL_PACK_BUFFER, 0,
                                                                  static_cast<GLsizeiptr>(bytes), upside_down.data());
    bind(GL_PIXEL_PACK_BUFFER, 0);
    egl_function<PFNGLDELETEBUFFERSPROC>("glDeleteBuffers")(1, &buffer);
    image.rgb.reserve(width * height * 3);
    for (std::size_t y = height; y-- > 0;)
        for (std::size_t x = 0; x < width; ++x) {
            const auto pixel = upside_down.begin() + static_cast<std::ptrdiff_t>((y * width + x) * 4);
            image.rgb.insert(image.rgb.end(), pixel, pixel + 3);
        }
    return image;
}

}  // namespace lanewise::viz
