// What needs CUDA: which kernel, on which device, and the launch.
#include "add_rms_norm.hpp"

#include <algorithm>
#include <type_traits>

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

template <class T, class W, bool kWhole>
const void* kernel_in_registers(Route route, int packs) {
    if (route == Route::group) {
        if constexpr (kWhole) {
            if (packs == 1) return reinterpret_cast<const void*>(&group_kernel<T, W, 1, true>);
            if (packs == 2) return reinterpret_cast<const void*>(&group_kernel<T, W, 2, true>);
        }
        return reinterpret_cast<const void*>(&group_kernel<T, W, 4, kWhole>);
    }
    if constexpr (kWhole) {
        if (packs == 1) return reinterpret_cast<const void*>(&block_kernel<T, W, 1, true>);
    }
    return packs == 2 ? reinterpret_cast<const void*>(&block_kernel<T, W, 2, kWhole>)
                      : reinterpret_cast<const void*>(&block_kernel<T, W, 4, kWhole>);
}

// As detail::cluster_packs() says.
template <class T, class W>
constexpr int kClusterPacks = sizeof(T) == 4 || std::is_same_v<W, __half> ? 4 : 2;

// As detail::fits() says, there is one. For f32, sums are what residual_out holds: no wide rows.
template <class T, class W>
const void* kernel_for(const Shape& shape, bool whole) {
    const int packs = shape.packs;
    switch (shape.route) {
        case Route::group:
        case Route::block:
            return whole ? kernel_in_registers<T, W, true>(shape.route, packs)
                         : kernel_in_registers<T, W, false>(shape.route, packs);
        case Route::held:
            return reinterpret_cast<const void*>(&held_kernel<T, W>);
        case Route::full:
            return shape.cluster == 1 ? reinterpret_cast<const void*>(&full_kernel<T, W, 1>)
                                      : reinterpret_cast<const void*>(&full_kernel<T, W, 2>);
        case Route::on_demand:
            return reinterpret_cast<const void*>(&on_demand_kernel<T, W>);
        case Route::cluster:
            return reinterpret_cast<const void*>(&cluster_kernel<T, W, kClusterPacks<T, W>>);
        case Route::wide:
            if constexpr (sizeof(T) == 2) return reinterpret_cast<const void*>(&wide_kernel<T, W>);
            break;
        case Route::packed:
            if (packs == 2) return reinterpret_cast<const void*>(&packed_kernel<T, W, 2>);
            return reinterpret_cast<const void*>(&packed_kernel<T, W, 4>);
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

const void* kernel_of(const Layout& layout, const Shape& shape, bool whole) {
    return with_types(layout.type, layout.weight,
                      [&](auto t, auto w) { return kernel_for<decltype(t), decltype(w)>(shape, whole); });
}

Status no_device(const char* format, int device, cudaError_t error) {
    return detail::failed(Code::device, format, device, cudaGetErrorString(error));
}

bool fits_16(std::uintptr_t address) { return address % 16 == 0; }

// Returns the error of a call, and clears it, so that later CUDA calls do not report it.
cudaError_t cleared(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error;
}

// Allows a block of this kernel as much dynamic shared memory as the GPU has for it. *bytes: how much that is. All
// operators that use the kernel share this setting.
cudaError_t allow_shared(const void* kernel, int device, std::size_t* bytes) {
    int most = 0;
    cudaFuncAttributes attributes{};
    cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess) return error;
    *bytes = static_cast<std::size_t>(most) - attributes.sharedSizeBytes;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(*bytes));
}

// Does memory bring each multiprocessor more than 30 GB/s? An H200's brings 37, an H100's 25. False where the GPU does
// not say how fast its memory is.
bool memory_is_fast(int device, int processors) {
    int kilohertz = 0, bits = 0;   // of the bus, which brings two bits a line for each clock
    cudaError_t error = cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
    return cleared(error) == cudaSuccess && 2e3 * kilohertz * bits / 8 > 30e9 * processors;
}

