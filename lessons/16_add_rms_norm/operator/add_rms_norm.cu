// What needs CUDA: which kernel, on which device, and the launch.
#include "add_rms_norm.hpp"

#include <algorithm>

// What kernels.cuh includes must be there before the namespace that it is put in.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace add_rms_norm {

namespace {

#include "kernels.cuh"

using Route = Shape::Route;

// Row values that the element route keeps in global memory: so many blocks at most, each with a row of its own.
constexpr int kWorkspaceBlocksPerProcessor = 2;

template <class T, class W>
const void* kernel_for(Route route, int packs) {
    switch (route) {
        case Route::group:
            return packs == 1   ? reinterpret_cast<const void*>(&group_kernel<T, W, 1>)
                   : packs == 2 ? reinterpret_cast<const void*>(&group_kernel<T, W, 2>)
                                : reinterpret_cast<const void*>(&group_kernel<T, W, 4>);
        case Route::block:
            return packs == 1   ? reinterpret_cast<const void*>(&block_kernel<T, W, 1>)
                   : packs == 2 ? reinterpret_cast<const void*>(&block_kernel<T, W, 2>)
                                : reinterpret_cast<const void*>(&block_kernel<T, W, 4>);
        case Route::cluster:
            return packs == 1   ? reinterpret_cast<const void*>(&cluster_kernel<T, W, 1>)
                   : packs == 2 ? reinterpret_cast<const void*>(&cluster_kernel<T, W, 2>)
                                : reinterpret_cast<const void*>(&cluster_kernel<T, W, 4>);
        case Route::element:
            break;
    }
    return reinterpret_cast<const void*>(&element_kernel<T, W>);
}

// Calls `use` with a T and a W of these types.
template <class Use>
auto with_types(Type type, Type weight, const Use& use) {
    const auto with_weight = [&](auto t) {
        if (weight == Type::f16) return use(t, __half{});
        if (weight == Type::bf16) return use(t, __nv_bfloat16{});
        return use(t, float{});
    };
    if (type == Type::f16) return with_weight(__half{});
    if (type == Type::bf16) return with_weight(__nv_bfloat16{});
    return use(float{}, float{});
}

const void* kernel_of(const Layout& layout, Route route, int packs) {
    return with_types(layout.type, layout.weight,
                      [&](auto t, auto w) { return kernel_for<decltype(t), decltype(w)>(route, packs); });
}

Status no_device(const char* format, int device, cudaError_t error) {
    return detail::failed(Code::device, format, device, cudaGetErrorString(error));
}

bool fits_16(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// A call of these may leave an error behind that is no one else's business.
cudaError_t cleared(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error;
}

}  // namespace

Status AddRmsNorm::create(AddRmsNorm* norm, const Description& description) noexcept {
    if (!norm) return detail::failed(Code::null_pointer, "create() got no operator to fill; give its address.");
    if (Status status = check(description); !status) return status;
    AddRmsNorm made;
    made.layout_ = detail::layout_of(description);
    made.epsilon_ = description.epsilon;
    made.sum_ = description.sum;
    made.cast_ = description.cast;

    int count = 0;
    if (const cudaError_t error = cleared(cudaGetDeviceCount(&count)); error != cudaSuccess || count == 0)
        return detail::failed(Code::device, "There is no CUDA device here (%s); run on a machine with a GPU.",
                              cudaGetErrorString(error));
    made.device_ = description.device;
    if (made.device_ == -1) {
        if (const cudaError_t error = cleared(cudaGetDevice(&made.device_)); error != cudaSuccess)
            return no_device("The current device, %d, cannot be asked for: %s.", made.device_, error);
    }
    if (made.device_ < 0 || made.device_ >= count)
        return detail::failed(Code::device,
                              "Device %d was asked for and there are %d; give 0 to %d, or -1 for the current "
                              "one.",
                              made.device_, count, count - 1);
    int processors = 0, major = 0, shared = 0;
    cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, made.device_);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, made.device_);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, made.device_);
    if (cleared(error) != cudaSuccess) return no_device("Device %d does not say what it is: %s.", made.device_, error);

    // Functions are asked, and told, on the device that they are to run on.
    int current = made.device_;
    cudaGetDevice(&current);
    if (current != made.device_) cudaSetDevice(made.device_);
    const void* any = kernel_of(made.layout_, Route::element, 1);
    cudaFuncAttributes attributes{}, of_cluster{};
    error = cleared(cudaFuncGetAttributes(&attributes, any));
    if (error == cudaSuccess) {
        made.shared_size_ = static_cast<std::size_t>(shared) - attributes.sharedSizeBytes;
        error = cleared(cudaFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(made.shared_size_)));
    }
    // ptxVersion is that of the architecture compiled for: code for an older one has no clusters, whatever the GPU.
    if (error == cudaSuccess)
        error = cleared(cudaFuncGetAttributes(&of_cluster, kernel_of(made.layout_, Route::cluster, 4)));
    if (current != made.device_) cudaSetDevice(current);
    if (error != cudaSuccess)
        return no_device("Device %d has no code of this operator: %s. Compile it for that GPU.", made.device_, error);
    made.clusters_ = major >= 9 && of_cluster.ptxVersion >= 90;
    made.processors_ = processors;
    made.may_pack_ = detail::may_pack(made.layout_);
    made.packed_ = detail::packed_shape(made.layout_, processors, made.clusters_);
    made.element_ = detail::element_shape(made.layout_);
    const auto row_bytes = static_cast<std::size_t>(made.layout_.dim) * sizeof(float);
    if (made.sum_ == Sum::unrounded && made.layout_.type != Type::f32 && row_bytes > made.shared_size_) {
        const auto blocks =
            std::min<std::int64_t>(made.layout_.rows(), std::int64_t{kWorkspaceBlocksPerProcessor} * processors);
        made.workspace_size_ = static_cast<std::size_t>(blocks) * row_bytes;
    }
    made.created_ = true;
    *norm = made;
    return {};
}

