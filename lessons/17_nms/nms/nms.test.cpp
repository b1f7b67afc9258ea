// NMS on a GPU against the CPU reference; without one, what is said then.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "lessons/17_nms/nms/nms.hpp"
#include "lessons/17_nms/reference.hpp"

namespace {

using nms::Code;
using nms_lesson::BoxCorners;

bool has_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#define NEEDS_A_GPU() \
    if (!has_gpu()) GTEST_SKIP() << "no GPU"

// Device memory that goes with its owner.
class Memory {
public:
    explicit Memory(std::size_t bytes) { EXPECT_EQ(cudaMalloc(&data_, bytes + 256), cudaSuccess); }
    ~Memory() { cudaFree(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    void* data_ = nullptr;
};

struct Result {
    std::vector<int> kept;  // all n
    int count = -1;
    unsigned flags = 77;
};

Result run(const std::vector<BoxCorners>& boxes, const std::vector<float>& scores, float threshold,
           const std::vector<int>& classes = {}) {
    const int n = static_cast<int>(boxes.size());
    std::size_t size = 0;
    nms::Status status = nms::workspace_size(&size, n);
    EXPECT_TRUE(status) << status.sentence;
    const Memory workspace(size), kept(4 * boxes.size()), count(4), flags(4), corners(16 * boxes.size()),
        of_scores(4 * boxes.size()), of_classes(4 * classes.size());
    cudaMemset(workspace.as<void>(), 0xff, size);
    cudaMemset(kept.as<void>(), 0x5a, 4 * boxes.size());
    cudaMemcpy(corners.as<void>(), boxes.data(), 16 * boxes.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(of_scores.as<void>(), scores.data(), 4 * scores.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(of_classes.as<void>(), classes.data(), 4 * classes.size(), cudaMemcpyHostToDevice);
    status =
        nms::run(workspace.as<void>(), size, kept.as<int>(), count.as<int>(), flags.as<unsigned>(), corners.as<float>(),
                 of_scores.as<float>(), classes.empty() ? nullptr : of_classes.as<int>(), n, threshold, nullptr);
    EXPECT_TRUE(status) << status.sentence;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    Result result;
    result.kept.resize(boxes.size());
    cudaMemcpy(result.kept.data(), kept.as<void>(), 4 * boxes.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(&result.count, count.as<void>(), 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&result.flags, flags.as<void>(), 4, cudaMemcpyDeviceToHost);
    return result;
}

void expect_right(const std::vector<BoxCorners>& boxes, const std::vector<float>& scores, float threshold,
                  const std::string& what, const std::vector<int>& classes = {}) {
    const Result result = run(boxes, scores, threshold, classes);
    std::vector<int> want = nms_lesson::kept_boxes(boxes, scores, threshold, classes);
    EXPECT_EQ(result.count, static_cast<int>(want.size())) << what;
    want.resize(boxes.size(), -1);
    EXPECT_EQ(result.kept, want) << what;
    EXPECT_EQ(result.flags, 0u) << what;
}

enum class Kind { crowd, spread, same, chain, touching, thin };

// On whole coordinates: each overlap is exact in float and in double.
std::vector<BoxCorners> boxes_of(Kind kind, int n, std::mt19937& random) {
    std::vector<BoxCorners> boxes;
    const auto below = [&](int limit) { return static_cast<float>(random() % static_cast<unsigned>(limit)); };
    for (int i = 0; i < n; ++i) {
        const auto index = static_cast<float>(i);
        float x = below(1000), y = below(1000), w = 1 + below(100), h = 1 + below(100);
        switch (kind) {
            case Kind::crowd:
                x = 40 * below(std::max(1, n / 8)) + below(12);
                y = below(12);
                w = 28 + below(9);
                h = 28 + below(9);
                break;
            case Kind::spread:
                break;
            case Kind::same:
                x = y = 3;
                w = h = 7;
                break;
            case Kind::chain:
                x = 10 * index;
                y = 0;
                w = 40;
                h = 40;
                break;
            case Kind::touching:
                x = 8 * below(60);
                y = 8 * below(60);
                w = h = 8;
                break;
            case Kind::thin:
                w = below(2);
                h = below(3);
                x = below(4);
                y = below(4);
                break;  // some without area
        }
        boxes.push_back({x, y, x + w, y + h});
    }
    return boxes;
}

TEST(Nms, SaysWhatIsWrong) {
    std::size_t size = 1;
    EXPECT_EQ(nms::workspace_size(&size, -1).code, Code::boxes);
    EXPECT_EQ(nms::workspace_size(nullptr, 5).code, Code::null_pointer);
    EXPECT_EQ(nms::workspace_size(&size, nms::kMostBoxes + 1).code, Code::boxes);
    EXPECT_TRUE(nms::workspace_size(&size, 0));
    EXPECT_EQ(size, 0u);
    alignas(256) static float memory[256];
    int* const kept = reinterpret_cast<int*>(memory);
    unsigned* const flags = reinterpret_cast<unsigned*>(memory);
    const auto code = [&](int n, float threshold, void* workspace, const float* boxes, int* to = nullptr) {
        return nms::run(workspace, 0, to, kept, flags, boxes, memory, nullptr, n, threshold, nullptr).code;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    // One misuse, then with the one before it in the documented order.
    EXPECT_EQ(code(4, 0.5f, nullptr, memory, kept), Code::workspace);
    EXPECT_EQ(code(4, 0.5f, memory + 1, memory, kept), Code::workspace);
    EXPECT_EQ(code(4, 0.5f, nullptr, memory + 1, kept), Code::alignment);
    EXPECT_EQ(code(4, 0.5f, nullptr, memory + 1), Code::null_pointer);
    EXPECT_EQ(code(4, nan, nullptr, memory + 1), Code::parameter);
    EXPECT_EQ(code(4, -0.1f, nullptr, memory + 1), Code::parameter);
    EXPECT_EQ(code(4, 1.1f, nullptr, memory + 1), Code::parameter);
    EXPECT_EQ(code(-4, nan, nullptr, memory + 1), Code::boxes);
    if (!has_gpu()) {
        EXPECT_EQ(code(4, 0.5f, memory, memory, kept), Code::device);
    } else {
        EXPECT_EQ(code(4, 0.5f, memory, memory, kept), Code::workspace);  // of 0 bytes
    }
    EXPECT_STREQ(nms::sentence_of(0), "");
    EXPECT_NE(std::string(nms::sentence_of(1)).find("NaN"), std::string::npos);
}

TEST(Nms, EveryKindAndSize) {
    NEEDS_A_GPU();
    std::mt19937 random(5);
    for (const int n : {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1000, 2047, 4097, 20000})
        for (const Kind kind : {Kind::crowd, Kind::spread, Kind::same, Kind::chain, Kind::touching, Kind::thin})
            for (const float threshold : {0.0f, 0.5f, 1.0f}) {
                const auto boxes = boxes_of(kind, n, random);
                std::vector<float> scores(boxes.size());
                // A few scores only: many are equal; among them -0 and 0.
                for (float& score : scores)
                    score = (static_cast<float>(random() % 64) - 32) / 16 * (random() % 2 ? 1.0f : -1.0f);
                expect_right(boxes, scores, threshold,
                             "kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(n));
            }
}

TEST(Nms, ByClass) {
    NEEDS_A_GPU();
    std::mt19937 random(6);
    for (const int n : {1, 64, 100, 3000}) {
        const auto boxes = boxes_of(Kind::crowd, n, random);
        std::vector<float> scores(boxes.size());
        std::vector<int> classes(boxes.size());
        for (float& score : scores) score = static_cast<float>(random() % 1000);
        for (int& one : classes) one = static_cast<int>(random() % 5) - 2;
        expect_right(boxes, scores, 0.5f, "classes", classes);
        expect_right(boxes, scores, 0.5f, "one class", std::vector<int>(boxes.size(), 9));
    }
}

TEST(Nms, NoBoxes) {
    NEEDS_A_GPU();
    const Memory count(4), flags(4);
    cudaMemset(count.as<void>(), 0xff, 4);
    cudaMemset(flags.as<void>(), 0xff, 4);
    ASSERT_TRUE(nms::run(nullptr, 0, nullptr, count.as<int>(), flags.as<unsigned>(), nullptr, nullptr, nullptr, 0, 0.5f,
                         nullptr));
    int counted = -1;
    cudaMemcpy(&counted, count.as<void>(), 4, cudaMemcpyDeviceToHost);
    EXPECT_EQ(counted, 0);
}

TEST(Nms, NotANumber) {
    NEEDS_A_GPU();
    std::mt19937 random(7);
    for (int place = 0; place < 5; ++place) {
        auto boxes = boxes_of(Kind::spread, 1000, random);
        std::vector<float> scores(boxes.size(), 1.0f);
        (place < 4 ? (&boxes[777].x1)[place] : scores[777]) = std::numeric_limits<float>::quiet_NaN();
        const Result result = run(boxes, scores, 0.5f);
        EXPECT_EQ(result.flags, 1u) << place;
        EXPECT_TRUE(result.count >= 0 && result.count <= 1000);
    }
}

// The workspace's size is what it takes, and as a graph it does the same again and again.
TEST(Nms, AsAGraph) {
    NEEDS_A_GPU();
    std::mt19937 random(8);
    const auto boxes = boxes_of(Kind::crowd, 5000, random);
    std::vector<float> scores(boxes.size());
    for (float& score : scores) score = static_cast<float>(random() % 1000);
    const Result once = run(boxes, scores, 0.5f);
    std::size_t size = 0;
    ASSERT_TRUE(nms::workspace_size(&size, 5000));
    const Memory workspace(size), kept(20000), count(4), flags(4), corners(80000), of_scores(20000);
    cudaMemcpy(corners.as<void>(), boxes.data(), 80000, cudaMemcpyHostToDevice);
    cudaMemcpy(of_scores.as<void>(), scores.data(), 20000, cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_TRUE(nms::run(workspace.as<void>(), size, kept.as<int>(), count.as<int>(), flags.as<unsigned>(),
                         corners.as<float>(), of_scores.as<float>(), nullptr, 5000, 0.5f, stream));
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    for (int i = 0; i < 5; ++i) {
        cudaMemset(kept.as<void>(), 0x5a, 20000);
        ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        std::vector<int> again(5000);
        cudaMemcpy(again.data(), kept.as<void>(), 20000, cudaMemcpyDeviceToHost);
        EXPECT_EQ(again, once.kept);
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

}  // namespace
