#include "viz/platform/paths.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/folder_test.testing.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;

class Paths : public lanewise::testing::FolderTest {
protected:
    void SetUp() override {
        fs::create_directories(folder_ / "xor runs");
        fs::create_directories(folder_ / ".hidden");
        for (const char* name : {"xor.ndjson", "xor_2.ndjson", "xor.txt", "波一.ndjson", "波二.ndjson"})
            std::ofstream(folder_ / name) << "";
        at_ = folder_.string() + "/";
    }
    std::string at_;
};

std::vector<std::string> names(const std::vector<PathChoice>& choices) {
    std::vector<std::string> all;
    for (const PathChoice& choice : choices) all.push_back(choice.name);
    return all;
}

TEST_F(Paths, TracesAndFoldersAreOffered) {
    EXPECT_EQ(names(path_choices(at_ + "x")), (std::vector<std::string>{"xor.ndjson", "xor_2.ndjson", "xor runs"}));
    EXPECT_EQ(path_choices(at_ + "xor ").front().path, at_ + "xor runs/");
    EXPECT_EQ(names(path_choices(at_ + ".")), std::vector<std::string>{".hidden"});
    EXPECT_TRUE(path_choices(at_ + "none/").empty());
    EXPECT_EQ(path_choices(at_, 2).size(), 2u);
}

TEST_F(Paths, WhatAllShareIsAdded) {
    EXPECT_EQ(completed(at_ + "x", path_choices(at_ + "x")), at_ + "xor");
    EXPECT_EQ(completed(at_ + "xor_", path_choices(at_ + "xor_")), at_ + "xor_2.ndjson");
    EXPECT_EQ(completed(at_ + "q", path_choices(at_ + "q")), at_ + "q");
    // 一 and 二 begin with the same byte.
    EXPECT_EQ(completed(at_ + "波", path_choices(at_ + "波")), at_ + "波");
}

TEST_F(Paths, TheTildeIsTheHomeFolder) {
    const char* had = std::getenv("HOME");
    const std::string home = had ? had : "";
    setenv("HOME", folder_.c_str(), 1);
    EXPECT_EQ(path_choices("~/xor_").front().path, "~/xor_2.ndjson");
    EXPECT_EQ(expanded("~/xor_2.ndjson"), at_ + "xor_2.ndjson");
    EXPECT_EQ(expanded("~other/x"), "~other/x");
    if (had) setenv("HOME", home.c_str(), 1);
    else unsetenv("HOME");
}

}  // namespace
}  // namespace lanewise::viz
