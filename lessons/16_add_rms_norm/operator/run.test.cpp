// The operator on a GPU against a reference in double; without one, what create() says then.
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "lessons/16_add_rms_norm/operator/run.testing.hpp"

namespace {

using namespace add_rms_norm;
using namespace add_rms_norm::testing;

// ---- Anywhere ------------------------------------------------------------------------------------------------------

TEST(Create, SaysWhatIsWrongBeforeItLooksForAGpu) {
    Description description;
    EXPECT_EQ(AddRmsNorm::create(nullptr, description).code(), Code::null_pointer);
    AddRmsNorm norm;
    EXPECT_EQ(AddRmsNorm::create(&norm, description).code(), Code::shape);
    description.set_all(contiguous(Type::f32, 4, 8));
    description.device = 1000;
    description.epsilon = -1;
    EXPECT_EQ(AddRmsNorm::create(&norm, description).code(), Code::parameter);
    description.epsilon = 0;
    EXPECT_EQ(AddRmsNorm::create(&norm, description).code(), Code::device);
    description.device = -2;
    EXPECT_EQ(AddRmsNorm::create(&norm, description).code(), Code::device);
    int on[8];
    EXPECT_EQ(norm.run(nullptr, 0, on, on, on, on, on, nullptr).code(), Code::not_created);
    EXPECT_EQ(norm.workspace_size(), 0u);
}

TEST(Create, WithoutAGpuSaysSo) {
    if (has_gpu()) GTEST_SKIP() << "there is one";
    Description description;
    description.set_all(contiguous(Type::f32, 4, 8));
    AddRmsNorm norm;
    const Status status = AddRmsNorm::create(&norm, description);
    EXPECT_EQ(status.code(), Code::device);
    EXPECT_NE(std::string(status.sentence()).find("no CUDA device"), std::string::npos) << status.sentence();
}

// ---- On a GPU ------------------------------------------------------------------------------------------------------

#define NEEDS_A_GPU() \
    if (!has_gpu()) GTEST_SKIP() << "no GPU"

TEST(Run, EveryOddLength) {
    NEEDS_A_GPU();
    int turn = 0;
    for (std::int64_t dim = 1; dim <= 4100; dim += 2)
        for (const auto& types : kPairs) {
            Case c = make_case(types, contiguous(types.first, 3, dim));
            c.description.sum = static_cast<Sum>(turn % 3);
            c.description.cast = static_cast<Cast>(turn / 3 % 2);
            expect_right(c);
            ++turn;
        }
}

TEST(Run, WholePacksOfEveryRoute) {
    NEEDS_A_GPU();
    for (const std::int64_t dim : {8,    16,   24,   64,   72,    128,   256,   264,   512,   1000,   1024,
                                   1032, 2048, 4096, 8192, 12288, 16384, 16392, 32768, 65536, 131072, 262144})
        for (const auto& types : kPairs)
            for (const int sum : {0, 1, 2})
                for (const int cast : {0, 1}) {
                    Case c = make_case(types, contiguous(types.first, dim > 20000 ? 2 : 5, dim));
                    c.description.sum = static_cast<Sum>(sum);
                    c.description.cast = static_cast<Cast>(cast);
                    expect_right(c);
                }
}

TEST(Run, LongAndAround) {
    NEEDS_A_GPU();
    for (const std::int64_t dim : {8191, 8192, 8193, 65535, 65536, 65537, 100003})
        for (const auto& types : kPairs)
            for (const int sum : {0, 1, 2}) {
                Case c = make_case(types, contiguous(types.first, 3, dim));
                c.description.sum = static_cast<Sum>(sum);
                expect_right(c);
                c.offset = 1;  // all alike: packs that begin elsewhere
                expect_right(c);
                c.weight_offset = 1;  // the element route, and where the row fits nowhere the workspace
                expect_right(c);
            }
}

// Rows that begin at every place within 16 bytes; tensors that begin at different places.
TEST(Run, BeginsAnywhere) {
    NEEDS_A_GPU();
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {1, 3, 8, 9, 63, 64, 65, 130, 1024, 1031, 4097, 20001})
            for (std::int64_t offset = 0; offset < 8; ++offset) {
                Case c = make_case(types, contiguous(types.first, 5, dim));
                c.description.sum = static_cast<Sum>(offset % 3);
                c.description.cast = static_cast<Cast>(offset % 2);
                c.offset = offset;
                expect_right(c);
                c.y_is_a = c.residual_is_b = true;
                expect_right(c);
                c.y_is_a = c.residual_is_b = false;
                c.b_offset = offset % 4 + 1;
                expect_right(c);
            }
}

