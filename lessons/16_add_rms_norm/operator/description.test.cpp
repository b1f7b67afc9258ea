// What the operator says of descriptors without a GPU: every misuse, two at once, and what makes no sense.
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"
#include "lessons/16_add_rms_norm/operator/description.testing.hpp"

namespace {

using namespace add_rms_norm;
using add_rms_norm::testing::good;
using add_rms_norm::testing::place_of;
using add_rms_norm::testing::places_of;

struct Misuse {
    const char* what;
    Code code;
    std::function<void(Description&)> make;
    const char* sentence_part;
};

// Each leaves what the others change alone, but for the code that comes first.
const std::vector<Misuse>& misuses() {
    static const std::vector<Misuse> list = {
        {"no type", Code::types, [](Description& d) { d.a.type = static_cast<Type>(7); }, "a has type number 7"},
        {"mixed", Code::types, [](Description& d) { d.b.type = Type::bf16; }, "b is bf16 and y is f16"},
        {"no weight type", Code::types, [](Description& d) { d.weight.type = static_cast<Type>(-1); }, "number -1"},
        {"rank 1", Code::shape, [](Description& d) { d.y.rank = 1; }, "y has rank 1"},
        {"rank 4", Code::shape, [](Description& d) { d.residual_out.rank = 4; }, "residual_out has rank 4"},
        {"rank of a", Code::shape, [](Description& d) { d.a.rank = 2; }, "a has rank 2"},
        {"negative extent", Code::shape, [](Description& d) { d.b.shape[0] = -3; }, "-3 elements"},
        {"no values", Code::shape,
         [](Description& d) {
             for (Tensor* t : {&d.y, &d.residual_out, &d.a, &d.b}) t->shape[2] = 0;
         },
         "0 values"},
        {"too many rows", Code::shape,
         [](Description& d) {
             for (Tensor* t : {&d.y, &d.residual_out, &d.a, &d.b}) t->shape[0] = std::int64_t{1} << 31;
         },
         "2147483648"},
        {"other heads", Code::shape, [](Description& d) { d.residual_out.shape[1] = 6; }, "6 elements in dimension 1"},
        {"weight of rank 2", Code::shape, [](Description& d) { d.weight.rank = 2; }, "weight has rank 2"},
        {"short weight", Code::shape, [](Description& d) { d.weight.shape[0] = 63; }, "weight has 63"},
        {"gaps in a row", Code::strides, [](Description& d) { d.a.strides[2] = 2; }, "a has stride 2"},
        {"backwards", Code::strides, [](Description& d) { d.b.strides[0] = -320; }, "stride -320"},
        {"beyond all memory", Code::strides, [](Description& d) { d.a.strides[1] = std::int64_t{1} << 60; },
         "no memory is so large"},
        {"overlapping rows", Code::strides, [](Description& d) { d.y.strides[1] = 63; }, "y has stride 63"},
        {"overlapping batches", Code::strides, [](Description& d) { d.residual_out.strides[0] = 319; }, "stride 319"},
        {"broadcast output", Code::strides, [](Description& d) { d.y.strides[0] = 0; }, "y has stride"},
        {"weight with gaps", Code::strides, [](Description& d) { d.weight.strides[0] = 3; }, "weight has stride 3"},
        {"negative epsilon", Code::parameter, [](Description& d) { d.epsilon = -1; }, "epsilon is -1"},
        {"epsilon NaN", Code::parameter, [](Description& d) { d.epsilon = std::numeric_limits<float>::quiet_NaN(); },
         "nan"},
        {"infinite epsilon", Code::parameter,
         [](Description& d) { d.epsilon = std::numeric_limits<float>::infinity(); }, "inf"},
        {"no such sum", Code::parameter, [](Description& d) { d.sum = static_cast<Sum>(3); }, "sum is number 3"},
        {"no such cast", Code::parameter, [](Description& d) { d.cast = static_cast<Cast>(-2); }, "cast is number -2"},
    };
    return list;
}

TEST(Description, EveryPairOfTypes) {
    int accepted = 0;
    for (const Type type : {Type::f16, Type::bf16, Type::f32})
        for (const Type weight : {Type::f16, Type::bf16, Type::f32}) {
            Description description;
            description.set_all(contiguous(type, 4, 33));
            description.weight.type = weight;
            const bool offered = type != Type::f32 || weight == Type::f32;
            EXPECT_EQ(check(description).code(), offered ? Code::ok : Code::types);
            accepted += offered;
        }
    EXPECT_EQ(accepted, 7);
}

TEST(Description, WhatIsAllowed) {
    EXPECT_TRUE(check(good()));
    Description d = good();
    d.a.strides[0] = d.b.strides[0] = d.b.strides[1] = 0;  // inputs may be broadcast
    EXPECT_TRUE(check(d)) << check(d).sentence();
    d = good();
    d.y.strides = {64, 192, 1};  // heads outside of batches
    EXPECT_TRUE(check(d)) << check(d).sentence();
    d = good();
    for (Tensor* t : {&d.y, &d.residual_out, &d.a, &d.b}) t->shape[0] = 1, t->strides[0] = -12345;  // not looked at
    EXPECT_TRUE(check(d)) << check(d).sentence();
    d.set_all(contiguous(Type::bf16, 0, 8));  // no rows
    EXPECT_TRUE(check(d)) << check(d).sentence();
    d.set_all(contiguous(Type::f32, 7, 1));
    for (Tensor* t : {&d.y, &d.residual_out, &d.a, &d.b}) t->strides[1] = 9;  // of one element
    EXPECT_TRUE(check(d)) << check(d).sentence();
    d.epsilon = 0;
    EXPECT_TRUE(check(d)) << check(d).sentence();
}

TEST(Description, EveryMisuseHasItsCodeAndSentence) {
    for (const Misuse& misuse : misuses()) {
        Description description = good();
        misuse.make(description);
        const Status status = check(description);
        EXPECT_EQ(status.code(), misuse.code) << misuse.what << ": " << status.sentence();
        EXPECT_NE(std::string(status.sentence()).find(misuse.sentence_part), std::string::npos)
            << misuse.what << ": " << status.sentence();
        EXPECT_NE(std::string(status.sentence()).find_first_of(";:"), std::string::npos)
            << "says no way out: " << status.sentence();
        EXPECT_LT(std::string(status.sentence()).size(), Status::kLongest - 1) << "cut off";
    }
}

TEST(Description, OfTwoMisusesTheDocumentedFirst) {
    int pairs = 0;
    for (const Misuse& one : misuses())
        for (const Misuse& other : misuses()) {
            if (place_of(one.code) >= place_of(other.code)) continue;
            for (const bool one_first : {true, false}) {
                Description description = good();
                (one_first ? one : other).make(description);
                (one_first ? other : one).make(description);
                EXPECT_EQ(check(description).code(), one.code) << one.what << " and " << other.what;
                ++pairs;
            }
        }
    EXPECT_GT(pairs, 300);
}

TEST(Description, WhatIsAcceptedNeverWritesAPlaceTwice) {
    std::mt19937_64 random(1);
    int accepted = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto below = [&](std::int64_t limit) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
        };
        Description d;
        d.set_all(random() % 2 ? contiguous(Type::f32, below(4), 1 + below(5))
                               : contiguous(Type::f32, below(4), below(4), 1 + below(5)));
        for (Tensor* t : {&d.y, &d.residual_out})
            for (int k = 0; k + 1 < t->rank; ++k) t->strides[static_cast<std::size_t>(k)] = below(24);
        const bool ok = static_cast<bool>(check(d));
        (ok ? accepted : refused)++;
        if (!ok) continue;
        for (const Tensor* t : {&d.y, &d.residual_out}) {
            const auto places = places_of(*t);
            EXPECT_EQ(std::set<std::int64_t>(places.begin(), places.end()).size(), places.size());
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

// A stride that has no number is no crash either: its extents are refused.
TEST(Description, ContiguousOfAnyExtents) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t heads : {kMost, std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 40}) {
        Description d;
        d.set_all(contiguous(Type::f32, 1, heads, kMost));
        EXPECT_EQ(check(d).code(), Code::shape);
    }
}

