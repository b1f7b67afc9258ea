#include "common/scene/memory/sectors.hpp"

#include <algorithm>

#include "common/base/memory_units.hpp"
#include "common/scene/memory/records.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

using Sectors = std::vector<std::int64_t>;

void join(Sectors& into, const Sectors& more) {
    Sectors all;
    std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
    into = std::move(all);
}

// The rows that hold these sectors.
Sectors rows_of(const Sectors& sectors) {
    Sectors rows;
    for (const std::int64_t sector : sectors) {
        const std::int64_t row = sector / kSectorsPerRow;
        if (rows.empty() || rows.back() != row) rows.push_back(row);
    }
    return rows;
}

SectorRow whole_row(std::int64_t row) {
    SectorRow sectors;
    for (int i = 0; i < kSectorsPerRow; ++i) sectors[static_cast<std::size_t>(i)] = row * kSectorsPerRow + i;
    return sectors;
}

}  // namespace

Sectors SectorWindow::sectors() const {
    Sectors all;
    for (const SectorRow& row : rows) {
        for (const std::int64_t sector : row) {
            if (sector >= 0) all.push_back(sector);
        }
    }
    return all;
}

GlobalUse::GlobalUse(const steps::Steps& steps, const WarpRef& warp) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            if (part.warp.launch != warp.launch || part.warp.block != warp.block) continue;
            for (const std::size_t number : part.records) {
                const trace::Record& record = steps.trace->records[number];
                for (const trace::ArrayImage& each : record.shared)
                    add_image(steps, each.array, each.first, each.values.size());
                if (!touches_memory(record) || record.active == 0 || record.array >= steps.trace->arrays.size())
                    continue;
                if (steps.trace->arrays[record.array].space != Space::global) continue;
                ArrayUse& use = arrays_[record.array];
                (record.op == trace::Op::load ? use.read : use.written) = true;
                const Sectors sectors = steps::sectors_of(*steps.trace, record);
                use.sectors.insert(use.sectors.end(), sectors.begin(), sectors.end());
                const bool own = part.warp == warp;
                Touch* same = nullptr;
                for (auto touch = use.touches.rbegin(); touch != use.touches.rend() && touch->step == k; ++touch) {
                    if (touch->own == own) same = &*touch;
                }
                if (same) join(same->sectors, sectors);
                else use.touches.push_back({k, own, sectors});
            }
        }
    }
    for (auto& [array, use] : arrays_) {
        std::sort(use.sectors.begin(), use.sectors.end());
        use.sectors.erase(std::unique(use.sectors.begin(), use.sectors.end()), use.sectors.end());
        std::stable_sort(use.touches.begin(), use.touches.end(), [](const Touch& a, const Touch& b) {
            return a.step != b.step ? a.step < b.step : a.own && !b.own;
        });
    }
}

void GlobalUse::add_image(const steps::Steps& steps, std::uint32_t number, std::uint64_t first, std::size_t count) {
    if (number >= steps.trace->arrays.size() || count == 0) return;
    const trace::Array& array = steps.trace->arrays[number];
    if (array.space != Space::global) return;
    ArrayUse& use = arrays_[number];
    use.imaged = true;
    const auto size = static_cast<std::uint64_t>(element_size(array.element));
    const std::uint64_t last = (first + count - 1) * size / kSectorBytes;
    for (std::uint64_t s = first * size / kSectorBytes; s <= last; ++s)
        use.sectors.push_back(static_cast<std::int64_t>(s));
}

const GlobalUse::Touch* GlobalUse::touch_near(std::size_t step, const ArrayUse& use) const {
    // The warp's own come first, then those of others in its block.
    for (const bool own : {true, false}) {
        const Touch* found = nullptr;
        for (const Touch& touch : use.touches) {
            if (own && !touch.own) continue;
            if (!found || touch.step <= step) found = &touch;
            if (touch.step == step) return found;
        }
        if (found) return found;
    }
    return nullptr;
}

