// The operator for languages that call C: see assets/torch_add_rms_norm.py for its use from Python.
#include <cstring>
#include <new>

#include "add_rms_norm.hpp"

using namespace add_rms_norm;

namespace {

int report(const Status& status, char* sentence, int size) {
    if (sentence && size > 0) {
        std::strncpy(sentence, status.sentence(), static_cast<std::size_t>(size) - 1);
        sentence[size - 1] = '\0';
    }
    return static_cast<int>(status.code());
}

Tensor strided(int type, std::int64_t batch, std::int64_t dim, std::int64_t stride) {
    return {static_cast<Type>(type), 2, {batch, dim, 0}, {stride, 1, 0}};
}

}  // namespace

extern "C" {

// *norm: an operator on the current device for (batch, dim) with these distances between rows, or null. type, sum, cast:
// numbers of Type, Sum and Cast. Returns a Code, `memory` if the host has none left for the operator; `sentence`, of
// `size` bytes or null, says what is wrong. Only with `ok` is *norm not null; add_rms_norm_destroy() frees it.
int add_rms_norm_create(void** norm, int type, int weight_type, std::int64_t batch, std::int64_t dim,
                        std::int64_t y_stride, std::int64_t residual_stride, std::int64_t a_stride,
                        std::int64_t b_stride, float epsilon, int sum, int cast, char* sentence, int size) {
    if (!norm) return report(AddRmsNorm::create(nullptr, {}), sentence, size);
    *norm = nullptr;
    Description description;
    description.y = strided(type, batch, dim, y_stride);
    description.residual_out = strided(type, batch, dim, residual_stride);
    description.a = strided(type, batch, dim, a_stride);
    description.b = strided(type, batch, dim, b_stride);
    description.weight = contiguous(static_cast<Type>(weight_type), dim);
    description.epsilon = epsilon;
    description.sum = static_cast<Sum>(sum);
    description.cast = static_cast<Cast>(cast);
    AddRmsNorm made;
    Status status = AddRmsNorm::create(&made, description);
    if (status) {
        *norm = new (std::nothrow) AddRmsNorm(made);
        if (!*norm)
            status = detail::failed(Code::memory,
                                    "There is no host memory for an operator of %zu bytes; free some, then create it "
                                    "again.",
                                    sizeof(AddRmsNorm));
    }
    return report(status, sentence, size);
}

std::size_t add_rms_norm_workspace_size(const void* norm) {
    return norm ? static_cast<const AddRmsNorm*>(norm)->workspace_size() : 0;
}

int add_rms_norm_run(const void* norm, void* workspace, std::size_t workspace_size, void* y, void* residual_out,
                     const void* a, const void* b, const void* weight, void* stream, char* sentence, int size) {
    static const AddRmsNorm none;
    const AddRmsNorm& op = norm ? *static_cast<const AddRmsNorm*>(norm) : none;
    return report(op.run(workspace, workspace_size, y, residual_out, a, b, weight, static_cast<CUstream_st*>(stream)),
                sentence, size);
}

void add_rms_norm_destroy(void* norm) { delete static_cast<AddRmsNorm*>(norm); }

}  // extern "C"
