// The operator on a GPU against a reference in double; without one, what create() says then.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

namespace {

using namespace add_rms_norm;

bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

double value_of(Type type, const std::byte* at) {
    if (type == Type::f32) {
        float value;
        std::memcpy(&value, at, 4);
        return static_cast<double>(value);
    }
    std::uint16_t bits;
    std::memcpy(&bits, at, 2);
    if (type == Type::f16) return static_cast<double>(__half2float(__half(__half_raw{bits})));
    return static_cast<double>(__bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{bits})));
}

void put(Type type, std::byte* at, float value) {
    if (type == Type::f32) {
        std::memcpy(at, &value, 4);
    } else if (type == Type::f16) {
        const __half narrow = __float2half_rn(value);
        std::memcpy(at, &narrow, 2);
    } else {
        const __nv_bfloat16 narrow = __float2bfloat16_rn(value);
        std::memcpy(at, &narrow, 2);
    }
}

double rounded(Type type, float value) {
    std::byte bytes[4];
    put(type, bytes, value);
    return value_of(type, bytes);
}

double unit_of(Type type) { return type == Type::f32 ? 0x1p-24 : type == Type::f16 ? 0x1p-11 : 0x1p-8; }
double least_of(Type type) { return type == Type::f16 ? 0x1p-25 : type == Type::bf16 ? 0x1p-134 : 0x1p-149; }

