// What the operator says without a GPU: every misuse, two at once, and descriptors that make no sense.
#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

namespace {

using namespace add_rms_norm;

// The order that README.md documents.
const std::vector<Code> kOrder = {Code::not_created, Code::null_pointer, Code::types,     Code::shape,
                                  Code::strides,     Code::parameter,    Code::alignment, Code::aliasing,
                                  Code::workspace,   Code::device,       Code::launch};

std::size_t place_of(Code code) {
    return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), code) - kOrder.begin());
}

Description good() {
    Description description;
    description.set_all(contiguous(Type::f16, 3, 5, 64));
    return description;
}

struct Misuse {
    const char* what;
    Code code;
    std::function<void(Description&)> make;
    const char* told;  // is in the sentence
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
        EXPECT_NE(std::string(status.sentence()).find(misuse.told), std::string::npos)
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

// Elements at which a tensor's rows lie; more than once where rows overlap.
std::vector<std::int64_t> places_of(const Tensor& t) {
    std::vector<std::int64_t> places;
    const bool heads = t.rank == 3;
    const std::int64_t dim = t.shape[heads ? 2 : 1], count = heads ? t.shape[1] : 1;
    for (std::int64_t b = 0; b < t.shape[0]; ++b)
        for (std::int64_t h = 0; h < count; ++h)
            for (std::int64_t i = 0; i < dim; ++i)
                places.push_back(b * t.strides[0] + (heads ? h * t.strides[1] : 0) + i);
    return places;
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

// ---- Pointers ----------------------------------------------------------------------------------------------------

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

// Apart from each other, and aligned.
detail::Pointers apart() { return {at(0x100000), at(0x200000), at(0x300000), at(0x400000), at(0x500000)}; }

Code code_of(const detail::Pointers& pointers, const Description& d = good(), std::size_t needed = 0,
             const void* workspace = nullptr, std::size_t size = 0) {
    return detail::check_pointers(detail::layout_of(d), pointers, needed, workspace, size).code();
}

TEST(Pointers, Aliasing) {
    EXPECT_EQ(code_of(apart()), Code::ok);
    detail::Pointers p = apart();
    p.y = p.a;
    p.residual_out = p.b;
    EXPECT_EQ(code_of(p), Code::ok);  // in place
    p = apart();
    p.a = p.b = p.y;
    EXPECT_EQ(code_of(p), Code::ok);  // both inputs are one, and become y
    p.y = p.residual_out;
    EXPECT_EQ(code_of(p), Code::aliasing);
    p = apart();
    p.y = at(0x300002);  // one element into a
    EXPECT_EQ(code_of(p), Code::aliasing);
    p = apart();
    p.residual_out = at(0x500000 + 126);  // over the weight's last element
    EXPECT_EQ(code_of(p), Code::aliasing);
    p.residual_out = at(0x500000 + 128);
    EXPECT_EQ(code_of(p), Code::ok);
    Description d = good();
    d.a.strides = {640, 128, 1};  // the address of y, but other rows
    p = apart();
    p.a = p.y;
    EXPECT_EQ(code_of(p, d), Code::aliasing);
}

// Parts of one tensor of (batch, heads, 4 * 64), side by side.
TEST(Pointers, RowsBetweenRows) {
    Description d;
    d.set_all({Type::f16, 3, {3, 5, 64}, {5 * 256, 256, 1}});
    ASSERT_TRUE(check(d)) << check(d).sentence();
    detail::Pointers p{at(0x10000), at(0x10080), at(0x10100), at(0x10180), at(0x500000)};
    EXPECT_EQ(code_of(p, d), Code::ok);
    p.residual_out = at(0x10080 - 16);
    EXPECT_EQ(code_of(p, d), Code::aliasing);
}

TEST(Pointers, DisjointMeansDisjoint) {
    std::mt19937_64 random(3);
    int disjoint = 0, met = 0, missed = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto below = [&](std::int64_t limit) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
        };
        Description d;
        d.set_all(contiguous(Type::f32, 1 + below(3), 1 + below(3), 1 + below(4)));
        for (Tensor* t : {&d.y, &d.a})
            for (std::size_t k = 0; k < 2; ++k) t->strides[k] = below(24);
        if (random() % 2) d.a.strides = d.y.strides;
        if (!check(d)) continue;
        const Layout layout = detail::layout_of(d);
        const std::int64_t shift = below(40) - 20;
        std::set<std::int64_t> places;
        for (const std::int64_t place : places_of(d.y)) places.insert(place);
        bool meet = false;
        for (const std::int64_t place : places_of(d.a)) meet = meet || places.contains(place + shift);
        const bool told =
            detail::are_disjoint(at(0x10000), layout.tensors[0], at(0x10000 + static_cast<std::uintptr_t>(shift * 4)),
                                 layout.tensors[2], layout);
        if (told) {
            EXPECT_FALSE(meet);
        }
        (told ? disjoint : meet ? met : missed)++;
    }
    EXPECT_GT(disjoint, 500);
    EXPECT_GT(met, 500);
    EXPECT_LT(missed, disjoint) << "too much is refused";
}

