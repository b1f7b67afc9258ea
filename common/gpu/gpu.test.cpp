// What must hold whether or not CUDA or a GPU is there.
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/event.hpp"
#include "common/gpu/graph.hpp"
#include "common/gpu/launch.hpp"
#include "common/gpu/stream.hpp"

namespace lanewise::gpu {
namespace {

TEST(Available, SaysInASentenceWhyNotAndWhatToDo) {
    std::string why = "untouched";
    if (available(&why)) {
        EXPECT_TRUE(why.empty());
        return;
    }
    EXPECT_NE(why.find("--backend cpu"), std::string::npos) << why;
    EXPECT_EQ(why.back(), '.') << why;
}

TEST(Available, EverythingElseThrowsThatSentence) {
    std::string why;
    if (available(&why)) GTEST_SKIP() << "There is a GPU here.";
    const auto sentence_of = [](auto call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_status(), kExitUsage);
            return error.what();
        }
        return "nothing was thrown";
    };
    EXPECT_EQ(sentence_of([] { device(); }), why);
    EXPECT_EQ(sentence_of([] { make_gpu_backend(); }), why);
}

TEST(Version, ReadsLikeThePublishedNumber) {
    EXPECT_EQ(version_text(13000), "13.0");
    EXPECT_EQ(version_text(12040), "12.4");
}

int destroyed = 0;
void count_destroyed(int*) noexcept { ++destroyed; }

TEST(Handle, IsDestroyedOnceWhereverItMoved) {
    destroyed = 0;
    int a = 0, b = 0;
    {
        Handle<int*, count_destroyed> first(&a), second(&b);
        Handle<int*, count_destroyed> third(std::move(first));
        EXPECT_FALSE(first);
        EXPECT_EQ(third.get(), &a);
        third = std::move(second);
        EXPECT_EQ(third.get(), &b);
    }
    EXPECT_EQ(destroyed, 2);
}

TEST(Site, KnowsTheLineItStandsOn) {
    const int line = __LINE__ + 1;
    const Site site = Site::current();
    EXPECT_EQ(site.line, line);
    EXPECT_NE(std::string(site.file).find("gpu.test.cpp"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::gpu
