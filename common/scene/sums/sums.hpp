// The sums of a run compared with the exact ones, and what is said of each: made once for a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/stop.hpp"
#include "common/base/sum.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::rounding {
struct RoundingLens;
}

namespace lanewise::scene {

class Sums {
public:
    // Of a million inputs that takes a second or two. Throws Stopped where `stop` asks for that. The steps outlive it.
    explicit Sums(const steps::Steps& steps, const std::stop_token& stop = {});
    ~Sums();
    Sums(Sums&&) noexcept;
    Sums& operator=(Sums&&) noexcept;

    const steps::Steps& steps() const { return *steps_; }
    const std::string& why_not() const;      // why nothing is said: a sentence; empty where something is
    std::size_t unknown() const;              // additions seen whose exact value is not known
    const Sum& at(std::int32_t sum) const;

    // Where most is lost in the whole run: the addition that alone lost most, and the first that stopped growing.
    std::int32_t worst() const { return worst_; }       // Sum::kNone: nothing was rounded
    std::int32_t stopped() const { return stopped_; }
    std::size_t stops() const { return stops_; }

    // All digits of the exact sum, at most so many.
    std::string exact_decimal(std::int32_t sum, int digits) const;
    // Value less exact value, rounded once to the sum's format.
    std::uint64_t error_bits(std::int32_t sum) const;

    // "sum of 2 inputs in f16, then widened"; "2048 + 1 = 2049, rounded to f16: 2048"; "lane 5 of block 0 · warp 1".
    std::string what(std::int32_t sum) const;
    std::string addition(std::int32_t sum) const;
    std::string place(std::int32_t sum) const;

    // The sum that a learner asks to see: that of the lane where there is one, else the warp's furthest off, at the
    // last step up to and with `step` that has any.
    std::int32_t to_show(std::size_t step, const WarpRef& warp, int lane) const;

    // For what makes scenes of them.
    const rounding::RoundingLens& lens() const { return *lens_; }

private:
    const steps::Steps* steps_;
    std::unique_ptr<const rounding::RoundingLens> lens_;
    std::int32_t worst_ = Sum::kNone, stopped_ = Sum::kNone;
    std::size_t stops_ = 0;
};

// "0", "+0.5", "-2", "+1.3e5", "overflow", "nan"
std::string format_ulps(const Sum& sum);
// "block 0 · warp 1 · lane 5".
std::string where_of(const Sum& sum);
// A value in all its digits, as far as there is room for 18.
std::string full_value(Element type, std::uint64_t bits);

// How far off, as a class that has a colour and a name.
enum class Precision : std::uint8_t { exact, nearest, few, many, lost };
Precision precision_of(const Sum& sum);
// "exact", "≤ ½ ulp", "≤ 4 ulp", "≤ 64 ulp", "> 64 ulp"
const char* precision_name(Precision precision);

// Sums of one step as text, a line for each lane that came to one:
//
//     rounding  block 0 · warp 0
//     lane 5  exact 2.05342924594879150390625  rounded 2.0534291 (0x40036b62)  error -1.1e-7 = -0.5 ulp of f32
std::string describe_rounding(const Sums& sums, std::size_t step, int block, int warp);
// The summation tree as text: of the lane, or of what the run ends with.
std::string describe_sum_tree(const Sums& sums, std::size_t step, int block, int warp, int lane);

}  // namespace lanewise::scene