std::size_t GlobalUse::touched_at(std::size_t step, std::uint32_t array) const {
    const auto use = arrays_.find(array);
    if (use == arrays_.end()) return kNoStep;
    const Touch* touch = touch_near(step, use->second);
    return touch ? touch->step : kNoStep;
}

std::optional<std::uint32_t> GlobalUse::array_at(std::size_t step) const {
    const auto keeps = [](const ArrayUse& use) { return use.imaged || (use.read && use.written); };
    for (const bool own : {true, false}) {
        std::optional<std::uint32_t> found;
        for (const auto& [array, use] : arrays_) {
            const bool now = std::any_of(use.touches.begin(), use.touches.end(),
                                         [&](const Touch& touch) { return touch.step == step && (touch.own || !own); });
            if (now && (!found || keeps(use))) found = array;
        }
        if (found) return found;
    }
    for (const auto& [array, use] : arrays_) {
        if (keeps(use)) return array;
    }
    std::optional<std::uint32_t> found;
    std::size_t last = 0;
    for (const auto& [array, use] : arrays_) {
        const Touch* touch = touch_near(step, use);
        if (!touch) continue;
        if (!found || (touch->step <= step && touch->step >= last)) {
            found = array;
            last = touch->step;
        }
    }
    return found;
}

SectorWindow GlobalUse::window(std::size_t step, std::uint32_t array, std::size_t most_rows) const {
    const auto at = arrays_.find(array);
    if (at == arrays_.end()) return {array, false, {}, 0};
    const ArrayUse& use = at->second;
    const Touch* touch = touch_near(step, use);
    const SectorWindow window = window_of(array, use, touch, most_rows);
    if (!touch || window.packed || window.rows.size() >= most_rows) return window;
    // Where there is room, the block's other warps as well.
    Touch all = *touch;
    for (const Touch& other : use.touches) {
        if (other.step == touch->step) join(all.sectors, other.sectors);
    }
    SectorWindow wider = window_of(array, use, &all, most_rows);
    return wider.packed ? window : wider;
}

SectorWindow GlobalUse::window_of(std::uint32_t array, const ArrayUse& use, const Touch* touch,
                                  std::size_t most_rows) const {
    SectorWindow window;
    window.array = array;
    const Sectors& asked = touch ? touch->sectors : use.sectors;
    if (asked.empty() || most_rows == 0) return window;
    const auto fits = [&](const Sectors& sectors) {
        return sectors.back() / kSectorsPerRow - sectors.front() / kSectorsPerRow <
               static_cast<std::int64_t>(most_rows);
    };
    const bool as_a_whole = (use.imaged || (use.read && use.written)) && fits(use.sectors);
    const Sectors& wanted = as_a_whole ? use.sectors : asked;
    const Sectors rows = rows_of(wanted);
    if (fits(wanted)) {
        for (std::int64_t row = rows.front(); row <= rows.back(); ++row) window.rows.push_back(whole_row(row));
    } else if (rows.size() <= most_rows) {
        for (const std::int64_t row : rows) window.rows.push_back(whole_row(row));
    } else {
        window.packed = true;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (i / kSectorsPerRow >= most_rows) {
                window.left_out = wanted.size() - i;
                break;
            }
            if (i % kSectorsPerRow == 0) window.rows.push_back({-1, -1, -1, -1});
            window.rows.back()[i % kSectorsPerRow] = wanted[i];
        }
    }
    return window;
}

std::size_t GlobalUse::rows(std::size_t most_rows) const {
    std::size_t most = 0;
    for (const auto& [array, use] : arrays_) {
        if (use.touches.empty()) most = std::max(most, window_of(array, use, nullptr, most_rows).rows.size());
        const bool own =
            std::any_of(use.touches.begin(), use.touches.end(), [](const Touch& touch) { return touch.own; });
        for (const Touch& touch : use.touches) {
            if (touch.own == own) most = std::max(most, window_of(array, use, &touch, most_rows).rows.size());
        }
    }
    return most;
}

}  // namespace lanewise::scene