// Any bits at all: a verdict, no crash, no overflow (the sanitizers' build looks).
TEST(Description, FuzzedDescriptors) {
    std::mt19937_64 random(2);
    const std::vector<std::int64_t> edges = {0,
                                             1,
                                             -1,
                                             2,
                                             3,
                                             64,
                                             1 << 30,
                                             (1 << 30) + 1,
                                             0x7fffffff,
                                             std::int64_t{1} << 31,
                                             std::int64_t{1} << 32,
                                             std::int64_t{1} << 59,
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min()};
    const auto any = [&] {
        return random() % 4 ? edges[random() % edges.size()] : static_cast<std::int64_t>(random());
    };
    std::set<Code> seen;
    for (int i = 0; i < 200000; ++i) {
        Description d = good();
        Tensor* tensors[] = {&d.y, &d.residual_out, &d.a, &d.b, &d.weight};
        for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
            Tensor& t = *tensors[random() % 5];
            switch (random() % 7) {
                case 0:
                    t.type = static_cast<Type>(static_cast<int>(random() % 6) - 1);
                    break;
                case 1:
                    t.rank = static_cast<int>(any());
                    break;
                case 2:
                case 3: {
                    // Of all alike, so that more than the first check is reached.
                    const std::int64_t extent = any();
                    const std::size_t k = random() % 3;
                    for (std::size_t at = 0; at < 4; ++at) tensors[at]->shape[k] = extent;
                    if (k == 2) d.weight.shape[0] = extent;
                    break;
                }
                case 4:
                case 5:
                    t.strides[random() % 3] = any();
                    break;
                default:
                    d.epsilon = static_cast<float>(any());
                    break;
            }
        }
        const Status status = check(d);
        seen.insert(status.code());
        if (!status) {
            EXPECT_GT(std::string(status.sentence()).size(), 20u);
            continue;
        }
        const Layout layout = detail::layout_of(d);
        EXPECT_GE(layout.dim, 1);
        for (const RowLayout& row : layout.tensors) EXPECT_GE(row.extent, 0);
        if (detail::has_whole_packs(layout))
            for (const bool clusters : {false, true}) {
                const Shape shape = detail::whole_shape(layout, 132, clusters);
                EXPECT_TRUE(shape.route == Shape::Route::element || detail::fits(shape, layout, clusters, true))
                    << layout.rows() << " rows of " << layout.dim << ": " << route_name(shape.route);
            }
        if (detail::is_alike(layout))
            for (const bool clusters : {false, true}) {
                const Shape shape = detail::shifted_shape(layout, 132, clusters);
                EXPECT_TRUE(shape.route == Shape::Route::element || detail::fits(shape, layout, clusters, false))
                    << layout.rows() << " rows of " << layout.dim << ": " << route_name(shape.route);
            }
    }
    for (const Code code : {Code::ok, Code::types, Code::shape, Code::strides, Code::parameter})
        EXPECT_TRUE(seen.contains(code));
}

}  // namespace