TEST(Run, MoreRowsThanOneBlockTakes) {
    NEEDS_A_GPU();
    for (const std::int64_t rows : {1, 2, 15, 16, 17, 1000})
        for (const std::int64_t dim : {8, 64, 200, 1024})
            expect_right(make_case({Type::bf16, Type::bf16}, contiguous(Type::bf16, rows, dim)));
    Case c = make_case({Type::f16, Type::f16},
                       contiguous(Type::f16, 700, 70001));  // more rows than the workspace has room for
    c.description.sum = Sum::unrounded;
    expect_right(c);
}

TEST(Run, StridedAndThreeDimensions) {
    NEEDS_A_GPU();
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {7, 64, 1000, 4096, 65536, 65537}) {
            Case c = make_case(types, contiguous(types.first, 3, 5, dim));
            Description& d = c.description;
            expect_right(c);
            d.a.strides = {5 * (dim + 8), dim + 8, 1};
            d.b.strides = {0, dim, 1};                    // one batch for all
            d.y.strides = {dim + 16, 3 * (dim + 16), 1};  // heads outside
            d.residual_out.strides = {7 * dim + 24, dim + 1, 1};
            expect_right(c);
            d.residual_out.strides = {7 * dim, dim, 1};
            expect_right(c);
        }
}

TEST(Run, InPlace) {
    NEEDS_A_GPU();
    for (const auto& types : kPairs)
        for (const std::int64_t dim : {1, 33, 64, 1024, 4096, 8191, 32768, 65536, 70001})
            for (const int sum : {0, 1, 2})
                for (const int which : {1, 2, 3}) {
                    Case c = make_case(types, contiguous(types.first, 4, dim));
                    c.description.sum = static_cast<Sum>(sum);
                    c.y_is_a = which & 1;
                    c.residual_is_b = (which & 2) != 0;
                    expect_right(c);
                }
}