Status AddRmsNorm::run(void* workspace, std::size_t size, void* y, void* residual_out, const void* a, const void* b,
                       const void* weight, CUstream_st* stream) const noexcept {
    if (!created_) return detail::failed(Code::not_created, "This operator was never created; call create() first.");
    if (layout_.rows() == 0) return {};
    if (Status status =
            detail::check_pointers(layout_, {y, residual_out, a, b, weight}, workspace_size_, workspace, size);
        !status)
        return status;
    int current = -1;
    if (const cudaError_t error = cudaGetDevice(&current); error != cudaSuccess || current != device_)
        return detail::failed(Code::device,
                              "The current device is %d and the operator was created for %d; call "
                              "cudaSetDevice(), or create another.",
                              current, device_);

    const bool packs = may_pack_ && fits_16(y) && fits_16(residual_out) && fits_16(a) && fits_16(b) && fits_16(weight);
    const Shape& shape = packs ? packed_ : element_;
    const auto rows = static_cast<unsigned>(layout_.rows());
    cudaLaunchConfig_t config{};
    config.stream = stream;
    cudaLaunchAttribute attribute{};
    bool in_workspace = false, in_shared = false;
    switch (shape.route) {
        case Route::group:
            config.gridDim.x = (rows + static_cast<unsigned>(shape.rows) - 1) / static_cast<unsigned>(shape.rows);
            config.blockDim.x = static_cast<unsigned>(shape.threads * shape.rows);
            break;
        case Route::block:
        case Route::cluster:
            config.gridDim.x = rows * static_cast<unsigned>(shape.cluster);
            config.blockDim.x = static_cast<unsigned>(shape.threads);
            if (shape.cluster > 1) {
                attribute.id = cudaLaunchAttributeClusterDimension;
                attribute.val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
                config.attrs = &attribute;
                config.numAttrs = 1;
            }
            break;
        case Route::element: {
            const auto row_bytes = static_cast<std::size_t>(layout_.dim) * sizeof(float);
            in_shared = row_bytes <= shared_size_;
            in_workspace = workspace_size_ > 0;
            if (in_shared) config.dynamicSmemBytes = row_bytes;
            config.gridDim.x = in_workspace ? static_cast<unsigned>(workspace_size_ / row_bytes) : rows;
            config.blockDim.x = static_cast<unsigned>(shape.threads);
            break;
        }
    }
    const cudaError_t error = with_types(layout_.type, layout_.weight, [&](auto t, auto w) {
        using T = decltype(t);
        using W = decltype(w);
        const auto strides = [&](std::size_t i) {
            return Strides{layout_.tensors[i].strides[0], layout_.tensors[i].strides[1]};
        };
        Arguments<T, W> args{{static_cast<T*>(y), static_cast<T*>(residual_out), static_cast<const T*>(a),
                              static_cast<const T*>(b), static_cast<const W*>(weight), static_cast<int>(layout_.dim)},
                             strides(0),
                             strides(1),
                             strides(2),
                             strides(3),
                             rows,
                             static_cast<unsigned>(layout_.heads),
                             {epsilon_, static_cast<int>(sum_), cast_ == Cast::before_weight},
                             in_workspace ? static_cast<float*>(workspace) : nullptr,
                             in_shared ? 1 : 0};
        int lanes = shape.threads;
        void* arguments[] = {&args, &lanes};  // block and cluster kernels take the first alone
        return cudaLaunchKernelExC(&config, kernel_for<T, W>(shape.route, shape.packs), arguments);
    });
    if (cleared(error) != cudaSuccess)
        return detail::failed(Code::launch, "CUDA refused the launch: %s.", cudaGetErrorString(error));
    return {};
}

}  // namespace add_rms_norm
