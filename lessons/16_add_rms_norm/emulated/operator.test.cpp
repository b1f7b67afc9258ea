// The operator's kernels on the emulator against a reference in double. The shape is chosen, and the arguments are put
// together, as run() in add_rms_norm.cu does it for a GPU without clusters.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/element.hpp"
#include "common/check/checker.hpp"
#include "common/emu/emulator.hpp"
#include "common/launch/plan.hpp"
#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

namespace lanewise::generated {
launch::KernelSet add_rms_norm_operator();
}

namespace {

using namespace add_rms_norm;
using lanewise::Element;
using lanewise::launch::Plan;
using Route = Shape::Route;

const lanewise::launch::KernelSet& kernels() {
    static const lanewise::launch::KernelSet set = lanewise::generated::add_rms_norm_operator();
    return set;
}

Element element_of(Type type) {
    return type == Type::f16 ? Element::f16 : type == Type::bf16 ? Element::bf16 : Element::f32;
}

std::string name_of(Type type) { return type == Type::f16 ? "__half" : type == Type::bf16 ? "__nv_bfloat16" : "float"; }

// Half a step of the type, relative; and the least that an absolute error can be.
double unit_of(Type type) { return type == Type::f32 ? 0x1p-24 : type == Type::f16 ? 0x1p-11 : 0x1p-8; }
double least_of(Type type) { return type == Type::f16 ? 0x1p-25 : type == Type::bf16 ? 0x1p-134 : 0x1p-149; }

// A tensor's bytes with others around it, and between its rows, that no run may change.
class Held {
public:
    static constexpr std::size_t kAround = 64;
    Held(const Tensor& tensor, std::int64_t offset) : tensor_(tensor), size_(detail::size_of(tensor.type)) {
        std::int64_t extent = tensor.shape[static_cast<std::size_t>(tensor.rank - 1)];
        for (int k = 0; k + 1 < tensor.rank; ++k) {
            const auto at = static_cast<std::size_t>(k);
            extent += tensor.strides[at] * (tensor.shape[at] - 1);
        }
        first_ = kAround + static_cast<std::size_t>(offset) * size_;
        bytes.assign(first_ + static_cast<std::size_t>(extent) * size_ + kAround, std::byte{0x5a});
    }
    std::size_t first() const { return first_; }
    std::size_t place(std::int64_t batch, std::int64_t head, std::int64_t i) const {
        std::int64_t at = i;
        if (tensor_.rank > 1) at += batch * tensor_.strides[0];
        if (tensor_.rank > 2) at += head * tensor_.strides[1];
        return first_ + static_cast<std::size_t>(at) * size_;
    }
    void put(std::vector<std::byte>& into, std::size_t place, double value) const {
        const std::uint64_t bits = lanewise::element_from_double(element_of(tensor_.type), value);
        std::memcpy(into.data() + place, &bits, size_);
    }
    double get(const std::vector<std::byte>& from, std::size_t place) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, from.data() + place, size_);
        return lanewise::element_to_double(element_of(tensor_.type), bits);
    }
    void add_to(Plan& plan, const char* name) {
        buffer_ = plan.buffers.size();
        plan.buffers.push_back({name, lanewise::launch::BufferRole::input, element_of(tensor_.type),
                                bytes.size() / size_, {bytes.begin(), bytes.end()}});
    }
    std::size_t buffer() const { return buffer_; }  // of the plan

    std::vector<std::byte> bytes;

private:
    Tensor tensor_;
    std::size_t size_, first_ = 0, buffer_ = 0;
};

struct Case {
    Description description;
    std::int64_t offset = 0;         // elements that the tensors begin past a multiple of 16 bytes
    std::int64_t weight_offset = 0;  // … the weight
    std::int64_t b_offset = 0;       // … b more than the others
    bool y_is_a = false, residual_is_b = false;
    std::size_t shared_size = 48 * 1024;  // of a block, at most
    bool held = false;                    // by the kernel for large tensors, where it has room
    bool full = false;                    // by the kernel for rows that fill a block, where they do
};