TEST(Pointers, OfTwoMisusesTheDocumentedFirst) {
    struct Wrong {
        Code code;
        std::function<void(detail::Pointers&, const void*&, std::size_t&)> make;
    };
    const std::vector<Wrong> wrongs = {
        {Code::null_pointer, [](auto& p, auto&, auto&) { p.weight = nullptr; }},
        {Code::null_pointer, [](auto& p, auto&, auto&) { p.b = nullptr; }},
        {Code::alignment, [](auto& p, auto&, auto&) { p.a = at(0x300001); }},
        {Code::aliasing, [](auto& p, auto&, auto&) { p.residual_out = p.y; }},
        {Code::workspace, [](auto&, auto& workspace, auto&) { workspace = nullptr; }},
        {Code::workspace, [](auto&, auto&, auto& size) { size = 63; }},
        {Code::workspace, [](auto&, auto& workspace, auto&) { workspace = at(0x600008); }},
    };
    for (const Wrong& one : wrongs)
        for (const Wrong& other : wrongs) {
            detail::Pointers p = apart();
            const void* workspace = at(0x600000);
            std::size_t size = 64;
            EXPECT_EQ(code_of(p, good(), 64, workspace, size), Code::ok);
            one.make(p, workspace, size);
            other.make(p, workspace, size);
            const Code first = place_of(one.code) < place_of(other.code) ? one.code : other.code;
            EXPECT_EQ(code_of(p, good(), 64, workspace, size), first);
        }
    EXPECT_EQ(code_of(apart()), Code::ok);  // no workspace needed: null will do
}

TEST(Shapes, OfWholeRowsShortAndLong) {
    const auto shape_of = [](Type type, std::int64_t rows, std::int64_t dim, bool sm90 = true) {
        Description d;
        d.set_all(contiguous(type, rows, dim));
        EXPECT_TRUE(detail::has_whole_packs(detail::layout_of(d)));
        return detail::whole_shape(detail::layout_of(d), 132, sm90);
    };
    EXPECT_EQ(shape_of(Type::f16, 16384, 64).route, Shape::Route::group);
    EXPECT_EQ(shape_of(Type::f16, 16384, 64).threads, 8);  // 64 halves are 8 loads of 16 bytes
    EXPECT_EQ(shape_of(Type::f16, 16384, 64).rows, 16);
    EXPECT_EQ(shape_of(Type::f16, 16384, 8192).route, Shape::Route::block);
    EXPECT_EQ(shape_of(Type::f16, 4, 8192).threads, 1024);  // few rows: all their loads at once
    // Long rows: as many blocks of 512 threads as have room.
    for (const Type type : {Type::f16, Type::bf16, Type::f32}) {
        const Shape shape = shape_of(type, 1024, 65536);
        EXPECT_EQ(shape.route, Shape::Route::cluster);
        EXPECT_EQ(shape.threads, 512);
        EXPECT_EQ(shape.packs, type == Type::bf16 ? 2 : 4);
        EXPECT_EQ(shape.packs * shape.threads * shape.cluster, 65536 / (type == Type::f32 ? 4 : 8));
    }
    // No kernel of whole rows alone: no clusters, or too long for one.
    EXPECT_EQ(shape_of(Type::f16, 1024, 65536, false).route, Shape::Route::element);
    EXPECT_EQ(shape_of(Type::f16, 1024, 1 << 20).route, Shape::Route::element);
}