// A tensor in device memory, with memory around it that no run may change.
class Held {
public:
    static constexpr std::size_t kAround = 64;  // bytes on either side
    Held(const Tensor& tensor, std::int64_t offset) : tensor_(tensor), size_(detail::size_of(tensor.type)) {
        std::int64_t extent = tensor.shape[static_cast<std::size_t>(tensor.rank - 1)];
        for (int k = 0; k + 1 < tensor.rank; ++k)
            extent += tensor.strides[static_cast<std::size_t>(k)] * (tensor.shape[static_cast<std::size_t>(k)] - 1);
        first_ = kAround + static_cast<std::size_t>(offset) * size_;
        bytes_.assign(first_ + static_cast<std::size_t>(extent) * size_ + kAround, std::byte{0x5a});
        EXPECT_EQ(cudaMalloc(&device_, bytes_.size()), cudaSuccess);
    }
    ~Held() { cudaFree(device_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    void* pointer() const { return static_cast<std::byte*>(device_) + first_; }
    std::vector<std::byte>& bytes() { return bytes_; }
    void upload() { EXPECT_EQ(cudaMemcpy(device_, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice), cudaSuccess); }
    std::vector<std::byte> download() const {
        std::vector<std::byte> held(bytes_.size());
        EXPECT_EQ(cudaMemcpy(held.data(), device_, held.size(), cudaMemcpyDeviceToHost), cudaSuccess);
        return held;
    }
    std::size_t place(std::int64_t batch, std::int64_t head, std::int64_t i) const {
        std::int64_t at = batch * tensor_.strides[0] + i;
        if (tensor_.rank == 3) at += head * tensor_.strides[1];
        return first_ + static_cast<std::size_t>(at) * size_;
    }

private:
    Tensor tensor_;
    std::size_t size_, first_ = 0;
    std::vector<std::byte> bytes_;
    void* device_ = nullptr;
};

struct Case {
    Description description;
    std::int64_t offset = 0;         // elements that the tensors begin past a multiple of 16 bytes
    std::int64_t weight_offset = 0;  // … the weight
    std::int64_t b_offset = 0;       // … b more than the others
    bool y_is_a = false, residual_is_b = false;
    Shape shape{};  // threads 0: the operator's choice
};

std::string text_of(const Case& c) {
    const Tensor& y = c.description.y;
    std::string text = "types " + std::to_string(static_cast<int>(y.type)) + "/" +
                       std::to_string(static_cast<int>(c.description.weight.type)) + ", (";
    for (int k = 0; k < y.rank; ++k) text += (k ? ", " : "") + std::to_string(y.shape[static_cast<std::size_t>(k)]);
    return text + "), sum " + std::to_string(static_cast<int>(c.description.sum)) + ", cast " +
           std::to_string(static_cast<int>(c.description.cast)) + ", offset " + std::to_string(c.offset) +
           " (weight " + std::to_string(c.weight_offset) + ", b +" + std::to_string(c.b_offset) + ")" +
           (c.y_is_a ? ", y is a" : "") + (c.residual_is_b ? ", residual_out is b" : "");
}

// residual_out bit by bit; y within what its roundings allow; all else as it was.
void expect_right(const Case& c) {
    const Description& d = c.description;
    AddRmsNorm norm;
    Status status = AddRmsNorm::create(&norm, d);
    ASSERT_TRUE(status) << status.sentence();
    if (c.shape.threads > 0) {
        ASSERT_TRUE(norm.use_shape(c.shape)) << text_of(c);
    }
    const Type type = d.y.type;
    const bool three = d.y.rank == 3;
    const std::int64_t batch = d.y.shape[0], heads = three ? d.y.shape[1] : 1, dim = d.y.shape[three ? 2 : 1];

    Held a(d.a, c.offset), b(d.b, c.offset + c.b_offset), weight(d.weight, c.weight_offset), y(d.y, c.offset),
        residual(d.residual_out, c.offset);
    std::mt19937 random(static_cast<unsigned>(dim));
    std::uniform_real_distribution<float> spread(-2, 2);
    for (Held* held : {&a, &b})
        for (std::int64_t i = 0; i < batch; ++i)
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t k = 0; k < dim; ++k)
                    put(type, held->bytes().data() + held->place(i, h, k), spread(random));
    for (std::int64_t k = 0; k < dim; ++k)
        put(d.weight.type,
            weight.bytes().data() + Held::kAround +
                static_cast<std::size_t>(c.weight_offset + k) * detail::size_of(d.weight.type),
            spread(random));
    for (Held* held : {&a, &b, &weight, &y, &residual}) held->upload();
    Held& y_at = c.y_is_a ? a : y;
    Held& residual_at = c.residual_is_b ? b : residual;
    void* workspace = nullptr;
    if (norm.workspace_size()) {
        ASSERT_EQ(cudaMalloc(&workspace, norm.workspace_size()), cudaSuccess);
    }
    status = norm.run(workspace, norm.workspace_size(), y_at.pointer(), residual_at.pointer(), a.pointer(), b.pointer(),
                      weight.pointer(), nullptr);
    ASSERT_TRUE(status) << status.sentence();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << text_of(c);
    cudaFree(workspace);

    const std::vector<std::byte> got_y = y_at.download(), got_residual = residual_at.download();
    std::vector<std::byte> want_y = y_at.bytes(), want_residual = residual_at.bytes();
    const double u = unit_of(type);
    int failures = 0;
    for (std::int64_t i = 0; i < batch; ++i)
        for (std::int64_t h = 0; h < heads; ++h) {
            std::vector<double> x(static_cast<std::size_t>(dim));
            double squares = 0;
            for (std::int64_t k = 0; k < dim; ++k) {
                const double sum = value_of(type, a.bytes().data() + a.place(i, h, k)) +
                                   value_of(type, b.bytes().data() + b.place(i, h, k));  // exact in double, or all but
                const float in_float = static_cast<float>(sum);
                const double narrow = rounded(type, in_float);
                put(type, want_residual.data() + residual_at.place(i, h, k), in_float);
                const double squared = d.sum == Sum::rounded ? narrow : static_cast<double>(in_float);
                squares += squared * squared;
                x[static_cast<std::size_t>(k)] = d.sum == Sum::unrounded ? static_cast<double>(in_float) : narrow;
            }
            const double scale = 1 / std::sqrt(squares / static_cast<double>(dim) + static_cast<double>(d.epsilon));
            for (std::int64_t k = 0; k < dim; ++k) {
                const std::size_t place = y_at.place(i, h, k);
                const double w = value_of(d.weight.type,
                                          weight.bytes().data() + Held::kAround +
                                              static_cast<std::size_t>(c.weight_offset + k) * detail::size_of(d.weight.type));
                const double want = x[static_cast<std::size_t>(k)] * scale * w;
                // The sum of squares goes through at most dim / 32 + 10 additions, half of whose error is the root's.
                const double in_float = (static_cast<double>(dim) / 64 + 16) * 0x1p-24;
                const double roundings = (d.cast == Cast::before_weight ? 2 : 1) * u;
                const double bound =
                    std::abs(want) * (in_float + roundings) * 1.01 + least_of(type) * (2 + std::abs(w));
                const double got = value_of(type, got_y.data() + place);
                if (!(std::abs(got - want) <= bound) && ++failures < 5)
                    ADD_FAILURE() << text_of(c) << ": y[" << i << "," << h << "," << k << "] is " << got << ", not "
                                  << want;
                std::memcpy(want_y.data() + place, got_y.data() + place, detail::size_of(type));
            }
        }
    EXPECT_EQ(got_residual, want_residual) << text_of(c) << ": residual_out, or what lies around it";
    EXPECT_EQ(got_y, want_y) << text_of(c) << ": what lies around y has changed";
    if (!c.y_is_a) {
        EXPECT_EQ(a.download(), a.bytes()) << "a has changed";
    }
    if (!c.residual_is_b) {
        EXPECT_EQ(b.download(), b.bytes()) << "b has changed";
    }
}

const std::vector<std::pair<Type, Type>> kPairs = {
    {Type::f16, Type::f16},  {Type::f16, Type::bf16}, {Type::f16, Type::f32}, {Type::bf16, Type::bf16},
    {Type::bf16, Type::f16}, {Type::bf16, Type::f32}, {Type::f32, Type::f32}};

Case make_case(std::pair<Type, Type> types, const Tensor& tensor) {
    Case c;
    c.description.set_all(tensor);
    c.description.weight = contiguous(types.second, tensor.shape[static_cast<std::size_t>(tensor.rank - 1)]);
    return c;
}

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
            for (const auto route : {Route::group, Route::block, Route::cluster, Route::stream})
                for (const int packs : {1, 2, 4})
                    for (const int threads : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
                        for (const int rows : {1, 4, 16})
                            for (const int cluster : {1, 2, 4, 8})
                                for (const int tiles : {0, 1, 2, 3, 5, 8}) {
                                    c.shape = {route, packs, threads, rows, cluster, tiles};
                                    if ((tiles > 0) != (route == Route::stream) ||
                                        std::int64_t{threads} * packs * cluster > dim ||
                                        std::size_t{32} * static_cast<std::size_t>(threads * tiles) > 200000 ||
                                        !detail::fits(c.shape, layout, major >= 9, detail::has_whole_packs(layout)))
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
    Case c = make_case({Type::f16, Type::f32}, contiguous(Type::f16, 150, 1016));
    for (const Shape& shape : {Shape{Route::stream, 1, 128, 1, 1, 2}, {Route::stream, 1, 32, 1, 4, 3},
                               {Route::stream, 2, 32, 1, 2, 1}, {Route::stream, 4, 32, 1, 2, 5}}) {
        c.shape = shape;
        run(c);
    }
    run(make_case({Type::f16, Type::f16}, contiguous(Type::f16, 2, 32769)));
    for (const Route route : {Route::group, Route::block, Route::cluster, Route::stream})
        EXPECT_TRUE(routes.contains(route)) << route_name(route);
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