std::string text_of(const Case& c) {
    const Tensor& y = c.description.y;
    std::string text = name_of(y.type) + "/" + name_of(c.description.weight.type) + ", (";
    for (int k = 0; k < y.rank; ++k) text += (k ? ", " : "") + std::to_string(y.shape[static_cast<std::size_t>(k)]);
    return text + "), sum " + std::to_string(static_cast<int>(c.description.sum)) + ", cast " +
           std::to_string(static_cast<int>(c.description.cast)) + ", offset " + std::to_string(c.offset) + " (weight " +
           std::to_string(c.weight_offset) + ", b +" + std::to_string(c.b_offset) + ")" + (c.y_is_a ? ", y is a" : "") +
           (c.residual_is_b ? ", residual_out is b" : "");
}

// kernels.cuh's Arguments, of any types: its pointers are filled in by the emulator.
struct Arguments {
    std::uint64_t y = 0, residual_out = 0, a = 0, b = 0, weight = 0;
    std::int32_t dim = 0;
    std::int64_t strides[4][2] = {};
    std::uint32_t rows = 0, heads = 0;
    float epsilon = 0;
    std::int32_t sum = 0;
    bool cast = false;
    std::uint64_t workspace = 0;
    std::int32_t keeps_in_shared = 0;
    bool evict_last = false;
    std::uint32_t rows_first = 3, rows_ahead = 3;   // the emulator has no L2 to prefetch into
};

// The launch of a case, into a plan that holds y, residual_out, a, b and the weight. Returns its route.
Route add_launch(Plan& plan, const Case& c, const std::array<const Held*, 5>& tensors) {
    const Description& d = c.description;
    const Layout layout = detail::layout_of(d);
    const bool alike = detail::is_alike(layout);
    bool even = alike && tensors[4]->first() % 16 == 0;
    for (std::size_t i = 0; i < 4; ++i) even = even && tensors[i]->first() % 16 == tensors[0]->first() % 16;
    constexpr int kProcessors = 4;  // so that rows of this length are not all taken by as many threads as there can be
    Shape shape = detail::element_shape(layout);
    bool whole = even && tensors[0]->first() % 16 == 0 && detail::has_whole_packs(layout);
    if (whole) shape = detail::whole_shape(layout, kProcessors, false);
    whole = whole && shape.route != Route::element;
    if (!whole && even) shape = detail::shifted_shape(layout, kProcessors, false);

    const auto pairs_of_packs = layout.dim * static_cast<std::int64_t>(detail::size_of(layout.type)) / 32;
    const Shape held{Route::held, 2, static_cast<int>(pairs_of_packs / 32 + 1) * 32};
    if (c.held && whole && detail::fits(held, layout, false, true)) shape = held;
    const Shape full{Route::full, 8, static_cast<int>(pairs_of_packs / 4)};
    if (c.full && whole && detail::fits(full, layout, false, true)) shape = full;

    const auto rows = static_cast<std::uint32_t>(layout.rows());
    lanewise::launch::LaunchSpec launch;
    launch.grid.x = rows;
    launch.block.x = static_cast<std::uint32_t>(shape.threads);
    launch.kernel = std::string(route_name(shape.route)) + "_kernel";
    launch.arguments = name_of(d.y.type) + ", " + name_of(d.weight.type);
    if (shape.route == Route::group || shape.route == Route::block) {
        const int packs = shape.route == Route::group && !whole ? 4 : shape.packs;
        launch.arguments += ", " + std::to_string(packs) + (whole ? ", true" : ", false");
    }
    if (shape.route == Route::full) launch.arguments += ", 1";
    if (shape.route == Route::packed) launch.arguments += ", " + std::to_string(shape.packs);
    Arguments arguments;
    arguments.dim = static_cast<std::int32_t>(layout.dim);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 2; ++k) arguments.strides[i][k] = layout.tensors[i].strides[k];
    arguments.rows = rows;
    arguments.heads = static_cast<std::uint32_t>(layout.heads);
    arguments.epsilon = d.epsilon;
    arguments.sum = static_cast<std::int32_t>(d.sum);
    arguments.cast = d.cast == Cast::before_weight;
    lanewise::launch::Argument argument;
    argument.size = sizeof arguments;
    for (std::uint32_t i = 0; i < 5; ++i)
        argument.pointers.push_back({8 * i, tensors[i]->buffer(), tensors[i]->first()});
    if (shape.route == Route::group) {
        const auto group_rows = static_cast<std::uint32_t>(shape.rows);
        launch.grid.x = (rows + group_rows - 1) / group_rows;
        launch.block.x *= group_rows;
    }
    if (shape.route == Route::element) {
        const std::size_t row_bytes = static_cast<std::size_t>(layout.dim) * sizeof(float);
        if (row_bytes <= c.shared_size) {
            launch.block.dynamic_shared_bytes = static_cast<std::uint32_t>(row_bytes);
            arguments.keeps_in_shared = 1;
        } else if (layout.wide) {
            launch.grid.x = std::min(rows, 2u);  // fewer blocks than rows
            const auto workspace = plan.scratch<float>("workspace", row_bytes / sizeof(float) * launch.grid.x);
            argument.pointers.push_back({offsetof(Arguments, workspace), workspace.index, 0});
        }
    }
    std::memcpy(argument.value.data(), &arguments, sizeof arguments);
    launch.values.push_back(argument);
    if (shape.route == Route::group) {
        lanewise::launch::Argument lanes;
        lanes.size = sizeof shape.threads;
        std::memcpy(lanes.value.data(), &shape.threads, sizeof shape.threads);
        launch.values.push_back(lanes);
    }
    plan.launches.push_back(launch);
    return shape.route;
}

