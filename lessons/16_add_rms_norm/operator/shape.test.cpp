// How rows lie, and the shape of the launch that takes them: without a GPU.
#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"
#include "lessons/16_add_rms_norm/operator/description.testing.hpp"

namespace {

using namespace add_rms_norm;
using add_rms_norm::testing::good;

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
    EXPECT_EQ(shape_of(Type::f16, 4096, 8192).route, Shape::Route::block);
    EXPECT_EQ(shape_of(Type::f16, 4096, 8192).packs, 2);
    EXPECT_EQ(shape_of(Type::f32, 4096, 4096).packs, 4);
    EXPECT_EQ(shape_of(Type::f16, 4, 8192).threads, 1024);  // few rows: all their loads at once
    // Long rows: on demand where they fill eight blocks of 512, else as few blocks as have room.
    for (const Type type : {Type::f16, Type::bf16, Type::f32})
        for (const std::int64_t dim : {65536, 61440}) {
            const Shape shape = shape_of(type, 1024, dim);
            const bool all = dim == 65536;
            EXPECT_EQ(shape.route, all ? Shape::Route::on_demand : Shape::Route::full);
            EXPECT_EQ(shape.threads, all ? 512 : 960);
            EXPECT_EQ(shape.packs, !all ? 8 : type == Type::f32 ? 4 : 2);
            EXPECT_EQ(shape.cluster, all ? 8 : type == Type::f32 ? 2 : 1);
            EXPECT_EQ(shape.packs * shape.threads * shape.cluster, dim / (type == Type::f32 ? 4 : 8));
        }
    // Where tensors are much larger than L2, blocks that run as many threads as a multiprocessor takes.
    EXPECT_EQ(shape_of(Type::f16, 16384, 8192).route, Shape::Route::held);
    EXPECT_EQ(shape_of(Type::f16, 16384, 8192).threads, 512);
    EXPECT_EQ(shape_of(Type::f16, 16384, 8192, false).route, Shape::Route::block);
    EXPECT_EQ(shape_of(Type::f32, 16384, 8192).route, Shape::Route::held);
    EXPECT_EQ(shape_of(Type::f32, 16384, 8192).threads, 1024);
    EXPECT_EQ(shape_of(Type::f32, 1024, 8192).route, Shape::Route::block);   // 134 MB: not so large
    EXPECT_EQ(shape_of(Type::f16, 16384, 16384).route, Shape::Route::block);  // of halves not so many packs
    // More than 32 registers a thread hold longer ones.
    EXPECT_EQ(shape_of(Type::f16, 1024, 65544).route, Shape::Route::cluster);
    EXPECT_EQ(shape_of(Type::f16, 1024, 65544).packs, 4);
    EXPECT_EQ(shape_of(Type::f16, 1024, 40000).route, Shape::Route::held);  // 5000 packs fill no block
    EXPECT_EQ(shape_of(Type::f16, 1024, 32768).route, Shape::Route::held);
    // No kernel of whole rows alone: no clusters, or too long for one.
    EXPECT_EQ(shape_of(Type::f16, 1024, 65536, false).route, Shape::Route::full);
    EXPECT_EQ(shape_of(Type::f32, 1024, 65536, false).route, Shape::Route::element);
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
    for (const Type type : {Type::f16, Type::f32}) {
        const std::int64_t most = type == Type::f32 ? 32768 : 65536;   // in eight blocks of 512, two packs a thread
        const Shape two = shape_of(type, 4, most - 1), four = shape_of(type, 4, most + 65);
        EXPECT_EQ(two.route, Shape::Route::packed);
        EXPECT_EQ(two.packs, 2);
        EXPECT_EQ(two.cluster, 8);
        EXPECT_EQ(two.threads, 512);
        EXPECT_EQ(four.route, Shape::Route::packed);
        EXPECT_EQ(four.packs, 4);
        EXPECT_EQ(four.cluster, 4);
    }
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

// Of an H200's L2, 60 MiB.
TEST(Layouts, WhatL2IsAsked) {
    constexpr std::int64_t kL2 = 60 << 20;
    const auto layout_of = [](Type type, std::int64_t rows, std::int64_t dim) {
        Description d;
        d.set_all(contiguous(type, rows, dim));
        return detail::layout_of(d);
    };
    // 8 MB in all; 24 MiB, which is 40 hundredths; a row more.
    EXPECT_EQ(detail::rows_first(layout_of(Type::f16, 1024, 1024), kL2), 0);
    EXPECT_EQ(detail::rows_first(layout_of(Type::f16, 3072, 1024), kL2), 0);
    EXPECT_EQ(detail::rows_first(layout_of(Type::f16, 3073, 1024), kL2), 1024);   // 4 MB of rows of 4 KB
    EXPECT_EQ(detail::rows_first(layout_of(Type::f32, 16384, 8192), kL2), 64);    // … of 64 KB
    EXPECT_EQ(detail::rows_first(layout_of(Type::f32, 16384, 1 << 20), kL2), 1);  // at least one
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::f16, 3072, 1024), kL2, true), 0);
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::f16, 3073, 1024), kL2, true), 768);  // 3 MB
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::bf16, 1024, 65536), kL2, true), 0);  // 537 MB: evicted last
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::f16, 4, 1 << 22), kL2, true), 1);
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::f16, 4096, 4096), kL2, false), 0);   // as on an H100
    EXPECT_EQ(detail::rows_ahead(layout_of(Type::f32, 4096, 4096), kL2, true), 0);
    EXPECT_FALSE(detail::evicts_last(layout_of(Type::f32, 4096, 4096), kL2));   // 268 MB
    EXPECT_FALSE(detail::evicts_last(layout_of(Type::f16, 46080, 1024), kL2));  // six times L2
    EXPECT_TRUE(detail::evicts_last(layout_of(Type::f16, 46081, 1024), kL2));
    EXPECT_TRUE(detail::evicts_last(layout_of(Type::f16, 1024, 65536), kL2));
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
