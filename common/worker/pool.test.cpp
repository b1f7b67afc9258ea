#include "common/worker/pool.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "common/worker/wrong.testing.hpp"

namespace lanewise::worker {
namespace {

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'));
}

TEST(Pool, TwoHundredDeathsLeaveNothingBehind) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    const auto backend = contained_emulator(testing::pool());
    launch::Plan plan;
    plan.launch("aborts", "", {1}, {32}, plan.output<int>("out", 1024));
    launch::Request request;
    const auto die = [&](int times) {
        for (int i = 0; i < times; ++i) {
            request.record = i % 2 != 0;
            EXPECT_EQ(backend->run(plan, testing::kernels(), request).findings.size(), 1u);
        }
    };
    die(4);   // what is made once is made now
    const std::size_t files = open_files(), maps = mappings(), processes = testing::descendants().size();
    die(200);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(open_files(), files);
    EXPECT_LE(mappings(), maps + 4);   // the heap may grow
    EXPECT_LE(testing::descendants().size(), processes);
    for (const int process : testing::descendants()) {
        std::ifstream status("/proc/" + std::to_string(process) + "/stat");
        std::string number, name, state;
        status >> number >> name >> state;
        EXPECT_NE(state, "Z");
    }
}

TEST(Pool, ItsEndEndsItsWorkers) {
    if (!Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
    std::vector<int> made;
    {
        Pool pool(serve_emulator);
        const Child child = pool.take();
        made.push_back(child.pid());
        EXPECT_EQ(kill(child.pid(), 0), 0);
    }
    for (int tries = 0; tries < 100 && kill(made[0], 0) == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(kill(made[0], 0), 0);
}

}  // namespace
}  // namespace lanewise::worker
