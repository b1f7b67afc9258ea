// Looks for faults in what the stage writes (labels.testing.hpp) over saved traces: as at 1280x800 and at twice the
// scale, or with stages of other sizes, at 8 steps of a long run.
//     labels_check [WIDTHxHEIGHT…] TRACE.ndjson…
#include <cstdio>
#include <exception>
#include <vector>

#include "common/run/run.hpp"
#include "common/trace/io.hpp"
#include "viz/testing/labels.testing.hpp"

int main(int argc, char** argv) {
    using namespace lanewise;
    struct Stage {
        float width = 735, height = 625;   // the stage's part of a window of 1280x800
    };
    std::vector<Stage> stages;
    int first = 1;
    for (Stage stage; first < argc && std::sscanf(argv[first], "%fx%f", &stage.width, &stage.height) == 2; ++first)
        stages.push_back(stage);
    if (first == argc) {
        std::fprintf(stderr, "Name one or more traces: labels_check [WIDTHxHEIGHT…] TRACE.ndjson…\n");
        return 2;
    }
    if (stages.empty()) stages.emplace_back();
    std::size_t faults = 0;
    try {
        for (int i = first; i < argc; ++i) {
            auto run = std::make_shared<run::Run>();
            run->trace = trace::load(argv[i]);
            run->steps = steps::build_steps(run->trace);
            for (const Stage& stage : stages) {
                for (const float scale : {1.0f, 2.0f}) {
                    for (const std::string& fault : viz::testing::label_faults(
                             run, stage.width * scale, stage.height * scale, scale, 10, 8)) {
                        std::printf("%s\n", fault.c_str());
                        ++faults;
                    }
                }
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    if (faults == 0) std::printf("%d traces without a fault\n", argc - first);
    return faults ? 1 : 0;
}
