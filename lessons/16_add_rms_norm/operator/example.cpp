// A user's program: the norms of a few layers on a stream, the same as a graph, and on several streams at once.
//
//     add_rms_norm_example [layers] [rows] [dim]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "add_rms_norm.hpp"

namespace {

using namespace add_rms_norm;

void require(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

void require(const Status& status, const char* what) {
    if (status) return;
    std::fprintf(stderr, "%s: %s\n", what, status.sentence());
    std::exit(1);
}

// Device memory that goes with its owner.
class Memory {
public:
    explicit Memory(std::size_t bytes) : bytes_(bytes) {
        if (bytes) require(cudaMalloc(&data_, bytes), "cudaMalloc");
    }
    ~Memory() { cudaFree(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    float* floats() const { return static_cast<float*>(data_); }
    void* data() const { return data_; }
    std::size_t size() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// What stays on the device while the layers run.
struct Activations {
    Memory hidden, residual, workspace;
    Activations(std::size_t bytes, std::size_t workspace_bytes)
        : hidden(bytes), residual(bytes), workspace(workspace_bytes) {}
};

// In place: the sum goes where the residual was, y where the layer's output was. A real model has a matrix product
// between the norms; here each layer's output is the norm before it.
void run_layers(const AddRmsNorm& norm, int layers, const Activations& on, const Memory& weights, int dim,
                cudaStream_t stream) {
    for (int layer = 0; layer < layers; ++layer)
        require(
            norm.run(on.workspace.data(), on.workspace.size(), on.hidden.data(), on.residual.data(), on.hidden.data(),
                     on.residual.data(), weights.floats() + static_cast<std::size_t>(layer) * dim, stream),
            "run");
}

}  // namespace

int main(int count, char** arguments) {
    const int layers = count > 1 ? std::atoi(arguments[1]) : 12;
    const int rows = count > 2 ? std::atoi(arguments[2]) : 64;
    const int dim = count > 3 ? std::atoi(arguments[3]) : 1024;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("There is no GPU here, so nothing runs.\n");
        return 0;
    }
    if (layers < 1 || rows < 1 || dim < 1) {
        std::fprintf(stderr, "Give one or more layers, rows and values a row: add_rms_norm_example 12 64 1024\n");
        return 2;
    }

    // Once: what is checked here is not checked in the loop.
    Description description;
    description.set_all(contiguous(Type::f32, rows, dim));
    AddRmsNorm norm;
    require(AddRmsNorm::create(&norm, description), "create");

    const std::size_t values = static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim);
    const std::size_t bytes = values * sizeof(float);
    std::vector<float> start(values), weights(static_cast<std::size_t>(layers) * dim);
    for (std::size_t i = 0; i < values; ++i) start[i] = static_cast<float>(i % 97) / 97.0f - 0.5f;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5f + static_cast<float>(i % 31) / 31.0f;
    const Memory device_weights(weights.size() * sizeof(float));
    require(cudaMemcpy(device_weights.data(), weights.data(), device_weights.size(), cudaMemcpyHostToDevice),
            "weights");
    const auto reset = [&](const Activations& on) {
        require(cudaMemcpy(on.hidden.data(), start.data(), bytes, cudaMemcpyHostToDevice), "start");
        require(cudaMemcpy(on.residual.data(), start.data(), bytes, cudaMemcpyHostToDevice), "start");
    };
    const auto result = [&](const Activations& on) {
        std::vector<float> held(values);
        require(cudaMemcpy(held.data(), on.hidden.data(), bytes, cudaMemcpyDeviceToHost), "result");
        return held;
    };

    // 1. Layer after layer on a stream.
    cudaStream_t stream;
    require(cudaStreamCreate(&stream), "cudaStreamCreate");
    const Activations first(bytes, norm.workspace_size());
    reset(first);
    run_layers(norm, layers, first, device_weights, dim, stream);
    require(cudaStreamSynchronize(stream), "layers");
    const std::vector<float> in_loop = result(first);

    // 2. The same as a graph: captured once, launched as one.
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    run_layers(norm, layers, first, device_weights, dim, stream);
    require(cudaStreamEndCapture(stream, &graph), "capture");
    require(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    reset(first);
    require(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
    require(cudaStreamSynchronize(stream), "graph");
    const bool graph_agrees = result(first) == in_loop;
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);

    // 3. One operator on four streams at once; each has activations, and would have a workspace, of its own.
    bool streams_agree = true;
    {
        std::vector<Activations*> each;
        std::vector<cudaStream_t> streams(4);
        for (cudaStream_t& one : streams) {
            require(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), "cudaStreamCreate");
            each.push_back(new Activations(bytes, norm.workspace_size()));
            reset(*each.back());
        }
        require(cudaDeviceSynchronize(), "start");
        for (std::size_t i = 0; i < streams.size(); ++i)
            run_layers(norm, layers, *each[i], device_weights, dim, streams[i]);
        for (std::size_t i = 0; i < streams.size(); ++i) {
            require(cudaStreamSynchronize(streams[i]), "streams");
            streams_agree = streams_agree && result(*each[i]) == in_loop;
            delete each[i];
            cudaStreamDestroy(streams[i]);
        }
    }
    cudaStreamDestroy(stream);

    std::printf("%d layers over (%d, %d): y[0] is %g\n", layers, rows, dim, static_cast<double>(in_loop[0]));
    std::printf("as a graph: %s\n", graph_agrees ? "the same bits" : "OTHER bits");
    std::printf("on four streams at once: %s\n", streams_agree ? "the same bits on each" : "OTHER bits");
    return graph_agrees && streams_agree ? 0 : 1;
}
