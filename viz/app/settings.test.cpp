#include "viz/app/settings.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <unistd.h>

#include "common/base/folder_test.testing.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;

class SettingsTest : public lanewise::testing::FolderTest {
protected:
    void TearDown() override { fs::permissions(folder_, fs::perms::owner_all); }
    void write(const std::string& text) { temporary_.write("lanewise/settings.json", text); }
    std::string text() const { return lanewise::testing::slurp(file_); }

    const fs::path file_ = folder_ / "lanewise" / "settings.json";
};

Settings some() {
    Settings settings;
    settings.dark = false;
    settings.motion = false;
    settings.speed = 2.25f;
    settings.by_inputs = true;
    settings.larger = 1.25f;
    settings.panels.text = 300;
    settings.panels.show_side = false;
    settings.width = 1500;
    settings.height = 940;
    settings.opened("/tmp/波.ndjson");
    settings.opened("/tmp/b.ndjson");
    settings.lessons["05_warp_shuffle"] = {true, false, {"warp_sum_xor"}, 9};
    return settings;
}

TEST_F(SettingsTest, WhatWasSavedIsLoaded) {
    SettingsFile first(file_);
    EXPECT_EQ(first.load(), Settings{});
    EXPECT_EQ(first.notice(), "");
    first.save(some());
    EXPECT_EQ(first.notice(), "");
    EXPECT_EQ(SettingsFile(file_).load(), some());
    // Nothing but the file itself is left in its folder.
    EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(SettingsTest, ABrokenFileIsPutAsideAndSaidOnce) {
    for (const char* broken : {"{\"theme\": ", "[]", "\x00\xff", ""}) {
        write(broken);
        SettingsFile file(file_);
        EXPECT_EQ(file.load(), Settings{});
        const std::string notice = file.notice();
        EXPECT_NE(notice.find(file_.string()), std::string::npos) << notice;
        EXPECT_NE(notice.find("settings.json.broken"), std::string::npos) << notice;
        file.save(some());
        EXPECT_EQ(file.notice(), "");
        EXPECT_EQ(SettingsFile(file_).load(), some());
        EXPECT_TRUE(fs::exists(file_.string() + ".broken"));
    }
}

TEST_F(SettingsTest, ValuesOfTheWrongKindOrSizeAreAsNew) {
    write(
        R"({"theme": 7, "speed": 1e30, "motion": "no", "panels": {"text": -4, "side": "wide"}, "window": [1], "recent": [3, "a"],
              "lessons": {"x": 1, "y": {"done": true, "walked": [1, "v"]}}})");
    SettingsFile file(file_);
    const Settings settings = file.load();
    EXPECT_EQ(file.notice(), "");
    EXPECT_TRUE(settings.dark);
    EXPECT_FLOAT_EQ(settings.speed, 1);
    EXPECT_TRUE(settings.motion);
    EXPECT_EQ(settings.panels, Panels{});
    EXPECT_EQ(settings.recent, std::vector<std::string>{"a"});
    EXPECT_EQ(settings.lessons.size(), 1u);
    EXPECT_TRUE(settings.lessons.at("y").done);
    EXPECT_EQ(settings.lessons.at("y").walked, std::set<std::string>{"v"});
}

TEST_F(SettingsTest, WhatIsNotKnownStays) {
    write(R"({"theme": "light", "from_a_later_version": {"a": 1}})");
    SettingsFile file(file_);
    Settings settings = file.load();
    settings.speed = 4;
    file.save(settings);
    EXPECT_NE(text().find("from_a_later_version"), std::string::npos);
    EXPECT_FALSE(SettingsFile(file_).load().dark);
}

TEST_F(SettingsTest, TwoWindowsKeepWhatEachChanged) {
    SettingsFile a(file_), b(file_);
    Settings mine = a.load(), theirs = b.load();
    mine.dark = false;
    mine.opened("/a");
    mine.lessons["05_warp_shuffle"].walked.insert("xor");
    a.save(mine);
    theirs.speed = 3;
    theirs.opened("/b");
    theirs.lessons["05_warp_shuffle"].walked.insert("down");
    b.save(theirs);
    const Settings both = SettingsFile(file_).load();
    EXPECT_FALSE(both.dark);
    EXPECT_FLOAT_EQ(both.speed, 3);
    EXPECT_EQ(both.recent, (std::vector<std::string>{"/b", "/a"}));
    EXPECT_EQ(both.lessons.at("05_warp_shuffle").walked, (std::set<std::string>{"down", "xor"}));
}

TEST_F(SettingsTest, WhereNothingCanBeWrittenASentenceSaysSoOnce) {
    // A file is where the folder should be: not even root can write there.
    std::ofstream(folder_ / "lanewise") << "no folder";
    SettingsFile file(file_);
    EXPECT_EQ(file.load(), Settings{});
    file.notice();
    file.save(some());
    const std::string notice = file.notice();
    EXPECT_NE(notice.find("could not be written"), std::string::npos) << notice;
    file.save(some());
    EXPECT_EQ(file.notice(), "");
}

TEST_F(SettingsTest, WithoutAHomeNothingIsKept) {
    SettingsFile file{fs::path()};
    EXPECT_EQ(file.load(), Settings{});
    EXPECT_NE(file.notice().find("HOME"), std::string::npos);
    file.save(some());
    EXPECT_EQ(file.notice(), "");
}

TEST_F(SettingsTest, RecentFilesAreTheLatestTen) {
    Settings settings;
    for (int i = 0; i < 14; ++i) settings.opened("/" + std::to_string(i));
    settings.opened("/9");
    ASSERT_EQ(settings.recent.size(), 10u);
    EXPECT_EQ(settings.recent.front(), "/9");
    EXPECT_EQ(settings.recent[1], "/13");
    EXPECT_EQ(std::count(settings.recent.begin(), settings.recent.end(), "/9"), 1);
}

TEST_F(SettingsTest, NamesThatAreNoUtf8DoNotStopIt) {
    SettingsFile file(file_);
    Settings settings = file.load();
    settings.opened("/tmp/\xff\xfe.ndjson");
    file.save(settings);
    EXPECT_EQ(file.notice(), "");
    EXPECT_EQ(SettingsFile(file_).load().recent.size(), 1u);
}

}  // namespace
}  // namespace lanewise::viz
