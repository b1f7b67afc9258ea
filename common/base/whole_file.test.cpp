#include "common/base/whole_file.hpp"

#include <fstream>
#include <iterator>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class WholeFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("lanewise_whole_" + std::to_string(::getpid()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    static std::string read(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    fs::path folder;
};

TEST_F(WholeFile, ReplacesWhatStandsThereAndLeavesNothingElse) {
    EXPECT_EQ(write_whole_file(folder / "波", "one"), "");
    EXPECT_EQ(write_whole_file(folder / "波", std::string("t\0wo", 4)), "");
    EXPECT_EQ(read(folder / "波"), std::string("t\0wo", 4));
    EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFile, KeepsALinkAndTheRightsOfWhatItLeadsTo) {
    ASSERT_EQ(write_whole_file(folder / "real", "old"), "");
    ASSERT_EQ(::chmod((folder / "real").c_str(), 0640), 0);
    fs::create_symlink("real", folder / "link");
    EXPECT_EQ(write_whole_file(folder / "link", "new"), "");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read(folder / "real"), "new");
    EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms(0640));
}

TEST_F(WholeFile, WritesToADeviceAndAPipeAndNeverReplacesThem) {
    if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    EXPECT_NE(write_whole_file("/dev/full", "x"), "");
    EXPECT_EQ(write_whole_file("/dev/null", "x"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    fs::create_symlink("/dev/full", folder / "full");
    EXPECT_NE(write_whole_file(folder / "full", "x"), "");
    EXPECT_TRUE(fs::is_symlink(folder / "full"));
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::string heard;
    std::thread reader([&] { heard = read(folder / "pipe"); });
    EXPECT_EQ(write_whole_file(folder / "pipe", "through"), "");
    reader.join();
    EXPECT_EQ(heard, "through");
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST_F(WholeFile, SaysWhyItDoesNotWork) {
    EXPECT_NE(write_whole_file(folder, "x"), "");
    EXPECT_NE(write_whole_file(folder / "none" / "a", "x"), "");
    EXPECT_NE(write_whole_file(folder / std::string(300, 'a'), "x"), "");
    EXPECT_EQ(files(), 0u);
    if (::getuid() == 0) GTEST_SKIP() << "root may write everywhere";
    ASSERT_EQ(write_whole_file(folder / "kept", "old"), "");
    ASSERT_EQ(::chmod((folder / "kept").c_str(), 0400), 0);
    EXPECT_NE(write_whole_file(folder / "kept", "new"), "");
    EXPECT_EQ(read(folder / "kept"), "old");
}

}  // namespace
}  // namespace lanewise
