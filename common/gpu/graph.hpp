// Work recorded once and launched many times, so that what is timed is the GPU and not the host's launches.
#pragma once

#include <functional>

#include "common/gpu/handle.hpp"
#include "common/gpu/stream.hpp"

struct CUgraphExec_st;  // cudaGraphExec_t points to one

namespace lanewise::gpu {

void destroy_graph(CUgraphExec_st* graph) noexcept;

class Graph {
public:
    // Records what `work` puts on `stream`; nothing of it runs yet.
    Graph(const Stream& stream, const std::function<void()>& work);

    void launch(const Stream& stream) const;

private:
    Handle<CUgraphExec_st*, destroy_graph> handle_;
};

}  // namespace lanewise::gpu
