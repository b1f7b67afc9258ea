#include "viz/app/window/window.hpp"

#if __has_include(<backends/imgui_impl_glfw.h>)
#include <backends/imgui_impl_glfw.h>
#else
#include <imgui_impl_glfw.h>
#endif
#define GLFW_INCLUDE_NONE
#include <GL/gl.h>
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "viz/app/app.hpp"
#include "viz/platform/drivers.hpp"
#include "viz/platform/gui.hpp"

namespace lanewise::viz {
namespace {

std::string glfw_reason() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason was given";
}

struct Library {
    Library() {
        if (!glfwInit()) throw NoDisplay("There is no display to open a window on (" + glfw_reason() + ").");
    }
    ~Library() {
        if (kUnloadDrivers) glfwTerminate();
    }
};

struct Window {
    GLFWwindow* handle = nullptr;

    Window(int width, int height, const std::string& title) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
        handle = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
        if (!handle) throw NoDisplay("A window with OpenGL 3.2 could not be opened (" + glfw_reason() + ").");
        glfwMakeContextCurrent(handle);
        glfwSwapInterval(1);
    }
    ~Window() { glfwDestroyWindow(handle); }

    // No larger than the screen: for a size that was not asked for.
    void fit_screen() const {
        GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
        if (!monitor) return;
        int x = 0, y = 0, most_width = 0, most_height = 0, width = 0, height = 0;
        glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
        glfwGetWindowSize(handle, &width, &height);
        if (most_width <= 0 || most_height <= 0 || (width <= most_width && height <= most_height)) return;
        glfwSetWindowSize(handle, std::min(width, most_width), std::min(height, most_height));
    }

    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
};

Key key_of(int glfw_key) {
    switch (glfw_key) {
        case GLFW_KEY_SPACE: return Key::space;
        case GLFW_KEY_TAB: return Key::tab;
        case GLFW_KEY_LEFT: return Key::left;
        case GLFW_KEY_RIGHT: return Key::right;
        case GLFW_KEY_UP: return Key::up;
        case GLFW_KEY_DOWN: return Key::down;
        case GLFW_KEY_HOME: return Key::home;
        case GLFW_KEY_END: return Key::end;
        case GLFW_KEY_PAGE_UP: return Key::page_up;
        case GLFW_KEY_PAGE_DOWN: return Key::page_down;
        case GLFW_KEY_ESCAPE: return Key::escape;
        case GLFW_KEY_ENTER:
        case GLFW_KEY_KP_ENTER: return Key::enter;
        case GLFW_KEY_F10: return Key::f10;
        case GLFW_KEY_BACKSPACE: return Key::backspace;
        case GLFW_KEY_F1: return letter('?');
        default: break;
    }
    if (glfw_key >= GLFW_KEY_1 && glfw_key <= GLFW_KEY_9) return letter(static_cast<char>('1' + glfw_key - GLFW_KEY_1));
    return Key::none;
}

// The window's side of the application: what GLFW's callbacks reach through the window's user pointer.
struct Stage {
    App* app = nullptr;
    int frames_owed = 3;   // ImGui settles its layout over a few frames after each event

    void wake() { frames_owed = 3; }
};

Stage& stage_of(GLFWwindow* window) { return *static_cast<Stage*>(glfwGetWindowUserPointer(window)); }

// Which way Ctrl with this key changes the size of everything; by what is on the key: "+" lies elsewhere on each
// keyboard.
std::optional<int> enlarging(int key, int scancode) {
    if (key == GLFW_KEY_KP_ADD) return 1;
    if (key == GLFW_KEY_KP_SUBTRACT) return -1;
    if (key == GLFW_KEY_KP_0 || key == GLFW_KEY_0) return 0;
    const char* name = glfwGetKeyName(key, scancode);
    if (!name) return std::nullopt;
    if (*name == '+' || *name == '=') return 1;
    if (*name == '-') return -1;
    return std::nullopt;
}

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    Stage& stage = stage_of(window);
    stage.wake();
    // Actions of the window itself: they work while a text is typed, too.
    if (action != GLFW_RELEASE && (mods & GLFW_MOD_CONTROL))
        if (const auto direction = enlarging(key, scancode)) stage.app->enlarge(*direction);
    if (action == GLFW_PRESS && (mods & GLFW_MOD_CONTROL) && (key == GLFW_KEY_Q || key == GLFW_KEY_W)) {
        glfwSetWindowShouldClose(window, GLFW_TRUE);
    }
    const char* name = glfwGetKeyName(key, scancode);
    if (action == GLFW_PRESS && (mods & GLFW_MOD_CONTROL) && name && *name == 'z') stage.app->press(letter(','));
    if (action == GLFW_RELEASE || (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER))) return;
    const bool shift = (mods & GLFW_MOD_SHIFT) != 0;
    const Key meant = key_of(key);
    if (meant != Key::none) stage.app->press(meant, shift);
}

