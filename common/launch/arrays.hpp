// How a run's arrays are numbered: one rule for GPU and emulator, so that their traces name the same array alike.
// First the plan's buffers, in the plan's order; then, launch by launch, the shared arrays of that launch by the id the
// prelude reports them with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::launch {

// A shared array as one lane announced it. `address` is wherever the array begins, in any unit of bytes that is the
// same for all arrays of a block.
struct SharedArray {
    std::uint32_t id = 0;          // place in KernelFile::shared_names
    Element element = Element::f32;
    std::uint64_t count = 0;       // elements
    std::uint64_t address = 0;
    std::uint32_t array = 0;       // its number in the trace; ArrayNumbering fills it in

    std::uint64_t bytes() const { return count * static_cast<std::uint64_t>(element_size(element)); }
};

// An element of one of the trace's arrays.
struct ArrayPlace {
    std::uint32_t array = 0;
    std::int64_t index = 0;
};

class ArrayNumbering {
public:
    explicit ArrayNumbering(const Plan& plan) {
        for (const BufferSpec& buffer : plan.buffers)
            arrays_.push_back({buffer.name, trace::Space::global, buffer.element, buffer.count});
    }

    // Numbers the shared arrays of the next launch. The same array may be reported any number of times, in any order;
    // arrays of no elements (dynamic shared memory of 0 bytes) are left out. Returns each once, with its number.
    std::vector<SharedArray> add_launch(std::vector<SharedArray> reports, std::span<const std::string> names) {
        const auto key = [](const SharedArray& a) { return std::tuple{a.id, a.element, a.count, a.address}; };
        std::erase_if(reports, [](const SharedArray& a) { return a.count == 0; });
        std::sort(reports.begin(), reports.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
        reports.erase(std::unique(reports.begin(), reports.end(),
                                  [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                      reports.end());
        for (SharedArray& report : reports) {
            report.array = static_cast<std::uint32_t>(arrays_.size());
            const std::string name =
                report.id < names.size() ? names[report.id] : "shared " + std::to_string(report.id);
            arrays_.push_back({name, trace::Space::shared, report.element, report.count});
        }
        return reports;
    }

    // The array that stands for memory which is neither a buffer nor a shared array (a __device__ variable). Made
    // when it is first asked for.
    std::uint32_t elsewhere() {
        if (!elsewhere_) {
            elsewhere_ = static_cast<std::uint32_t>(arrays_.size());
            arrays_.push_back({"elsewhere", trace::Space::global, Element::u32, 0});
        }
        return *elsewhere_;
    }

    const std::vector<trace::Array>& arrays() const { return arrays_; }

private:
    std::vector<trace::Array> arrays_;
    std::optional<std::uint32_t> elsewhere_;
};

// The element that lies at `address`, of the shared arrays of a launch. Where arrays overlap (dynamic shared memory
// under two names) the first one is meant.
inline std::optional<ArrayPlace> place_in(std::span<const SharedArray> arrays, std::uint64_t address) {
    for (const SharedArray& a : arrays)
        if (address >= a.address && address < a.address + a.bytes())
            return ArrayPlace{a.array, static_cast<std::int64_t>((address - a.address) /
                                                                 static_cast<std::uint64_t>(element_size(a.element)))};
    return std::nullopt;
}

}  // namespace lanewise::launch