// Of rows on demand: bytes of workspace, which count them, and of a block's shared memory.
constexpr std::size_t kQueueBytes = 2 * sizeof(unsigned long long);
constexpr std::size_t kOnDemandShared = sizeof(uint4) * kOnDemandTiles * kOnDemandThreads;

// How many clusters of on_demand_kernel a GPU runs at once, after allowing it its shared memory.
cudaError_t clusters_at_once(const void* kernel, int threads, int* clusters) {
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(kOnDemandShared));
    if (error != cudaSuccess) return error;
    cudaLaunchConfig_t config{};
    config.gridDim.x = kOnDemandCluster;
    config.blockDim.x = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = kOnDemandShared;
    return cudaOccupancyMaxActiveClusters(clusters, kernel, &config);
}

// Makes `device` current while it lives.
class OnDevice {
public:
    explicit OnDevice(int device) : device_(device) {
        cudaGetDevice(&before_);
        if (before_ != device_) cudaSetDevice(device_);
    }
    ~OnDevice() {
        if (before_ != device_) cudaSetDevice(before_);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int device_, before_ = 0;
};

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
    int major = 0;
    cudaError_t error = cudaDeviceGetAttribute(&made.processors_, cudaDevAttrMultiProcessorCount, made.device_);
    int l2_bytes = 0;
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, made.device_);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, made.device_);
    if (cleared(error) != cudaSuccess) return no_device("Device %d does not say what it is: %s.", made.device_, error);

    // Functions are asked, and told, on the device that they are to run on.
    const OnDevice on(made.device_);
    cudaFuncAttributes attributes{};
    error = cudaFuncGetAttributes(&attributes, kernel_of(made.layout_, {.route = Route::cluster, .packs = 4}, true));
    if (error == cudaSuccess)
        error = allow_shared(kernel_of(made.layout_, {.route = Route::element}, false), made.device_, &made.shared_size_);
    if (cleared(error) != cudaSuccess)
        return no_device("Device %d has no code of this operator: %s. Compile it for that GPU.", made.device_, error);
    // ptxVersion is that of the architecture compiled for: code for an older one has no clusters, whatever the GPU.
    made.sm90_ = major >= 9 && attributes.ptxVersion >= 90;
    // Before 12.3 a graph could not hold launches that overlap.
    int driver = 0;
    cudaDriverGetVersion(&driver);
    made.overlap_ = made.sm90_ && description.overlap && CUDART_VERSION >= 12030 && driver >= 12030;
    made.evict_last_ = detail::evicts_last(made.layout_, l2_bytes);
    if (made.overlap_) made.rows_first_ = detail::rows_first(made.layout_, l2_bytes);
    const bool fast_memory = made.sm90_ && memory_is_fast(made.device_, made.processors_);
    made.rows_ahead_ = detail::rows_ahead(made.layout_, l2_bytes, fast_memory);
    made.whole_ = detail::has_whole_packs(made.layout_);
    made.alike_ = detail::is_alike(made.layout_);
    made.element_ = detail::element_shape(made.layout_);
    made.shifted_ = made.alike_ ? detail::shifted_shape(made.layout_, made.processors_, made.sm90_) : made.element_;
    if (made.whole_) made.aligned_ = detail::whole_shape(made.layout_, made.processors_, made.sm90_);
    // No kernel for whole rows alone, or none that are so long: as rows that begin anywhere.
    made.whole_ = made.whole_ && made.aligned_.route != Route::element;
    if (!made.whole_) made.aligned_ = made.shifted_;
    const auto row_bytes = static_cast<std::size_t>(made.layout_.dim) * sizeof(float);
    if (made.sum_ == Sum::unrounded && made.layout_.type != Type::f32 && row_bytes > made.shared_size_) {
        const auto blocks =
            std::min<std::int64_t>(made.layout_.rows(), std::int64_t{kWorkspaceBlocksPerProcessor} * made.processors_);
        made.sums_size_ = static_cast<std::size_t>(blocks) * row_bytes;
    }
    // A part of a GPU may have no room for eight blocks.
    if (made.prepare_aligned() != cudaSuccess) {
        made.aligned_ = detail::whole_shape(made.layout_, made.processors_, made.sm90_, false);
        made.prepare_aligned();
    }
    made.created_ = true;
    *norm = made;
    return {};
}