// A case in a plan.
class Prepared {
public:
    Prepared(Plan& plan, const Case& c) : case_(c) {
        const Description& d = c.description;
        EXPECT_TRUE(check(d)) << check(d).sentence();
        const bool three = d.y.rank == 3;
        batch_ = d.y.shape[0], heads_ = three ? d.y.shape[1] : 1, dim_ = d.y.shape[three ? 2 : 1];
        std::mt19937 random(static_cast<unsigned>(dim_));
        const auto spread = [&] { return (static_cast<double>(random() >> 8) - 0x1p23) * 0x1p-22; };  // -2 to 2
        for (Held* held : {&a_, &b_})
            for (std::int64_t i = 0; i < batch_; ++i)
                for (std::int64_t h = 0; h < heads_; ++h)
                    for (std::int64_t k = 0; k < dim_; ++k) held->put(held->bytes, held->place(i, h, k), spread());
        for (std::int64_t k = 0; k < dim_; ++k) weight_.put(weight_.bytes, weight_.place(0, 0, k), spread());
        a_.add_to(plan, "a");
        b_.add_to(plan, "b");
        weight_.add_to(plan, "weight");
        if (!c.y_is_a) y_.add_to(plan, "y");
        if (!c.residual_is_b) residual_.add_to(plan, "residual_out");
        route_ = add_launch(plan, c, {&y(), &residual(), &a_, &b_, &weight_});
    }

    Route route() const { return route_; }
    std::string text() const { return std::string(route_name(route_)) + ": " + text_of(case_); }