// Letters and signs go by what is typed, not by where the key lies: that differs between keyboards.
void on_character(GLFWwindow* window, unsigned int code) {
    Stage& stage = stage_of(window);
    stage.wake();
    if (code >= 'a' && code <= 'z') stage.app->press(static_cast<Key>(code - 'a' + 'A'));
    else if (code >= 'A' && code <= 'Z') stage.app->press(static_cast<Key>(code), true);
    else if (code == '?' || code == '+' || code == '-' || code == '.' || code == '/' || code == ',' || code == '#')
        stage.app->press(static_cast<Key>(code));
    else if (code == '=') stage.app->press(letter('+'));
    else if (code == ';' || code == ':') stage.app->press(letter(';'), code == ':');
}

// Ours first; ImGui_ImplGlfw_InitForOpenGL(window, true) then chains to what it finds.
void install_callbacks(GLFWwindow* window, Stage& stage) {
    glfwSetWindowUserPointer(window, &stage);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { stage_of(w).wake(); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { stage_of(w).wake(); });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { stage_of(w).wake(); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { stage_of(w).wake(); });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { stage_of(w).wake(); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { stage_of(w).wake(); });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        stage_of(w).wake();
        for (int i = 0; i < count; ++i) stage_of(w).app->open_file(paths[i]);
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { stage_of(w).wake(); });
}

// The monitor's, in pixels of the framebuffer; ImGui's coordinates are those of the window.
float scale_of(GLFWwindow* window, float asked) {
    if (asked > 0) return asked;
    float x = 1, y = 1;
    glfwGetWindowContentScale(window, &x, &y);
    int width = 0, pixels = 0, unused = 0;
    glfwGetWindowSize(window, &width, &unused);
    glfwGetFramebufferSize(window, &pixels, &unused);
    // Where the system itself scales the window (macOS, Wayland), its coordinates are already large.
    const float own = width > 0 && pixels > 0 ? static_cast<float>(pixels) / static_cast<float>(width) : 1.0f;
    return std::clamp(x / own, 1.0f, 4.0f);
}

void draw_frame(GLFWwindow* window, const Gui& gui, App& app, float seconds) {
    int width = 0, height = 0, pixels_x = 0, pixels_y = 0;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &pixels_x, &pixels_y);
    if (pixels_x <= 0 || pixels_y <= 0 || width <= 0 || height <= 0) return;   // minimised, or resized to nothing
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    app.frame(gui.look(app.theme()), {0, 0, static_cast<float>(width), static_cast<float>(height)}, seconds);
    ImGui::Render();
    glViewport(0, 0, pixels_x, pixels_y);
    gui.draw(app.theme());
    glfwSwapBuffers(window);
}

// For viz/bench/change_bench.sh: when a frame was there, what it took, and which run it shows.
struct FrameTimes {
    timespec at{}, spent{}, all{};   // the time of day; the processor's, of this thread and of the program
    static FrameTimes now() {
        FrameTimes times;
        clock_gettime(CLOCK_REALTIME, &times.at);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &times.spent);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &times.all);
        return times;
    }
};

void print_frame(const App& app, const FrameTimes& began) {
    const FrameTimes ended = FrameTimes::now();
    const auto ms = [](const timespec& from, const timespec& to) {
        return 1e3 * static_cast<double>(to.tv_sec - from.tv_sec) +
               1e-6 * static_cast<double>(to.tv_nsec - from.tv_nsec);
    };
    std::printf("frame %lld.%03ld %.2f %.2f %.2f %.2f %p %s\n", static_cast<long long>(ended.at.tv_sec),
                ended.at.tv_nsec / 1'000'000, ms(began.at, ended.at), ms(began.spent, ended.spent), ms({}, began.all),
                ms({}, ended.all), static_cast<const void*>(app.run_shown().get()), app.state().c_str());
    std::fflush(stdout);
}

bool can_be_seen(GLFWwindow* window) {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    return width > 0 && height > 0 && !glfwGetWindowAttrib(window, GLFW_ICONIFIED);
}

