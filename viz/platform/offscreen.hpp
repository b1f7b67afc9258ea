// OpenGL without a display: an EGL context and a framebuffer to read back.
#pragma once

#include <memory>
#include <string>

#include "viz/platform/image.hpp"

namespace lanewise::viz {

class Offscreen {
public:
    // Makes a context current, whichever of Mesa's surfaceless platform, a GPU's own or the default gives one. Throws
    // Error saying what is missing.
    Offscreen(int width, int height);
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    Image read() const;      // what has been drawn
    void finish() const;     // waits until all that was asked for is drawn
    const std::string& renderer() const { return renderer_; }

private:
    struct State;
    std::unique_ptr<State> state_;
    std::string renderer_;
};

}  // namespace lanewise::viz
