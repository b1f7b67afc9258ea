// Lets the stage come out of its picture a step ago: rows and bands move from where they stood.
#pragma once

#include <memory>
#include <vector>

#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {

class StageMotion {
public:
    // Once a frame, with the scene where it comes to rest; `progress` 0…1 of the way there. Another run, another warp
    // or lanes of another width are there at once.
    void ease(Scene& scene, const std::shared_ptr<const run::Run>& run, float progress);

    // Was the step before this one a later one?
    bool goes_back() const { return back_; }

private:
    struct Place {
        std::size_t step;
        float y0, y1;
    };
    std::vector<Place> from_;    // when the step changed
    std::vector<Place> drawn_;   // in the last frame
    std::shared_ptr<const run::Run> run_;
    WarpRef warp_;
    float cell_ = 0;
    std::size_t step_ = kNoStep;
    bool back_ = false;
};

}  // namespace lanewise::viz