    // residual_out bit by bit; y within what its roundings allow; all else as it was.
    void expect_right(const std::vector<std::vector<std::byte>>& buffers) {
        const Description& d = case_.description;
        const std::vector<std::byte>&got_y = buffers[y().buffer()], &got_residual = buffers[residual().buffer()];
        std::vector<std::byte> want_y = y().bytes, want_residual = residual().bytes;
        int failures = 0;
        std::vector<double> x(static_cast<std::size_t>(dim_));
        for (std::int64_t i = 0; i < batch_; ++i)
            for (std::int64_t h = 0; h < heads_; ++h) {
                double squares = 0;
                for (std::int64_t k = 0; k < dim_; ++k) {
                    const double exact = a_.get(a_.bytes, a_.place(i, h, k)) + b_.get(b_.bytes, b_.place(i, h, k));
                    const auto sum = static_cast<double>(static_cast<float>(exact));
                    residual().put(want_residual, residual().place(i, h, k), sum);
                    const double narrow = residual().get(want_residual, residual().place(i, h, k));
                    const double squared = d.sum == Sum::rounded ? narrow : sum;
                    squares += squared * squared;
                    x[static_cast<std::size_t>(k)] = d.sum == Sum::unrounded ? sum : narrow;
                }
                const double mean = squares / static_cast<double>(dim_);
                const double scale = 1 / std::sqrt(mean + static_cast<double>(d.epsilon));
                for (std::int64_t k = 0; k < dim_; ++k) {
                    const std::size_t place = y().place(i, h, k);
                    const double w = weight_.get(weight_.bytes, weight_.place(0, 0, k));
                    const double want = x[static_cast<std::size_t>(k)] * scale * w, got = y().get(got_y, place);
                    if (!(std::abs(got - want) <= bound(want, w)) && ++failures < 5)
                        ADD_FAILURE() << text() << ": y[" << i << "," << h << "," << k << "] is " << got << ", not "
                                      << want;
                    std::memcpy(want_y.data() + place, got_y.data() + place, detail::size_of(d.y.type));
                }
            }
        EXPECT_TRUE(got_residual == want_residual) << text() << ": residual_out, or what lies around it";
        EXPECT_TRUE(got_y == want_y) << text() << ": what lies around y has changed";
        for (const Held* held : {&a_, &b_, &weight_})
            if (held != &y() && held != &residual()) {
                EXPECT_TRUE(buffers[held->buffer()] == held->bytes) << text() << ": an input has changed";
            }
    }

private:
    Held& y() { return case_.y_is_a ? a_ : y_; }
    Held& residual() { return case_.residual_is_b ? b_ : residual_; }

    // The sum of squares goes through at most dim / 32 + 10 additions, half of whose error is the root's.
    double bound(double want, double weight) const {
        const Type type = case_.description.y.type;
        const double in_float = (static_cast<double>(dim_) / 64 + 16) * 0x1p-24;
        const double roundings = (case_.description.cast == Cast::before_weight ? 2 : 1) * unit_of(type);
        return std::abs(want) * (in_float + roundings) * 1.01 + least_of(type) * (2 + std::abs(weight));
    }

    Case case_;
    Held a_{case_.description.a, case_.offset}, b_{case_.description.b, case_.offset + case_.b_offset},
        weight_{case_.description.weight, case_.weight_offset}, y_{case_.description.y, case_.offset},
        residual_{case_.description.residual_out, case_.offset};
    std::int64_t batch_ = 1, heads_ = 1, dim_ = 1;
    Route route_ = Route::element;
};

// Runs cases, and keeps which routes they took. What the checker finds is a failure, if asked.
struct Cases {
    bool checks = false;
    std::set<Route> routes = {};

    void expect_right(const Case& c) {
        Plan plan;
        Prepared prepared(plan, c);
        routes.insert(prepared.route());
        static const auto emulator = lanewise::check::make_emulator();
        lanewise::launch::Request request;
        request.checks = checks;
        const auto outcome = emulator->run(plan, kernels(), request);
        for (const auto& finding : outcome.findings)
            EXPECT_EQ(finding.severity, lanewise::trace::Severity::note) << prepared.text() << ": " << finding.sentence;
        prepared.expect_right(outcome.buffers);
    }
};

const std::vector<std::pair<Type, Type>> kPairs = {
    {Type::f16, Type::f16},  {Type::f16, Type::bf16}, {Type::f16, Type::f32}, {Type::bf16, Type::bf16},
    {Type::bf16, Type::f16}, {Type::bf16, Type::f32}, {Type::f32, Type::f32}};

