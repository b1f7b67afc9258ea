// Uses of cooperative groups that cannot be emulated, one for each value of CASE: each must not compile, and say why.
#include "common/prelude/emulated/emulated.hpp"

namespace kernels {
#include "common/prelude/cooperative_groups_scan.cuh"
namespace cg = cooperative_groups;

__global__ void kernel(int* out) {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    out[0] = static_cast<int>(tile.size() + cg::this_grid().thread_rank());  // this much compiles
#if CASE == 1
    cg::this_grid().sync();
#elif CASE == 2
    cg::this_cluster();
#elif CASE == 3
    cg::tiled_partition<2048>(block).sync();
#elif CASE == 4
    cg::memcpy_async(block, out, out + 1, 4);
#elif CASE == 5
    out[0] = cg::reduce(tile, out[0], cg::plus<float>());
#elif CASE == 6
    out[0] = cg::reduce(block, out[0], cg::plus<int>());
#elif CASE == 7
    cg::tiled_partition<32>(tile);
#elif CASE == 8
    struct Large { int words[9]; } large{};
    tile.shfl(large, 0);
#elif CASE == 9
    cg::this_multi_grid();
#endif
}

}  // namespace kernels
