// What is asked of a run or a measurement: where, on which inputs, at which sizes. The command line holds the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/launch/backend.hpp"
#include "common/lesson/lesson.hpp"
#include "common/measure/measure.hpp"
#include "common/timing/sizes.hpp"

namespace lanewise::runner {

enum class BackendChoice : std::uint8_t { automatic, gpu, cpu, recorded };

struct RunOptions {
    std::vector<std::string> variants;   // empty: the lesson decides
    BackendChoice backend = BackendChoice::automatic;
    std::optional<std::uint64_t> n;
    std::optional<std::uint64_t> rows;
    std::optional<std::uint64_t> columns;
    std::optional<std::uint32_t> block;
    std::optional<std::uint32_t> warp;
    std::optional<std::uint32_t> offset;
    std::optional<std::uint64_t> seed;
    std::string input;                   // empty: the variant's own
    std::shared_ptr<const std::vector<double>> values;   // typed; then `input` is kTypedInput
    std::vector<lesson::ControlValue> controls;  // of the lesson's; those not named stay as the variant has them
    std::optional<launch::Order> order;
    std::optional<int> focus_block;
    std::optional<int> focus_warp;
    std::string sizes_text;              // as given
    std::vector<timing::Size> sizes;     // empty: each variant at its own
    std::optional<measure::L2> l2;        // none: warm, or what was recorded
};

// The inputs `variant` runs on under these options; where --input names a file, with its numbers. Throws Error.
lesson::Inputs choose_inputs(const lesson::Variant& variant, const RunOptions& options);

// Do both give the same values?
bool same_values(const lesson::Inputs& a, const lesson::Inputs& b);
// `own`, which the variant chose, with the values of `shared`; in the blocks that suit as many.
lesson::Inputs with_values_of(const lesson::Inputs& shared, const lesson::Inputs& own, const lesson::Variant& variant,
                              const RunOptions& options);

}  // namespace lanewise::runner
