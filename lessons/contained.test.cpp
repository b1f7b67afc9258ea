// Wrong kernels in a lesson, as a learner meets them: in the terminal, under --check and in the window. The program
// continues, names what was wrong with its line, and shows what was recorded before.
#include <chrono>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/folder.testing.hpp"
#include "common/cli/program.hpp"
#include "common/worker/wrong.testing.hpp"
#ifdef LANEWISE_WITH_WINDOW
#include "viz/app/window/window_front_end.hpp"
#endif

namespace lanewise::cli {
namespace {

struct Wrong {
    const char* kernel;
    const char* said;
};
constexpr Wrong kWrong[] = {{"null_pointer", "a null pointer"},   {"recursion", "512 KB of local memory"},
                            {"aborts", "calls abort()"},          {"exits", "calls exit()"},
                            {"plain_flag", "may read this once"}, {"endless_shuffles", ""},
                            {"endless_atomics", ""},              {"far_out_of_bounds", "but out has 1024 elements"},
                            {"endless_stores", "still running"},   {"endless_fences", ""},
                            {"volatile_flag_never_set", ""},       {"huge_frame", "512 KB"},
                            {"wild_pointer", "to no array"},       {"divides_by_zero", "by zero"},
                            {"misaligned", "multiple of 16"},      {"jumps_nowhere", "no code"},
                            {"prints_forever", "printed more"},    {"takes_all_memory", ""}};

Program make_program(const std::filesystem::path& folder) {
    Program program{{lesson::Lesson("99_wrong", folder),
                     worker::testing::kernels(),
                     [] {
                         worker::Limits limits;
                         limits.seconds = 0.6;
                         return worker::contained_emulator(worker::testing::pool(), limits);
                     },
                     {},
                     [](std::string*) { return false; },
                     {},
                     [] { return std::string("2026-11-21"); }}};
    program.lesson.title("Wrong");
    for (const Wrong& wrong : kWrong)
        program.lesson.add({.name = wrong.kernel,
                            .title = wrong.kernel,
                            .summary = "wrong",
                            .plan = [kernel = std::string(wrong.kernel)](launch::Plan& plan, const lesson::Inputs&) {
                                const auto out = plan.output<int>("out", 1024);
                                if (kernel == "divides_by_zero")
                                    plan.launch(kernel, "", {1}, {32}, plan.input("in", std::vector<int>(32)), out);
                                else if (kernel == "misaligned")
                                    plan.launch(kernel, "", {1}, {32}, plan.input("in", std::vector<float>(64, 1.0f)),
                                                plan.output<float>("fours", 128));
                                else if (kernel == "plain_flag" || kernel == "volatile_flag_never_set")
                                    plan.launch(kernel, "", {1}, {32}, plan.output<int>("flag", 1), out);
                                else plan.launch(kernel, "", {1}, {32}, out);
                                plan.expect(out, std::vector<double>(1024, 3.0), 0.5, "for the test");
                            }});
#ifdef LANEWISE_WITH_WINDOW
    program.make_front_end = viz::make_front_end;
#endif
    return program;
}

class InALesson : public ::testing::TestWithParam<Wrong> {
protected:
    void SetUp() override {
        if (!worker::Pool::possible()) GTEST_SKIP() << "kernels run in the program itself here";
        std::ifstream kernels(LANEWISE_WRONG_KERNELS);
        folder_.write("lessons/99_wrong/kernels.cuh", std::string(std::istreambuf_iterator<char>(kernels), {}));
        folder_.write("lessons/99_wrong/lesson.md", "# Wrong\n");
    }

    struct Answer {
        int status = 0;
        std::string out, err;
    };
    Answer answer(const std::vector<std::string>& arguments) {
        auto program = make_program(folder_.path() / "lessons" / "99_wrong");
        std::ostringstream out, err;
        const worker::testing::PeakMemory memory;
        const auto began = std::chrono::steady_clock::now();
        const int status = run_program(program, arguments, {out, err, false});
        EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 30);
        EXPECT_LT(memory.megabytes(), 1000);
        return {status, out.str(), err.str()};
    }

    testing::TemporaryFolder folder_;
};

TEST_P(InALesson, TheTerminalNamesIt) {
    const auto result = answer({"--text", "--variant", GetParam().kernel});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find(GetParam().said), std::string::npos) << result.out.substr(0, 2000);
    const bool ends = std::string(GetParam().kernel) == "divides_by_zero";   // as on a GPU
    EXPECT_EQ(result.out.find("ended early") != std::string::npos, !ends) << result.out.substr(0, 2000);
    if (std::string(GetParam().kernel) == "null_pointer") {
        EXPECT_NE(result.out.find("store out"), std::string::npos) << result.out.substr(0, 2000);
    }
}

TEST_P(InALesson, TheCheckNamesItAndFails) {
    const auto result = answer({"--check", "--variant", GetParam().kernel});
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.out.find(GetParam().said), std::string::npos) << result.out;
}

TEST_P(InALesson, TheWindowShowsIt) {
#ifdef LANEWISE_WITH_WINDOW
    const auto picture = folder_.path() / "wrong.png";
    const auto result = answer({"--screenshot", picture.string(), "--variant", GetParam().kernel});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(picture));
#else
    GTEST_SKIP() << "built without a window";
#endif
}

INSTANTIATE_TEST_SUITE_P(Wrong, InALesson, ::testing::ValuesIn(kWrong),
                         [](const auto& of) { return std::string(of.param.kernel); });

}  // namespace
}  // namespace lanewise::cli