TEST(Run, InEveryShapeThatFits) {
    NEEDS_A_GPU();
    int shapes = 0;
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    using Route = Shape::Route;
    for (const auto& types : {kPairs[2], kPairs[6]})
        for (const std::int64_t dim : {64, 1024, 4096, 4099, 16384, 65536}) {
            Case c = make_case(types, contiguous(types.first, dim > 20000 ? 70 : 137, dim));
            const Layout layout = detail::layout_of(c.description);
            // As create() finds it: too long for the kernels of whole rows is as beginning anywhere.
            const bool whole = detail::has_whole_packs(layout) &&
                               detail::whole_shape(layout, 132, major >= 9).route != Route::element;
            for (const auto route : {Route::group, Route::block, Route::held, Route::full, Route::on_demand,
                                     Route::cluster, Route::wide, Route::packed})
                for (const int packs : {1, 2, 4, 8})
                    for (const int threads : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
                        for (const int rows : {1, 4, 16})
                            for (const int cluster : {1, 2, 4, 8}) {
                                c.shape = {route, packs, threads, rows, cluster};
                                if (std::int64_t{threads} * packs * cluster > dim ||
                                    !detail::fits(c.shape, layout, major >= 9, whole))
                                    continue;
                                expect_right(c);
                                ++shapes;
                            }
        }
    EXPECT_GT(shapes, 30);
}

// Infinities and NaN stay in their row; a row of zeroes with epsilon 0 is 0 * infinity.
TEST(Run, NotNumbers) {
    NEEDS_A_GPU();
    constexpr std::int64_t kDim = 512;
    Description d;
    d.set_all(contiguous(Type::f32, 3, kDim));
    AddRmsNorm norm;
    ASSERT_TRUE(AddRmsNorm::create(&norm, d));
    std::vector<float> values(3 * kDim, 1.0f), ones(kDim, 1.0f);
    values[kDim + 7] = std::numeric_limits<float>::quiet_NaN();
    float *a, *b, *y, *r, *w;
    for (float** p : {&a, &b, &y, &r, &w}) ASSERT_EQ(cudaMalloc(p, values.size() * 4), cudaSuccess);
    cudaMemcpy(a, values.data(), values.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, values.size() * 4);
    cudaMemcpy(w, ones.data(), ones.size() * 4, cudaMemcpyHostToDevice);
    ASSERT_TRUE(norm.run(nullptr, 0, y, r, a, b, w, nullptr));
    cudaMemcpy(values.data(), y, values.size() * 4, cudaMemcpyDeviceToHost);
    for (std::int64_t i = 0; i < 3 * kDim; ++i)
        EXPECT_EQ(std::isnan(values[static_cast<std::size_t>(i)]), i / kDim == 1) << i;
    for (float* p : {a, b, y, r, w}) cudaFree(p);
}

TEST(Run, MisuseLaunchesNothing) {
    NEEDS_A_GPU();
    Description d;
    d.set_all(contiguous(Type::f32, 2, 64));
    AddRmsNorm norm;
    ASSERT_TRUE(AddRmsNorm::create(&norm, d));
    float* memory;
    ASSERT_EQ(cudaMalloc(&memory, 4096), cudaSuccess);
    cudaMemset(memory, 0x5a, 4096);
    float *y = memory, *r = memory + 128, *a = memory + 256, *b = memory + 384, *w = memory + 512;
    EXPECT_EQ(norm.run(nullptr, 0, nullptr, r, a, b, w, nullptr).code(), Code::null_pointer);
    EXPECT_EQ(norm.run(nullptr, 0, y, y, a, b, w, nullptr).code(), Code::aliasing);
    EXPECT_EQ(norm.run(nullptr, 0, y, y + 1, a, b, nullptr, nullptr).code(), Code::null_pointer);
    EXPECT_EQ(norm.run(nullptr, 0, reinterpret_cast<char*>(y) + 1, r, a, b, w, nullptr).code(), Code::alignment);
    cudaDeviceSynchronize();
    std::vector<unsigned char> bytes(4096);
    cudaMemcpy(bytes.data(), memory, 4096, cudaMemcpyDeviceToHost);
    for (const unsigned char byte : bytes) ASSERT_EQ(byte, 0x5a);
    int count = 0;
    cudaGetDeviceCount(&count);
    if (count > 1) {
        cudaSetDevice(1);
        EXPECT_EQ(norm.run(nullptr, 0, y, r, a, b, w, nullptr).code(), Code::device);
        cudaSetDevice(0);
    }
    d.set_all(contiguous(Type::f16, 2, 65537));
    d.sum = Sum::unrounded;
    ASSERT_TRUE(AddRmsNorm::create(&norm, d));
    EXPECT_GE(norm.workspace_size(), 2u * 65537 * 4);
    void* large;
    ASSERT_EQ(cudaMalloc(&large, 4 * 65537 * 2 + 65537 * 2), cudaSuccess);
    auto* at = static_cast<char*>(large);
    const std::size_t step = 65537 * 4;
    const auto run = [&](void* workspace, std::size_t size) {
        return norm.run(workspace, size, at, at + step, at, at + step, at + 2 * step, nullptr).code();
    };
    EXPECT_EQ(run(nullptr, norm.workspace_size()), Code::workspace);
    EXPECT_EQ(run(large, norm.workspace_size() - 1), Code::workspace);
    cudaFree(large);
    cudaFree(memory);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Each route in a few small shapes: for compute-sanitizer's tools, under which larger ones take too long.
TEST(Small, EveryRoute) {
    NEEDS_A_GPU();
    using Route = Shape::Route;
    std::set<Route> routes;
    const auto run = [&](Case c) {
        for (const int sum : {0, 1})
            for (const bool in_place : {false, true}) {
                // No kernel: what is kept packed is rounded, and only unrounded rows are kept wide.
                const bool packed = c.shape.route == Route::packed || c.shape.route == Route::held ||
                                    c.shape.route == Route::full || c.shape.route == Route::on_demand;
                if (c.shape.threads && (sum == 1 ? packed : c.shape.route == Route::wide)) continue;
                c.description.sum = static_cast<Sum>(sum);
                c.y_is_a = c.residual_is_b = in_place;
                expect_right(c);
            }
        AddRmsNorm norm;
        ASSERT_TRUE(AddRmsNorm::create(&norm, c.description));
        const bool aligned = c.offset == 0 && c.b_offset == 0;
        routes.insert(c.shape.threads ? c.shape.route : (aligned ? norm.aligned() : norm.shifted()).route);
    };
    for (const auto& types : {kPairs[0], kPairs[2], kPairs[6]}) {
        for (const std::int64_t dim : {3, 64, 1024, 2056, 4097}) run(make_case(types, contiguous(types.first, 3, dim)));
        run(make_case(types, contiguous(types.first, 2, 33000)));
        Case c = make_case(types, contiguous(types.first, 3, 264));
        c.offset = 3;
        run(c);
        c.weight_offset = 1;
        run(c);
    }
    const auto on_sm90 = [] {
        int major = 0;
        return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && major >= 9;
    };
    if (!on_sm90()) return;
    Case c = make_case({Type::f16, Type::f16}, contiguous(Type::f16, 5, 1016));
    c.shape = {Route::held, 2, 64, 1, 2};
    run(c);
    c.shape = {Route::cluster, 4, 32, 1, 2};
    run(c);
    c = make_case({Type::f16, Type::bf16}, contiguous(Type::f16, 5, 4096));
    for (const int cluster : {1, 2}) {
        c.shape = {Route::full, 8, 64 / cluster, 1, cluster};
        run(c);
    }
    c.shape = {Route::on_demand, 2, 32, 1, 8};
    run(c);
    c = make_case({Type::f16, Type::f32}, contiguous(Type::f16, 5, 1016));
    c.shape = {Route::cluster, 2, 64, 1, 2};
    run(c);
    c = make_case({Type::f16, Type::f32}, contiguous(Type::f16, 5, 1017));
    for (const Shape& shape :
         {Shape{Route::packed, 4, 32, 1, 1}, {Route::packed, 4, 32, 1, 2}, {Route::wide, 4, 32, 1, 2}}) {
        c.shape = shape;
        run(c);
    }
    for (const Route route :
         {Route::group, Route::block, Route::held, Route::full, Route::on_demand, Route::cluster, Route::wide,
          Route::packed})
        EXPECT_TRUE(routes.contains(route)) << route_name(route);
}

// More rows than the fixed four of each cluster: the others are counted in the workspace, whatever it held before.
TEST(Run, RowsOnDemandAreTakenOnce) {
    NEEDS_A_GPU();
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major < 9) GTEST_SKIP() << "This GPU has no clusters.";
    using Route = Shape::Route;
    for (const auto& types : {kPairs[0], kPairs[2], kPairs[6]}) {
        Case c = make_case(types, contiguous(types.first, 1500, 4096));
        c.shape = {Route::on_demand, types.first == Type::f32 ? 4 : 2, 32, 1, 8};
        expect_right(c);
        c.y_is_a = c.residual_is_b = true;
        expect_right(c);
    }
    // The same workspace again and again, here for all rows at once.
    constexpr std::int64_t kRows = 1500, kDim = 65536;
    Description d;
    d.set_all(contiguous(Type::f16, kRows, kDim));
    AddRmsNorm norm;
    ASSERT_TRUE(AddRmsNorm::create(&norm, d));
    ASSERT_EQ(norm.aligned().route, Route::on_demand);
    ASSERT_EQ(norm.workspace_size(), 16u);
    constexpr std::size_t kBytes = kRows * kDim * 2;
    char *in, *first, *again, *workspace;
    for (char** p : {&in, &first, &again}) ASSERT_EQ(cudaMalloc(p, 2 * kBytes), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&workspace, 16), cudaSuccess);
    std::vector<std::uint16_t> values(kBytes / 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(0x3000 + i * 2654435761u % 2048);
    cudaMemcpy(in, values.data(), kBytes, cudaMemcpyHostToDevice);
    cudaMemcpy(in + kBytes, values.data(), kBytes, cudaMemcpyHostToDevice);
    std::vector<char> want(kBytes), got(kBytes);
    for (const int before : {0, 0xa5, -1}) {   // -1: what the run before left
        if (before >= 0) cudaMemset(workspace, before, 16);
        cudaMemset(again, 0xff, 2 * kBytes);
        ASSERT_TRUE(norm.run(workspace, 16, before == 0 ? first : again, (before == 0 ? first : again) + kBytes, in,
                             in + kBytes, in, nullptr));
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        cudaMemcpy(before == 0 ? want.data() : got.data(), before == 0 ? first : again, kBytes, cudaMemcpyDeviceToHost);
        if (before != 0) { EXPECT_TRUE(got == want) << before; }
    }
    std::uint64_t words[2] = {1, 2};
    cudaMemcpy(words, workspace, 16, cudaMemcpyDeviceToHost);
    EXPECT_EQ(words[0], words[1]);
    for (char* p : {in, first, again, workspace}) cudaFree(p);
}

TEST(Run, NoRowsDoNothing) {
    NEEDS_A_GPU();
    Description d;
    d.set_all(contiguous(Type::f16, 0, 64));
    AddRmsNorm norm;
    ASSERT_TRUE(AddRmsNorm::create(&norm, d));
    EXPECT_TRUE(norm.run(nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace
