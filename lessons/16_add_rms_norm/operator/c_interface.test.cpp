// The C interface over an operator that always can be created: what it returns, with and without host memory.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "lessons/16_add_rms_norm/operator/add_rms_norm.hpp"

extern "C" {
int add_rms_norm_create(void** norm, int type, int weight_type, std::int64_t batch, std::int64_t dim,
                        std::int64_t y_stride, std::int64_t residual_stride, std::int64_t a_stride,
                        std::int64_t b_stride, float epsilon, int sum, int cast, char* sentence, int size);
void add_rms_norm_destroy(void* norm);
}

namespace {
bool memory_is_out = false;
}

// c_interface.cpp asks for an operator's memory in this form alone.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    if (memory_is_out) return nullptr;
    try {
        return ::operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

namespace add_rms_norm {

// Without a GPU, and without CUDA: the checks alone.
Status AddRmsNorm::create(AddRmsNorm* norm, const Description& description) noexcept {
    return norm ? check(description) : Status(Code::null_pointer);
}

Status AddRmsNorm::run(void*, std::size_t, void*, void*, const void*, const void*, const void*,
                       CUstream_st*) const noexcept {
    return Status(Code::not_created);
}

namespace {

struct Created {
    void* norm = &memory_is_out;   // what create() must overwrite
    char sentence[256] = "";
    Code code;

    explicit Created(float epsilon = 1e-6f, int size = 256)
        : code(static_cast<Code>(
              add_rms_norm_create(&norm, 0, 0, 4, 8, 8, 8, 8, 8, epsilon, 0, 0, size > 0 ? sentence : nullptr, size))) {}
    ~Created() { add_rms_norm_destroy(norm); }
};

TEST(CInterface, CreatesAnOperator) {
    const Created made;
    EXPECT_EQ(made.code, Code::ok);
    EXPECT_NE(made.norm, nullptr);
}

TEST(CInterface, WithoutHostMemoryThereIsACodeAndASentence) {
    memory_is_out = true;
    const Created made;
    const Created silent(1e-6f, 0);
    const Created wrong(-1);
    memory_is_out = false;
    EXPECT_EQ(made.code, Code::memory);
    EXPECT_EQ(made.norm, nullptr);
    EXPECT_EQ(std::string(made.sentence), "There is no host memory for an operator of " +
                                              std::to_string(sizeof(AddRmsNorm)) +
                                              " bytes; free some, then create it again.");
    EXPECT_EQ(silent.code, Code::memory);
    EXPECT_EQ(wrong.code, Code::parameter);   // found first
}

TEST(CInterface, AWrongDescriptionLeavesNoOperator) {
    const Created made(-1);
    EXPECT_EQ(made.code, Code::parameter);
    EXPECT_EQ(made.norm, nullptr);
    EXPECT_NE(std::string(made.sentence).find("epsilon is -1"), std::string::npos) << made.sentence;
}

}  // namespace
}  // namespace add_rms_norm
