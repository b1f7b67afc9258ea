// What the tests of the operator on a GPU share: tensors with memory around them, and the reference in double.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

namespace add_rms_norm::testing {

inline bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

inline double value_of(Type type, const std::byte* at) {
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

inline void put(Type type, std::byte* at, float value) {
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

inline double rounded(Type type, float value) {
    std::byte bytes[4];
    put(type, bytes, value);
    return value_of(type, bytes);
}

inline double unit_of(Type type) { return type == Type::f32 ? 0x1p-24 : type == Type::f16 ? 0x1p-11 : 0x1p-8; }
inline double least_of(Type type) { return type == Type::f16 ? 0x1p-25 : type == Type::bf16 ? 0x1p-134 : 0x1p-149; }

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

inline std::string text_of(const Case& c) {
    const Tensor& y = c.description.y;
    std::string text = "types " + std::to_string(static_cast<int>(y.type)) + "/" +
                       std::to_string(static_cast<int>(c.description.weight.type)) + ", (";
    for (int k = 0; k < y.rank; ++k) text += (k ? ", " : "") + std::to_string(y.shape[static_cast<std::size_t>(k)]);
    return text + "), sum " + std::to_string(static_cast<int>(c.description.sum)) + ", cast " +
           std::to_string(static_cast<int>(c.description.cast)) + ", offset " + std::to_string(c.offset) + " (weight " +
           std::to_string(c.weight_offset) + ", b +" + std::to_string(c.b_offset) + ")" + (c.y_is_a ? ", y is a" : "") +
           (c.residual_is_b ? ", residual_out is b" : "");
}

// residual_out bit by bit; y within what its roundings allow; all else as it was.
inline void expect_right(const Case& c) {
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
        cudaMemset(workspace, 0xa5, norm.workspace_size());   // it may hold anything
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
                const double w = value_of(
                    d.weight.type, weight.bytes().data() + Held::kAround +
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

inline const std::vector<std::pair<Type, Type>> kPairs = {
    {Type::f16, Type::f16},  {Type::f16, Type::bf16}, {Type::f16, Type::f32}, {Type::bf16, Type::bf16},
    {Type::bf16, Type::f16}, {Type::bf16, Type::f32}, {Type::f32, Type::f32}};

inline Case make_case(std::pair<Type, Type> types, const Tensor& tensor) {
    Case c;
    c.description.set_all(tensor);
    c.description.weight = contiguous(types.second, tensor.shape[static_cast<std::size_t>(tensor.rank - 1)]);
    return c;
}

}  // namespace add_rms_norm::testing
