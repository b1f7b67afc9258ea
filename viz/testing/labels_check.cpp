// Looks for faults in what the stage writes (labels.testing.hpp) over saved traces: as at 1280x800 and at twice the
// scale, at 8 steps of a long run.
//     labels_check TRACE.ndjson…
#include <cstdio>
#include <exception>

#include "common/run/run.hpp"
#include "common/trace/io.hpp"
#include "viz/testing/labels.testing.hpp"

int main(int argc, char** argv) {
    using namespace lanewise;
    if (argc < 2) {
        std::fprintf(stderr, "Name one or more traces: labels_check TRACE.ndjson…\n");
        return 2;
    }
    std::size_t faults = 0;
    try {
        for (int i = 1; i < argc; ++i) {
            auto run = std::make_shared<lesson::Run>();
            run->trace = trace::load(argv[i]);
            run->steps = steps::build_steps(run->trace);
            for (const float scale : {1.0f, 2.0f}) {
                // The stage's part of a window of 1280x800.
                for (const std::string& fault :
                     viz::testing::label_faults(run, 735 * scale, 625 * scale, scale, 10, 8)) {
                    std::printf("%s\n", fault.c_str());
                    ++faults;
                }
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    if (faults == 0) std::printf("%d traces without a fault\n", argc - 1);
    return faults ? 1 : 0;
}
