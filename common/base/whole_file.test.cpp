#include "common/base/whole_file.hpp"

#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/folder_test.testing.hpp"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::FolderTest {};

TEST_F(WholeFile, ReplacesWhatStandsThereAndLeavesNothingElse) {
    EXPECT_EQ(write_whole_file(folder_ / "波", "one"), "");
    EXPECT_EQ(write_whole_file(folder_ / "波", std::string("t\0wo", 4)), "");
    EXPECT_EQ(testing::slurp(folder_ / "波"), std::string("t\0wo", 4));
    EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFile, KeepsALinkAndTheRightsOfWhatItLeadsTo) {
    ASSERT_EQ(write_whole_file(folder_ / "real", "old"), "");
    ASSERT_EQ(::chmod((folder_ / "real").c_str(), 0640), 0);
    fs::create_symlink("real", folder_ / "link");
    EXPECT_EQ(write_whole_file(folder_ / "link", "new"), "");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(testing::slurp(folder_ / "real"), "new");
    EXPECT_EQ(fs::status(folder_ / "real").permissions(), fs::perms(0640));
}

TEST_F(WholeFile, WritesToADeviceAndAPipeAndNeverReplacesThem) {
    if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    EXPECT_NE(write_whole_file("/dev/full", "x"), "");
    EXPECT_EQ(write_whole_file("/dev/null", "x"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    fs::create_symlink("/dev/full", folder_ / "full");
    EXPECT_NE(write_whole_file(folder_ / "full", "x"), "");
    EXPECT_TRUE(fs::is_symlink(folder_ / "full"));
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    std::string heard;
    std::thread reader([&] { heard = testing::slurp(folder_ / "pipe"); });
    EXPECT_EQ(write_whole_file(folder_ / "pipe", "through"), "");
    reader.join();
    EXPECT_EQ(heard, "through");
    EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(WholeFile, SaysWhyItDoesNotWork) {
    EXPECT_NE(write_whole_file(folder_, "x"), "");
    EXPECT_NE(write_whole_file(folder_ / "none" / "a", "x"), "");
    EXPECT_NE(write_whole_file(folder_ / std::string(300, 'a'), "x"), "");
    EXPECT_EQ(files(), 0u);
    if (::getuid() == 0) GTEST_SKIP() << "root may write everywhere";
    ASSERT_EQ(write_whole_file(folder_ / "kept", "old"), "");
    ASSERT_EQ(::chmod((folder_ / "kept").c_str(), 0400), 0);
    EXPECT_NE(write_whole_file(folder_ / "kept", "new"), "");
    EXPECT_EQ(testing::slurp(folder_ / "kept"), "old");
}

}  // namespace
}  // namespace lanewise
