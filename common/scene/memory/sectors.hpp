// Which sectors of global memory are worth showing at a step, and how they are set in rows. Plain data, no ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"
#include "common/scene/memory/requests.hpp"

namespace lanewise::scene {

inline constexpr int kSectorsPerRow = 4;   // 128 bytes: 32 words of four bytes

// Four sectors next to each other; -1: none.
using SectorRow = std::array<std::int64_t, kSectorsPerRow>;

struct SectorWindow {
    std::uint32_t array = 0;
    // Each row holds touched sectors as they come, with other memory between them; else each row is 128 bytes in a row.
    bool packed = false;
    std::vector<SectorRow> rows;       // ascending; not necessarily without gaps
    std::size_t left_out = 0;          // touched sectors that found no room
    std::vector<std::int64_t> sectors() const;
};

// The global memory that one warp and its block use in a run; made once for a run and a warp.
class GlobalUse {
public:
    GlobalUse(const steps::Steps& steps, const WarpRef& warp);

    bool empty() const { return arrays_.empty(); }
    // The array to show at a step: one that the warp touches in it, or its block; else where the block keeps its
    // values; else the one touched last.
    std::optional<std::uint32_t> array_at(std::size_t step) const;
    // An array that the block both reads and writes is shown as a whole, where it fits; of others what is asked for at
    // the step, or was before it, with what the block's other warps ask for as far as it fits.
    SectorWindow window(std::size_t step, std::uint32_t array, std::size_t most_rows) const;
    // The most rows that the warp's own requests need at any step.
    std::size_t rows(std::size_t most_rows) const;
    // The step that touches the array: `step` itself, or the last before it, or the first after it; kNoStep if none.
    std::size_t touched_at(std::size_t step, std::uint32_t array) const;

private:
    struct Touch {
        std::size_t step;
        bool own;                            // of the chosen warp; else of others in its block
        std::vector<std::int64_t> sectors;   // ascending
    };
    struct ArrayUse {
        bool read = false;
        bool written = false;
        bool imaged = false;
        std::vector<std::int64_t> sectors;   // of the block in the whole run, ascending
        std::vector<Touch> touches;          // by step, the warp's own first
    };

    void add_image(const steps::Steps& steps, std::uint32_t array, std::uint64_t first, std::size_t count);
    SectorWindow window_of(std::uint32_t array, const ArrayUse& use, const Touch* touch, std::size_t most_rows) const;
    const Touch* touch_near(std::size_t step, const ArrayUse& use) const;

    std::map<std::uint32_t, ArrayUse> arrays_;
};

}  // namespace lanewise::scene
