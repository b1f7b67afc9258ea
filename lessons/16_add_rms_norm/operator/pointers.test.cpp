// What the operator says of pointers, without a GPU.
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"
#include "lessons/16_add_rms_norm/operator/description.testing.hpp"

namespace {

using namespace add_rms_norm;
using add_rms_norm::testing::good;
using add_rms_norm::testing::place_of;
using add_rms_norm::testing::places_of;

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

// 64 bytes that end where a tensor begins, or begin where it ends, are apart; 16 further on they are not.
TEST(Pointers, AWorkspaceIsApartFromAllTensors) {
    const auto code = [](std::uintptr_t workspace) { return code_of(apart(), good(), 64, at(workspace), 64); };
    const std::uintptr_t size = 3 * 5 * 64 * 2;
    for (const std::uintptr_t tensor : {0x100000, 0x200000, 0x300000, 0x400000}) {
        EXPECT_EQ(code(tensor - 64), Code::ok);
        EXPECT_EQ(code(tensor - 48), Code::workspace);
        EXPECT_EQ(code(tensor + size - 16), Code::workspace);
        EXPECT_EQ(code(tensor + size), Code::ok);
    }
    EXPECT_EQ(code(0x500000 + 112), Code::workspace);  // the last of the weight's 128 bytes
    EXPECT_EQ(code(0x500000 + 128), Code::ok);
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
        const bool said_disjoint =
            detail::are_disjoint(at(0x10000), layout.tensors[0], at(0x10000 + static_cast<std::uintptr_t>(shift * 4)),
                                 layout.tensors[2], layout);
        if (said_disjoint) {
            EXPECT_FALSE(meet);
        }
        (said_disjoint ? disjoint : meet ? met : missed)++;
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
        {Code::workspace, [](auto&, auto& workspace, auto&) { workspace = at(0x200000); }},
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

}  // namespace