Case make_case(std::pair<Type, Type> types, const Tensor& tensor) {
    Case c;
    c.description.set_all(tensor);
    c.description.weight = contiguous(types.second, tensor.shape[static_cast<std::size_t>(tensor.rank - 1)]);
    return c;
}

// Forms in turn: each sum with each cast, in place and not.
void vary(Case& c, int turn) {
    c.description.sum = static_cast<Sum>(turn % 3);
    c.description.cast = static_cast<Cast>(turn / 3 % 2);
    c.y_is_a = turn / 6 % 2;
    c.residual_is_b = turn / 12 % 2;
}

// Odd lengths, each with one pair of types in turn; the shorter ones with every pair.
TEST(Emulated, EveryOddLength) {
    int turn = 0;
    Cases cases;
    for (std::int64_t dim = 1; dim <= 4100; dim += 2)
        for (std::size_t pair = 0; pair < kPairs.size(); ++pair) {
            ++turn;
            if (dim > 130 && pair != static_cast<std::size_t>(dim / 2) % kPairs.size()) continue;
            Case c = make_case(kPairs[pair], contiguous(kPairs[pair].first, dim < 1030 ? 2 : 1, dim));
            vary(c, turn);
            c.offset = turn % 8;
            cases.expect_right(c);
        }
    EXPECT_EQ(cases.routes, (std::set{Route::group, Route::block}));
}

TEST(Emulated, LongAndAround) {
    int turn = 0;
    Cases cases;
    for (std::size_t pair = 0; pair < kPairs.size(); ++pair)
        for (const std::int64_t dim : {8191, 8192, 8193, 65536})
            for (const int sum : {0, 1, 2}) {
                if (dim == 65536 && sum != static_cast<int>(pair % 3)) continue;  // of the longest, one form each
                Case c = make_case(kPairs[pair], contiguous(kPairs[pair].first, dim > 10000 ? 1 : 2, dim));
                vary(c, ++turn);
                c.description.sum = static_cast<Sum>(sum);
                cases.expect_right(c);
            }
    // One block's registers do not hold these, nor its shared memory: read again, or kept in the workspace, in which
    // fewer rows have room than there are.
    for (const int sum : {0, 1, 2}) {
        Case c = make_case(kPairs[0], contiguous(Type::f16, 3, 40001));
        c.description.sum = static_cast<Sum>(sum);
        cases.expect_right(c);
        c = make_case(kPairs[6], contiguous(Type::f32, 1, 17001));
        vary(c, sum + 6);
        cases.expect_right(c);
        c = make_case(kPairs[sum],
                      contiguous(Type::f16, 1, 20001));  // as residual_out holds it: half as many registers
        vary(c, 3 * sum + 2);
        cases.expect_right(c);
    }
    EXPECT_EQ(cases.routes, (std::set{Route::block, Route::full, Route::packed, Route::element}));
}

// As create() has it for tensors that are much larger than L2.
TEST(Emulated, RowsThatAreHeldInFewRegisters) {
    int turn = 0;
    Cases cases{.checks = true};
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {8, 256, 264, 1000, 2048, 2056, 4000}) {
            Case c = make_case(types, contiguous(types.first, 3, dim));
            vary(c, ++turn);
            if (c.description.sum == Sum::unrounded) c.description.sum = Sum::rounded_in_y;
            c.held = true;
            cases.expect_right(c);
        }
    EXPECT_EQ(cases.routes, (std::set{Route::held}));
}

// As create() has it for long ones.
TEST(Emulated, RowsThatFillABlock) {
    int turn = 0;
    Cases cases{.checks = true};
    for (const auto& types : kPairs) {
        for (const std::int64_t dim : {2048, 4096, 6144}) {
            Case c = make_case(types, contiguous(types.first, 3, dim));
            vary(c, ++turn);
            if (c.description.sum == Sum::unrounded) c.description.sum = Sum::rounded_in_y;
            c.full = true;
            cases.expect_right(c);
        }
    }
    EXPECT_EQ(cases.routes, (std::set{Route::full}));
}

