#include "common/scene/memory/memory_panel.hpp"

#include <algorithm>

#include "common/scene/memory/records.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

// Does `touches` hold for any word of the row?
template <class F>
bool any_word(const MemoryArray& array, std::size_t row, F touches) {
    const std::size_t first = row * per_bank_row(array.element);
    const std::size_t last = std::min(first + per_bank_row(array.element), array.words.size());
    for (std::size_t i = first; i < last; ++i) {
        if (touches(array.words[i])) return true;
    }
    return false;
}

bool is_own(const MemoryWord& word) { return word.lanes != 0; }
bool is_touched(const MemoryWord& word) { return word.read_now || word.written_now; }

const char* name_of(Space space) { return space == Space::shared ? "shared memory" : "global memory"; }

}  // namespace

std::array<std::uint8_t, kBanks> bank_conflicts(const std::vector<Request>& requests) {
    std::array<std::uint8_t, kBanks> most{};
    for (const Request& request : requests) {
        if (request.space != Space::shared) continue;
        for (std::size_t bank = 0; bank < most.size(); ++bank)
            most[bank] = std::max(most[bank], request.banks.words[bank]);
    }
    return most;
}

std::vector<BankRow> bank_rows(const std::vector<MemoryArray>& arrays, std::size_t most) {
    std::vector<BankRow> all;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const std::size_t rows = bank_row_count(arrays[a].words.size(), arrays[a].element);
        for (std::size_t row = 0; row < rows; ++row) all.push_back({a, row});
    }
    if (all.size() <= most) return all;
    std::vector<bool> chosen(all.size(), false);
    std::size_t count = 0;
    for (const auto& touches : {is_own, is_touched}) {
        for (std::size_t i = 0; i < all.size() && count < most; ++i) {
            if (!any_word(arrays[all[i].array], all[i].row, touches)) continue;
            chosen[i] = true;
            ++count;
        }
        if (count > 0) break;
    }
    // Neighbours below, then whatever comes first.
    for (std::size_t i = 1; i < all.size() && count > 0 && count < most; ++i) {
        if (chosen[i] || !chosen[i - 1]) continue;
        chosen[i] = true;
        ++count;
    }
    for (std::size_t i = 0; i < all.size() && count < most; ++i) {
        if (chosen[i]) continue;
        chosen[i] = true;
        ++count;
    }
    std::vector<BankRow> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (chosen[i]) rows.push_back(all[i]);
    }
    return rows;
}

std::size_t bank_row_count(std::uint64_t elements, Element element) {
    // Words of four bytes; smaller elements share one, larger take several.
    const std::uint64_t words = (elements * static_cast<std::uint64_t>(element_size(element)) + 3) / 4;
    return static_cast<std::size_t>((words + kBanks - 1) / kBanks);
}

std::size_t per_bank_row(Element element) {
    return static_cast<std::size_t>(kBanks * kBankBytes / element_size(element));
}

std::vector<std::int64_t> moved_sectors(const std::vector<Request>& requests, std::uint32_t array) {
    std::vector<std::int64_t> all;
    for (const Request& request : requests) {
        if (request.space == Space::global && request.array == array)
            all.insert(all.end(), request.sectors.begin(), request.sectors.end());
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::uint32_t> shared_arrays_of(const steps::Steps& steps, std::uint32_t launch) {
    const auto& arrays = steps.trace->arrays;
    std::vector<bool> used(arrays.size(), false);
    const auto mark = [&](std::uint32_t array) {
        if (array < used.size() && arrays[array].space == Space::shared) used[array] = true;
    };
    for (const trace::Record& record : steps.trace->records) {
        if (record.launch != launch) continue;
        for (const trace::ArrayImage& image : record.shared) mark(image.array);
        if (touches_memory(record)) mark(record.array);
    }
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) places.push_back(static_cast<std::uint32_t>(i));
    }
    return places;
}

bool block_touches(const steps::Steps& steps, std::size_t step, const WarpRef& block, Space space) {
    if (step >= steps.size()) return false;
    for (const steps::WarpStep& part : steps.steps[step].warps) {
        if (part.warp.launch != block.launch || part.warp.block != block.block) continue;
        for (const std::size_t number : part.records) {
            const trace::Record& record = steps.trace->records[number];
            if (touches_memory(record) && record.array < steps.trace->arrays.size() &&
                steps.trace->arrays[record.array].space == space)
                return true;
        }
    }
    return false;
}

Space space_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp, const std::vector<Request>& requests) {
    for (const Space space : {Space::shared, Space::global}) {
        if (std::any_of(requests.begin(), requests.end(), [&](const Request& each) { return each.space == space; }))
            return space;
    }
    for (const Space space : {Space::shared, Space::global}) {
        if (block_touches(steps, step, warp, space)) return space;
    }
    return Space::shared;
}

std::vector<std::string> memory_captions(const steps::Steps& steps, std::size_t step, const WarpRef& warp,
                                         const std::vector<Request>& requests, Space space, bool brief) {
    std::vector<std::string> captions = request_captions(steps, requests, space, brief);
    if (!captions.empty()) return captions;
    if (!accesses_known(*steps.trace)) {
        const std::string origin = accesses_origin(*steps.trace);
        if (!origin.empty()) return {origin};
    }
    std::string text =
        "warp " + std::to_string(warp.warp) + ": no access to " + name_of(space) + " in this step";
    if (block_touches(steps, step, warp, space)) text += "; other warps of its block do";
    return {text};
}

MemoryPanel memory_panel(const steps::Steps& steps, std::size_t step, const WarpRef& warp, Space space,
                         const GlobalUse& use, const PanelRoom& room) {
    MemoryPanel panel;
    panel.space = space;
    panel.requests = requests_of(steps, step, warp);
    panel.captions = memory_captions(steps, step, warp, panel.requests, space, room.brief);
    panel.quiet = request_captions(steps, panel.requests, space).empty();
    panel.costly = std::any_of(panel.requests.begin(), panel.requests.end(), [&](const Request& request) {
        return request.space == space && (request.conflict() || request.is_scattered());
    });
    panel.conflicts = bank_conflicts(panel.requests);
    if (space == Space::shared) {
        panel.shared = shared_memory(steps, step, warp);
        panel.changed = changed_text(panel.shared);
        const std::vector<std::uint32_t> used = shared_arrays_of(steps, warp.launch);
        std::erase_if(panel.shared, [&](const MemoryArray& array) {
            return std::find(used.begin(), used.end(), array.array) == used.end();
        });
        panel.rows = bank_rows(panel.shared, room.bank_rows);
    } else if (const auto array = use.array_at(step)) {
        panel.window = use.window(step, *array, room.sector_rows);
        panel.global = global_memory(steps, step, warp, *array, panel.window.sectors());
        panel.changed = changed_text({panel.global});
        panel.moved = moved_sectors(panel.requests, *array);
        const std::size_t touched = use.touched_at(step, *array);
        if (panel.quiet && touched != kNoStep && touched != step) {
            panel.captions.back() +=
                "; " + panel.global.name + " is accessed in step " + std::to_string(touched + 1);
        }
        if (panel.window.left_out > 0)
            panel.captions.push_back("and " + std::to_string(panel.window.left_out) + " more sectors");
    }
    return panel;
}

}  // namespace lanewise::scene