// The learner's choices: written a moment after one changed, and at the end.
class Keeper {
public:
    Keeper() : file_(SettingsFile::usual_path()), kept_(file_.load()) {}

    const Settings& settings() const { return kept_; }
    bool waits() const { return waits_; }

    // `with_size`: the window's size is the learner's choice, not the command line's.
    void look_at(GLFWwindow* window, App& app, bool with_size) {
        Settings now = app.settings();
        now.width = kept_.width;
        now.height = kept_.height;
        if (with_size && !glfwGetWindowAttrib(window, GLFW_MAXIMIZED) && can_be_seen(window))
            glfwGetWindowSize(window, &now.width, &now.height);
        if (now == kept_) return;
        kept_ = now;
        waits_ = true;
        changed_ = glfwGetTime();
    }

    // Says what went wrong, on the screen and in the terminal.
    void keep(App& app, bool at_once) {
        if (waits_ && (at_once || glfwGetTime() - changed_ > kPatience)) {
            file_.save(kept_);
            waits_ = false;
        }
        const std::string notice = file_.notice();
        if (notice.empty()) return;
        std::fprintf(stderr, "%s\n", notice.c_str());
        app.notify(notice);
    }

    static constexpr double kPatience = 0.7;   // seconds: an edge that is dragged is written once

private:
    SettingsFile file_;
    Settings kept_;
    bool waits_ = false;
    double changed_ = 0;
};

struct GlfwBackend {
    explicit GlfwBackend(GLFWwindow* window) { ImGui_ImplGlfw_InitForOpenGL(window, true); }
    ~GlfwBackend() { ImGui_ImplGlfw_Shutdown(); }
};

}  // namespace

void run_window(const run::Presentation& presentation, const run::WindowRequest& request) {
    Keeper keeper;
    const Settings& settings = keeper.settings();
    const auto scaled = [](float monitor, float larger) { return std::clamp(monitor * larger, 0.5f, 6.0f); };
    // Most monitors' scale is 1; the window reports the real one.
    FontsAhead fonts(scaled(request.scale > 0 ? request.scale : 1, settings.larger));
    const Library library;
    const bool sized = !request.has_size && settings.width > 0;
    const Window window(sized ? settings.width : request.width, sized ? settings.height : request.height,
                        "Lanewise · " + presentation.title);
    if (!request.has_size) window.fit_screen();
    // The first run starts while fonts and shaders are made ready.
    App app(presentation, request, [] { glfwPostEmptyEvent(); }, settings);
    app.keep_answers(player::AnswerFile::usual_path());
    Stage stage{&app};
    install_callbacks(window.handle, stage);
    Gui gui(scaled(scale_of(window.handle, request.scale), app.larger()), fonts);
    const GlfwBackend backend(window.handle);

    const char* asked = std::getenv("LANEWISE_PRINT_STATE");   // by tests
    const bool prints = asked && std::string(asked) == "1", times_frames = asked && std::string(asked) == "frames";
    if (times_frames) std::printf("drawn by %s\n", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    std::string title, edited;
    double last = glfwGetTime();
    while (!glfwWindowShouldClose(window.handle) && !app.closing()) {
        // Nothing moves and no key waits: sleep. A run that ends posts an event.
        const bool seen = can_be_seen(window.handle);
        if (seen && (stage.frames_owed > 0 || app.needs_frame())) {
            glfwPollEvents();
        } else {
            if (keeper.waits()) glfwWaitEventsTimeout(Keeper::kPatience);
            else glfwWaitEvents();
            stage.wake();
            last = glfwGetTime();
        }
        gui.fit(scaled(scale_of(window.handle, request.scale), app.larger()), app.outside_text());
        const double now = glfwGetTime();
        const FrameTimes began = FrameTimes::now();
        draw_frame(window.handle, gui, app, static_cast<float>(now - last));
        if (times_frames) print_frame(app, began);
        last = now;
        if (stage.frames_owed > 0) --stage.frames_owed;
        keeper.look_at(window.handle, app, !request.has_size);
        keeper.keep(app, false);
        if (prints && app.edit_state() != edited) {
            edited = app.edit_state();
            std::printf("%s\n", edited.c_str());
            std::fflush(stdout);
        }
        if (app.title() != title) {
            title = app.title();
            glfwSetWindowTitle(window.handle, title.c_str());
        }
    }
    keeper.look_at(window.handle, app, !request.has_size);
    keeper.keep(app, true);
    if (prints) std::printf("%s\n", app.state().c_str());
}

}  // namespace lanewise::viz