TEST(Emulated, WholePacksOfEveryNumber) {
    int turn = 0;
    Cases cases;
    for (const auto& types : kPairs)
        for (const std::int64_t dim :
             {8, 16, 24, 64, 72, 128, 248, 256, 264, 512, 520, 1000, 1024, 1032, 4096, 16384}) {
            const std::int64_t rows = dim > 10000 ? 1 : 5;
            Case c = make_case(types, contiguous(types.first, rows, dim));
            vary(c, ++turn);
            cases.expect_right(c);
        }
}

// Rows that begin at every place within 16 bytes; tensors, or the weight, that begin at a place of their own.
TEST(Emulated, BeginsAnywhere) {
    int turn = 0;
    Cases cases;
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {1, 3, 8, 9, 63, 64, 65, 130, 1031})
            for (std::int64_t offset = 0; offset < (types.first == Type::f32 ? 4 : 8); ++offset) {
                Case c = make_case(types, contiguous(types.first, 2, dim));
                c.offset = offset;
                vary(c, ++turn);
                cases.expect_right(c);
                if (offset % 2) continue;
                (turn % 4 ? c.b_offset : c.weight_offset) = offset % 4 + 1;
                cases.expect_right(c);
            }
    EXPECT_EQ(cases.routes, (std::set{Route::group, Route::block, Route::element}));
}

TEST(Emulated, StridedAndThreeDimensions) {
    int turn = 0;
    Cases cases;
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {7, 64, 200, 1032}) {
            Case c = make_case(types, contiguous(types.first, 2, 3, dim));
            Description& d = c.description;
            vary(c, ++turn);
            cases.expect_right(c);
            c.y_is_a = c.residual_is_b = false;
            d.a.strides = {3 * (dim + 8), dim + 8, 1};
            d.b.strides = {0, dim, 1};                    // one batch for all
            d.y.strides = {dim + 16, 2 * (dim + 16), 1};  // heads outside
            d.residual_out.strides = {5 * dim + 24, dim + 1, 1};
            cases.expect_right(c);
            d.residual_out.strides = {5 * dim, dim, 1};
            cases.expect_right(c);
            d.b.strides = {0, 0, 1};  // one row for all
            d.a.strides = d.y.strides;
            c.y_is_a = true;
            cases.expect_right(c);
        }
}

// Under the checker: no race, nothing out of bounds, nothing read that was not written.
TEST(Emulated, TheCheckerFindsNothing) {
    int turn = 0;
    Cases cases{.checks = true};
    for (const auto& types : {kPairs[0], kPairs[2], kPairs[5], kPairs[6]}) {
        for (const std::int64_t dim : {3, 64, 65, 264, 1032, 2056, 2057}) {
            Case c = make_case(types, contiguous(types.first, 3, dim));
            for (const bool in_place : {false, true}) {
                vary(c, ++turn);
                c.y_is_a = c.residual_is_b = in_place;
                c.offset = 0;
                cases.expect_right(c);
                c.offset = 3;
                cases.expect_right(c);
            }
            c.weight_offset = 1;
            cases.expect_right(c);
        }
        Case c = make_case(types, contiguous(types.first, 1, types.first == Type::f32 ? 8197 : 16393));
        c.y_is_a = c.residual_is_b = true;
        cases.expect_right(c);
        // No room in shared memory.
        c = make_case(types, contiguous(types.first, 3, 520));
        c.shared_size = 0;
        c.weight_offset = 1;
        for (const int sum : {0, 1}) {
            c.description.sum = static_cast<Sum>(sum);
            cases.expect_right(c);
        }
    }
    EXPECT_EQ(cases.routes, (std::set{Route::group, Route::block, Route::packed, Route::element}));
}

}  // namespace