TEST(Shapes, OfRowsThatBeginAnywhere) {
    const auto shape_of = [](Type type, std::int64_t rows, std::int64_t dim, bool sm90 = true, Sum sum = Sum::rounded) {
        Description d;
        d.set_all(contiguous(type, rows, dim));
        d.sum = sum;
        EXPECT_TRUE(detail::is_alike(detail::layout_of(d)));
        return detail::shifted_shape(detail::layout_of(d), 132, sm90);
    };
    EXPECT_EQ(shape_of(Type::f16, 4, 1).threads, 16);  // as many as a row's ends may have values
    EXPECT_EQ(shape_of(Type::f16, 4, 511).route, Shape::Route::group);
    EXPECT_EQ(shape_of(Type::f16, 4, 1023).route, Shape::Route::block);
    EXPECT_EQ(shape_of(Type::f32, 4, 4097).route, Shape::Route::block);
    EXPECT_EQ(shape_of(Type::f16, 4, 65537).route, Shape::Route::packed);
    // What residual_out does not hold is kept in float.
    EXPECT_EQ(shape_of(Type::f16, 4, 65537, true, Sum::unrounded).route, Shape::Route::wide);
    EXPECT_EQ(shape_of(Type::f32, 4, 65537, true, Sum::unrounded).route, Shape::Route::packed);
    EXPECT_EQ(shape_of(Type::f16, 4, 65537, false).route, Shape::Route::element);  // no clusters
    EXPECT_EQ(shape_of(Type::f16, 4, 32767, false).route, Shape::Route::packed);   // one block needs none
    EXPECT_EQ(shape_of(Type::f16, 4, 300001).route, Shape::Route::element);
    // Whatever the length, there is room for all whole packs, and there are threads for the ends.
    for (const Type type : {Type::f16, Type::f32})
        for (const Sum sum : {Sum::rounded, Sum::unrounded})
            for (std::int64_t dim = 1; dim < 300000; dim += dim / 9 + 1) {
                const Shape shape = shape_of(type, 4, dim, true, sum);
                const std::int64_t values = type == Type::f32 ? 4 : 8;
                if (shape.route == Shape::Route::element) continue;
                EXPECT_GE(std::int64_t{shape.packs} * shape.threads * shape.cluster, dim / values) << dim;
                EXPECT_GE(shape.threads, 2 * (values - 1)) << dim;
            }
}

TEST(Layouts, RowsThatBeginEquallyFarPastAMultiple) {
    Description d;
    d.set_all(contiguous(Type::f16, 3, 65));
    EXPECT_FALSE(detail::has_whole_packs(detail::layout_of(d)));
    EXPECT_TRUE(detail::is_alike(detail::layout_of(d)));
    d.a.strides[0] = 65 + 8;  // 16 bytes more
    EXPECT_TRUE(detail::is_alike(detail::layout_of(d)));
    d.a.strides[0] = 66;
    EXPECT_FALSE(detail::is_alike(detail::layout_of(d)));
    d.a.strides[0] = 0;  // one row for all
    EXPECT_FALSE(detail::is_alike(detail::layout_of(d)));
    d.set_all(contiguous(Type::f16, 1, 65));
    d.a.strides[0] = 66;  // of a dimension of one element
    EXPECT_TRUE(detail::is_alike(detail::layout_of(d)));
    d.set_all(contiguous(Type::f32, 3, 65));
    d.b.strides[0] = 65 + 4;
    EXPECT_TRUE(detail::is_alike(detail::layout_of(d)));
}

TEST(Layouts, BatchesAndHeadsBecomeOneWhereTheyCan) {
    EXPECT_EQ(detail::layout_of(good()).batch, 15);
    EXPECT_EQ(detail::layout_of(good()).heads, 1);
    Description d = good();
    d.b.strides[0] = 0;
    EXPECT_EQ(detail::layout_of(d).batch, 3);
    EXPECT_EQ(detail::layout_of(d).heads, 5);
}

}  // namespace
