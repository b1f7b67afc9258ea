// How the rows of a description lie, and the shape of the launch that takes them. Needs no GPU.
#include "add_rms_norm.hpp"

#include <algorithm>

namespace add_rms_norm {

namespace {

using detail::kMostRows;

std::int64_t ceil_div(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

int round_up(std::int64_t value, int to) { return static_cast<int>(ceil_div(value, to) * to); }

// The least power of two that is not below value.
int power_of_two(std::int64_t value) {
    int power = 1;
    while (power < value) power *= 2;
    return power;
}

// Threads that a kernel with so many packs in registers has room for: as its launch bounds say.
int most_threads(int packs) { return packs == 4 ? 512 : 1024; }

constexpr int kGroupBlock = 128;          // threads of a block that takes several rows
constexpr int kMostGroupThreads = 256;    // … and at most
constexpr std::int64_t kGroupPacks = 64;  // packs of the longest row that a warp takes
constexpr int kLargestCluster = 8;        // that every GPU with clusters has
constexpr int kMostClusterThreads = 512;  // of a block of a cluster that takes whole rows, or two packs a thread
constexpr int kMostPackedThreads = 1024;  // … or by four
constexpr int kLeastShiftedThreads = 16;  // for a row's ends

std::int64_t values_of_pack(const Layout& layout) {
    return static_cast<std::int64_t>(16 / detail::size_of(layout.type));
}

// Threads that a row should have. About 256: several blocks on a multiprocessor, of which some load while others wait
// or store. More where all rows together do not keep the GPU busy for long.
std::int64_t wanted_threads(const Layout& layout, std::int64_t packs, int processors) {
    const std::int64_t of_processor = layout.rows() * packs / processors;
    return of_processor <= 1024 ? 1024 : of_processor <= 8192 ? 512 : 256;
}

// Packs a thread of cluster_kernel: four of 16 bits and their weights fit its 64 registers only where the weights are
// halves, as others widen to twice the room before the sum is there.
int cluster_packs(const Layout& layout) {
    return layout.type == Type::f32 || layout.weight == Type::f16 ? 4 : 2;
}

// Packs a thread of held_kernel. Blocks of their own take rows that way where all four tensors together are so large
// that L2 holds hardly any of them: measured on an H200, 1024 packs were 2.6 % faster so at 1.07 GB, and about as fast
// at 0.27 GB; on an H100 2048 packs of floats are 0.5 to 1 % faster so at 0.54 and 2.1 GB, and 4 % slower at 0.13 GB.
constexpr int kHeldPacks = 2;
constexpr int kMostHeldThreads = 1024;
int most_held_threads(const Layout& layout) { return layout.type == Type::f32 ? kMostHeldThreads : kMostClusterThreads; }
constexpr int kLeastHeldPacks = 256;
constexpr std::int64_t kLeastHeldBytes = std::int64_t{512} << 20;

constexpr int kFullPacks = 8;  // a thread of full_kernel
constexpr int kMostFullThreads = 1024;
// … is faster than clusters? 1024 x 65536 on an H200, us: of 16 bits 132 (by held_kernel 140), with floats as weights 146
// (138), of floats 260 (by cluster_kernel 282). On an H100: 183 (181), 190 (181), 361 (366).
bool pays_to_fill(const Layout& layout) { return layout.type == Type::f32 || layout.weight != Type::f32; }

// Of on_demand_kernel: packs of each input that a thread takes, threads of a block at most, and blocks of a cluster. It is
// chosen where a block has as many as that: with fewer it was not timed. 1024 x 65536, us: of 16 bits on an H200 129 (by
// full_kernel 132), with floats as weights 129 (by held_kernel 137), of floats 252 (260); on an H100 180 (182), 180 (181),
// 357 (361).
int on_demand_packs(const Layout& layout) { return layout.type == Type::f32 ? 4 : 2; }
constexpr int kMostOnDemandThreads = 512;
constexpr int kOnDemandCluster = 8;
// Threads of a block, if such rows fill a cluster; else 0.
int on_demand_threads(const Layout& layout, std::int64_t packs) {
    const std::int64_t each = std::int64_t{kOnDemandCluster} * on_demand_packs(layout);
    return packs % (each * 32) == 0 && packs / each <= kMostOnDemandThreads ? static_cast<int>(packs / each) : 0;
}

// Whole rows that outgrow a block of block_kernel.
constexpr std::int64_t kLeastFullPacks = 4096;
Shape long_whole_shape(const Layout& layout, std::int64_t packs, bool sm90, bool on_demand) {
    if (on_demand && sm90 && !layout.wide && on_demand_threads(layout, packs) == kMostOnDemandThreads)
        return {.route = Shape::Route::on_demand,
                .packs = on_demand_packs(layout),
                .threads = kMostOnDemandThreads,
                .cluster = kOnDemandCluster};
    const bool may_fill = pays_to_fill(layout) && !layout.wide && packs > kLeastFullPacks;
    for (int cluster = 1; may_fill && cluster <= (sm90 ? 2 : 1); ++cluster) {
        const std::int64_t threads = packs / (kFullPacks * cluster);
        if (packs % (std::int64_t{kFullPacks} * cluster * 32) == 0 && threads <= kMostFullThreads &&
            layout.rows() <= kMostRows / cluster)
            return {.route = Shape::Route::full,
                    .packs = kFullPacks,
                    .threads = static_cast<int>(threads),
                    .cluster = cluster};
    }
    for (int cluster = 2; !layout.wide && cluster <= (sm90 ? kLargestCluster : 1); cluster *= 2) {
        const int threads = round_up(ceil_div(packs, std::int64_t{kHeldPacks} * cluster), 32);
        if (threads <= kMostClusterThreads && layout.rows() <= kMostRows / cluster)
            return {.route = Shape::Route::held, .packs = kHeldPacks, .threads = threads, .cluster = cluster};
    }
    const int each = cluster_packs(layout);
    for (int cluster = 2; cluster <= (sm90 ? kLargestCluster : 1); cluster *= 2) {
        const int threads = round_up(ceil_div(packs, std::int64_t{each} * cluster), 32);
        if (threads <= kMostClusterThreads && layout.rows() <= kMostRows / cluster)
            return {.route = Shape::Route::cluster, .packs = each, .threads = threads, .cluster = cluster};
    }
    return detail::element_shape(layout);
}

// Threads of a block of packed_kernel or wide_kernel that takes so many packs a thread; 0: there is no such kernel.
int most_shifted_threads(bool wide, int packs) {
    if (wide) return packs == 4 ? kMostClusterThreads : 0;
    return packs == 2 ? kMostClusterThreads : packs == 4 ? kMostPackedThreads : 0;
}

// … and rows that begin anywhere. By two packs a thread while that is enough: on an H100, us, 1024 x 65535 halves 247
// (by four 324), 2048 x 20001 halves 152 (174) and floats 254 (295).
Shape long_shifted_shape(const Layout& layout, std::int64_t packs, bool sm90) {
    for (const int each : {2, 4}) {
        const int most = most_shifted_threads(layout.wide, each);
        for (int cluster = layout.wide ? 2 : 1; cluster <= (sm90 ? kLargestCluster : 1); cluster *= 2) {
            const int threads = round_up(ceil_div(packs, std::int64_t{each} * cluster), 32);
            if (threads <= most && layout.rows() <= kMostRows / cluster)
                return {.route = layout.wide ? Shape::Route::wide : Shape::Route::packed,
                        .packs = each,
                        .threads = threads,
                        .cluster = cluster};
        }
    }
    return detail::element_shape(layout);
}

// Of whole rows, in how many a and b together have about so many bytes; at least one.
int rows_in(std::int64_t bytes, const Layout& layout) {
    const std::int64_t read_of_row = 2 * layout.dim * static_cast<std::int64_t>(detail::size_of(layout.type));
    return static_cast<int>(std::max<std::int64_t>(bytes / read_of_row, 1));
}

// Where all four tensors are more than 40 hundredths of L2: of less, much may be there already, and then to prefetch it
// takes longer, as in softmax on an H100 by 7 %.
bool pays_to_prefetch(const Layout& layout, std::int64_t l2_bytes) {
    return detail::bytes_moved(layout) > 40 * l2_bytes / 100;
}

}  // namespace

namespace detail {

std::size_t size_of(Type type) noexcept { return type == Type::f32 ? 4 : 2; }

Layout layout_of(const Description& d) noexcept {
    Layout layout;
    layout.type = d.y.type;
    layout.weight = d.weight.type;
    layout.wide = d.sum == Sum::unrounded && d.y.type != Type::f32;
    const bool heads = d.y.rank == 3;
    layout.batch = d.y.shape[0];
    layout.heads = heads ? d.y.shape[1] : 1;
    layout.dim = d.y.shape[heads ? 2 : 1];
    const Tensor* const tensors[] = {&d.y, &d.residual_out, &d.a, &d.b};
    bool even = true;
    for (std::size_t i = 0; i < layout.tensors.size(); ++i) {
        RowLayout& row = layout.tensors[i];
        row.strides[0] = layout.batch > 1 ? tensors[i]->strides[0] : 0;
        row.strides[1] = layout.heads > 1 ? tensors[i]->strides[1] : 0;
        row.extent = layout.rows() == 0
                         ? 0
                         : row.strides[0] * (layout.batch - 1) + row.strides[1] * (layout.heads - 1) + layout.dim;
        even = even && (layout.heads == 1 || layout.batch <= 1 || row.strides[0] == row.strides[1] * layout.heads);
    }
    if (layout.heads > 1 && even) {
        for (RowLayout& row : layout.tensors) row.strides = {row.strides[1], 0};
        layout.batch *= layout.heads;
        layout.heads = 1;
    }
    return layout;
}

bool has_whole_packs(const Layout& layout) noexcept {
    const std::int64_t pack = values_of_pack(layout);
    return layout.dim % pack == 0 &&
           std::all_of(layout.tensors.begin(), layout.tensors.end(),
                       [&](const RowLayout& row) { return row.strides[0] % pack == 0 && row.strides[1] % pack == 0; });
}

std::int64_t bytes_moved(const Layout& layout) noexcept {
    return 4 * layout.rows() * layout.dim * static_cast<std::int64_t>(size_of(layout.type));
}

// Where all four tensors together are more than so many times as large as L2, it pays to have it evict what was read
// last. Measured on an H200, on copies and norms: four times as large made no difference, eight times was 2 to 3 % faster.
bool evicts_last(const Layout& layout, std::int64_t l2_bytes) noexcept { return bytes_moved(layout) > 6 * l2_bytes; }

// 4 MB. On an H100, with inputs that are not in L2, microseconds without and with it: floats, 1024 x 4096 23.5 and
// 22.4, 1024 x 8192 45.4 and 44.3, 4096 x 8192 181 and 179.8; halves, with it alone and with rows_ahead() too,
// 1024 x 8192 22.6 and 23.0, 4096 x 4096 43.9 and 45.8. Of 1 to 16 MB, 4 and 6 MB are the fastest.
int rows_first(const Layout& layout, std::int64_t l2_bytes) noexcept {
    return pays_to_prefetch(layout, l2_bytes) ? rows_in(std::int64_t{4} << 20, layout) : 0;
}

// 3 MB of 16 bits, where evicts_last() does not hold. Measured on an H200, with as many of the first rows: at 34 and 67
// MB 3 to 8 % faster than neither, at 134 and 268 MB up to 6 %, at worst 1 % slower; where evicts_last() holds 2 %
// slower, and of floats 1 to 4 %. What of it the first rows alone would bring was not measured there; on an H100 they
// are enough.
int rows_ahead(const Layout& layout, std::int64_t l2_bytes, bool fast_memory) noexcept {
    const bool pays = fast_memory && layout.type != Type::f32 && !evicts_last(layout, l2_bytes) &&
                      pays_to_prefetch(layout, l2_bytes);
    return pays ? rows_in(std::int64_t{3} << 20, layout) : 0;
}

bool is_alike(const Layout& layout) noexcept {
    const std::int64_t pack = values_of_pack(layout);
    const RowLayout& first = layout.tensors[0];
    return std::all_of(layout.tensors.begin(), layout.tensors.end(), [&](const RowLayout& row) {
        return row.strides[0] % pack == first.strides[0] % pack && row.strides[1] % pack == first.strides[1] % pack;
    });
}

Shape element_shape(const Layout& layout) noexcept {
    return {.route = Shape::Route::element, .threads = round_up(std::min<std::int64_t>(layout.dim, 512), 32)};
}

Shape whole_shape(const Layout& layout, int processors, bool sm90, bool on_demand) noexcept {
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    if (packs <= kGroupPacks) {
        const int threads = power_of_two(std::min<std::int64_t>(packs, 32));
        return {.route = Shape::Route::group,
                .packs = power_of_two(ceil_div(packs, threads)),
                .threads = threads,
                .rows = kGroupBlock / threads};
    }
    if (sm90 && !layout.wide && bytes_moved(layout) >= kLeastHeldBytes && packs >= kLeastHeldPacks &&
        packs <= kHeldPacks * most_held_threads(layout))
        return {.route = Shape::Route::held,
                .packs = kHeldPacks,
                .threads = round_up(ceil_div(packs, kHeldPacks), 32)};
    const std::int64_t wanted = wanted_threads(layout, packs, processors);
    int each = std::min(4, power_of_two(ceil_div(packs, wanted)));
    if (wanted == 256) each = std::max(each, 2);
    // Of 1024 packs of 16 bits two a thread: by 1.2 to 1.9 % faster than four, at 0.27 GB on an H200.
    if (layout.type != Type::f32 && packs > 512 && packs <= 1024) each = std::min(each, 2);
    const auto threads = [&] { return round_up(ceil_div(packs, each), 32); };
    if (threads() > most_threads(each)) each = 4;
    if (threads() <= most_threads(each)) return {.route = Shape::Route::block, .packs = each, .threads = threads()};
    return long_whole_shape(layout, packs, sm90, on_demand);
}

Shape shifted_shape(const Layout& layout, int processors, bool sm90) noexcept {
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    if (packs <= kGroupPacks) {
        const int threads = std::max(kLeastShiftedThreads, power_of_two(ceil_div(packs, 4)));
        return {.route = Shape::Route::group, .packs = 4, .threads = threads, .rows = kGroupBlock / threads};
    }
    const std::int64_t wanted = wanted_threads(layout, packs, processors);
    const int each = packs <= 2 * wanted ? 2 : 4, threads = round_up(ceil_div(packs, each), 32);
    if (threads <= most_threads(each)) return {.route = Shape::Route::block, .packs = each, .threads = threads};
    return long_shifted_shape(layout, packs, sm90);
}

bool fits(const Shape& shape, const Layout& layout, bool sm90, bool whole) noexcept {
    if (whole ? !has_whole_packs(layout) : !is_alike(layout)) return false;
    const std::int64_t packs = layout.dim / values_of_pack(layout);
    const int each = shape.packs, threads = shape.threads, rows = shape.rows, cluster = shape.cluster;
    const bool full = shape.route == Shape::Route::full;
    if ((full ? each != kFullPacks : each != 1 && each != 2 && each != 4) || cluster < 1 || cluster > kLargestCluster ||
        cluster != power_of_two(cluster) || layout.rows() > kMostRows / cluster || rows < 1 ||
        rows > kMostGroupThreads || threads < (whole ? 1 : kLeastShiftedThreads) || threads > kMostPackedThreads ||
        std::int64_t{threads} * each * cluster < packs)
        return false;
    const bool one_row = rows == 1 && threads % 32 == 0;
    switch (shape.route) {
        case Shape::Route::element:
            return false;
        case Shape::Route::group:
            return (whole || each == 4) && cluster == 1 && threads == power_of_two(threads) && threads <= 32 &&
                   rows * threads % 32 == 0 && rows * threads <= kMostGroupThreads;
        case Shape::Route::block:
            return (whole || each >= 2) && cluster == 1 && one_row && threads <= most_threads(each);
        case Shape::Route::held:
            return whole && each == kHeldPacks && !layout.wide && (sm90 || cluster == 1) && one_row &&
                   threads <= most_held_threads(layout);
        case Shape::Route::full:
            return whole && !layout.wide && cluster <= (sm90 ? 2 : 1) && one_row &&
                   std::int64_t{threads} * each * cluster == packs;
        case Shape::Route::on_demand:
            return whole && !layout.wide && sm90 && cluster == kOnDemandCluster && one_row &&
                   each == on_demand_packs(layout) && threads == on_demand_threads(layout, packs);
        case Shape::Route::cluster:
            return whole && each == cluster_packs(layout) && sm90 && cluster > 1 && one_row &&
                   threads <= kMostClusterThreads;
        case Shape::Route::wide:
            return !whole && each == 4 && layout.wide && sm90 && cluster > 1 && one_row &&
                   threads <= kMostClusterThreads;
        case Shape::Route::packed:
            return !whole && !layout.wide && one_row && (sm90 || cluster == 1) &&
                   threads <= most_shifted_threads(false, each);
    }
    return false;
}

}  // namespace detail

const char* route_name(Shape::Route route) {
    switch (route) {
        case Shape::Route::group:
            return "group";
        case Shape::Route::block:
            return "block";
        case Shape::Route::held:
            return "held";
        case Shape::Route::full:
            return "full";
        case Shape::Route::on_demand:
            return "on_demand";
        case Shape::Route::cluster:
            return "cluster";
        case Shape::Route::wide:
            return "wide";
        case Shape::Route::packed:
            return "packed";
        case Shape::Route::element:
            return "element";
    }
    return "no route";
}

}  // namespace add_rms_norm