int AddRmsNorm::prepare_aligned() noexcept {
    workspace_size_ = sums_size_;
    if (aligned_.route != Route::on_demand) return cudaSuccess;
    workspace_size_ = std::max(workspace_size_, kQueueBytes);
    const OnDevice on(device_);
    const cudaError_t error = clusters_at_once(kernel_of(layout_, aligned_, whole_), aligned_.threads, &clusters_);
    return cleared(error) == cudaSuccess && clusters_ == 0 ? cudaErrorInvalidConfiguration : error;
}

bool AddRmsNorm::use_shape(const Shape& shape) noexcept {
    if (!created_ || !detail::fits(shape, layout_, sm90_, whole_)) return false;
    AddRmsNorm other = *this;
    other.aligned_ = shape;
    if (other.prepare_aligned() != cudaSuccess) return false;
    *this = other;
    return true;
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

    // Bits in which addresses differ, and those of y and the weight.
    const auto bits = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    const std::uintptr_t differ = (bits(y) ^ bits(residual_out)) | (bits(y) ^ bits(a)) | (bits(y) ^ bits(b));
    const bool shifted = alike_ && fits_16(differ | bits(weight)), aligned = shifted && fits_16(bits(y));
    const Shape& shape = aligned ? aligned_ : shifted ? shifted_ : element_;
    const bool whole = aligned && whole_;
    const auto rows = static_cast<unsigned>(layout_.rows());
    cudaLaunchConfig_t config{};
    config.stream = stream;
    config.blockDim.x = static_cast<unsigned>(shape.threads);
    cudaLaunchAttribute attributes[2] = {};
    config.attrs = attributes;
    if (overlap_) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (shape.cluster > 1 && shape.route != Route::on_demand) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
    }
    bool in_workspace = false, in_shared = false;
    switch (shape.route) {
        case Route::group:
            config.gridDim.x = (rows + static_cast<unsigned>(shape.rows) - 1) / static_cast<unsigned>(shape.rows);
            config.blockDim.x *= static_cast<unsigned>(shape.rows);
            break;
        case Route::block:
        case Route::held:
        case Route::full:
        case Route::cluster:
        case Route::wide:
        case Route::packed:
            config.gridDim.x = rows * static_cast<unsigned>(shape.cluster);
            break;
        case Route::on_demand:
            config.gridDim.x = std::min(rows, static_cast<unsigned>(clusters_)) * kOnDemandCluster;
            config.dynamicSmemBytes = kOnDemandShared;
            break;
        case Route::element: {
            const auto row_bytes = static_cast<std::size_t>(layout_.dim) * sizeof(float);
            in_shared = row_bytes <= shared_size_;
            in_workspace = sums_size_ > 0;
            if (in_shared) config.dynamicSmemBytes = row_bytes;
            config.gridDim.x = in_workspace ? static_cast<unsigned>(sums_size_ / row_bytes) : rows;
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
                             in_shared ? 1 : 0,
                             evict_last_,
                             static_cast<unsigned>(rows_first_),
                             static_cast<unsigned>(rows_ahead_)};
        int lanes = shape.threads;
        // A group kernel takes lanes as well, one that takes rows on demand the workspace; others the first alone.
        void* arguments[] = {&args, shape.route == Route::on_demand ? static_cast<void*>(&workspace) : &lanes};
        return cudaLaunchKernelExC(&config, kernel_for<T, W>(shape, whole), arguments);
    });
    if (cleared(error) != cudaSuccess)
        return detail::failed(Code::launch, "CUDA refused the launch: %s.", cudaGetErrorString(error));
    return {};
}

}  // namespace add_rms_norm
