// Times nms on this GPU, stage by stage.
//
//     nms_bench [--csv FILE]
//
// Method: a graph of one run (all on the device), replayed between events, 100 samples; median, 5th and 95th
// percentile. Boxes: uniform in 1000 by 1000 with sides to 100; apart (nothing is suppressed); all the same. Threshold
// 0.5.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "nms.hpp"

namespace {

void require(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}

void require(const nms::Status& status) {
    if (status) return;
    std::fprintf(stderr, "%s\n", status.sentence);
    std::exit(2);
}

template <class T>
T* memory(std::size_t count) {
    void* data = nullptr;
    require(cudaMalloc(&data, count * sizeof(T) + 256), "memory");
    return static_cast<T*>(data);
}

struct Times {
    double median = 0, low = 0, high = 0;
};

Times time_graph(cudaGraphExec_t graph, cudaStream_t stream) {
    cudaEvent_t begin, end;
    require(cudaEventCreate(&begin), "event");
    require(cudaEventCreate(&end), "event");
    for (int i = 0; i < 5; ++i) require(cudaGraphLaunch(graph, stream), "launch");
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
        require(cudaEventRecord(begin, stream), "record");
        require(cudaGraphLaunch(graph, stream), "launch");
        require(cudaEventRecord(end, stream), "record");
        require(cudaEventSynchronize(end), "synchronize");
        float ms = 0;
        require(cudaEventElapsedTime(&ms, begin, end), "time");
        times.push_back(static_cast<double>(ms) * 1e3);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return {(times[49] + times[50]) / 2, times[5], times[94]};
}

const char* const kKinds[] = {"uniform", "apart", "same"};

std::vector<float> boxes_of(int kind, int n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> place(0, 1000), side(0, 100);
    std::vector<float> boxes;
    for (int i = 0; i < n; ++i) {
        const float x = kind == 0 ? place(random) : kind == 1 ? static_cast<float>(i % 1000) * 10 : 5;
        const float y = kind == 0 ? place(random) : kind == 1 ? static_cast<float>(i / 1000) * 10 : 5;
        const float w = kind == 0 ? side(random) : 8, h = kind == 0 ? side(random) : 8;
        boxes.insert(boxes.end(), {x, y, x + w, y + h});
    }
    return boxes;
}

}  // namespace

int main(int count, char** arguments) {
    const bool to_file = count == 3 && !std::strcmp(arguments[1], "--csv");
    if (count != 1 && !to_file) {
        std::fprintf(stderr, "Give nothing, or --csv FILE.\n");
        return 2;
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "There is no GPU here to time.\n");
        return 2;
    }
    std::FILE* const out = to_file ? std::fopen(arguments[2], "w") : nullptr;
    if (to_file && !out) {
        std::fprintf(stderr, "%s cannot be written; give another file.\n", arguments[2]);
        return 2;
    }
    cudaDeviceProp properties;
    require(cudaGetDeviceProperties(&properties, 0), "device");
    std::printf("%s\n%-8s %7s %7s %10s %10s %10s %10s %10s %10s\n", properties.name, "boxes", "n", "kept", "us", "p5",
                "p95", "ordering", "comparing", "reducing");
    if (out) std::fprintf(out, "gpu,what,boxes,n,kept,median_us,low_us,high_us\n");
    cudaStream_t stream;
    require(cudaStreamCreate(&stream), "stream");
    for (const int n : {1000, 10000, 100000})
        for (int kind = 0; kind < 3; ++kind) {
            const std::vector<float> boxes = boxes_of(kind, n);
            std::vector<float> scores(static_cast<std::size_t>(n));
            std::mt19937 random(2);
            for (float& score : scores) score = std::uniform_real_distribution<float>(0, 1)(random);
            std::size_t size = 0;
            require(nms::workspace_size(&size, n));
            char* const workspace = memory<char>(size);
            int* const kept = memory<int>(scores.size());
            int* const counted = memory<int>(1);
            unsigned* const flags = memory<unsigned>(1);
            float* const corners = memory<float>(boxes.size());
            float* const of_scores = memory<float>(scores.size());
            require(cudaMemcpy(corners, boxes.data(), boxes.size() * 4, cudaMemcpyHostToDevice), "boxes");
            require(cudaMemcpy(of_scores, scores.data(), scores.size() * 4, cudaMemcpyHostToDevice), "scores");
            Times times[3];
            for (int stage = 1; stage <= 3; ++stage) {
                cudaGraph_t graph;
                cudaGraphExec_t ready;
                require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
                require(nms::detail::run_to(static_cast<nms::detail::Stage>(stage), workspace, size, kept, counted,
                                            flags, corners, of_scores, nullptr, n, 0.5f, stream));
                require(cudaStreamEndCapture(stream, &graph), "capture");
                require(cudaGraphInstantiate(&ready, graph, 0), "graph");
                times[stage - 1] = time_graph(ready, stream);
                cudaGraphExecDestroy(ready);
                cudaGraphDestroy(graph);
            }
            int number = 0;
            require(cudaMemcpy(&number, counted, 4, cudaMemcpyDeviceToHost), "count");
            std::printf("%-8s %7d %7d %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f\n", kKinds[kind], n, number,
                        times[2].median, times[2].low, times[2].high, times[0].median,
                        times[1].median - times[0].median, times[2].median - times[1].median);
            std::fflush(stdout);
            if (out)
                std::fprintf(out, "%s,nms,%s,%d,%d,%.2f,%.2f,%.2f\n", properties.name, kKinds[kind], n, number,
                             times[2].median, times[2].low, times[2].high);
            cudaFree(workspace);
            for (void* one : {static_cast<void*>(kept), static_cast<void*>(counted), static_cast<void*>(flags),
                              static_cast<void*>(corners), static_cast<void*>(of_scores)})
                cudaFree(one);
        }
    if (out) std::fclose(out);
    return 0;
}
