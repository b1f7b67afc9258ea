#include "common/cli/lesson_list.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/base/folder_test.testing.hpp"

namespace lanewise::cli {
namespace {

namespace fs = std::filesystem;

class LessonList : public lanewise::testing::FolderTest {
protected:
    void SetUp() override { fs::create_directories(folder_ / "programs"); }
    void lesson(const std::string& name, const std::string& text) {
        fs::create_directories(folder_ / "lessons" / name);
        std::ofstream(folder_ / "lessons" / name / "lesson.md") << text;
    }
    void program(const std::string& name, bool runs) {
        std::ofstream(folder_ / "programs" / name) << "#!/bin/sh\n";
        fs::permissions(folder_ / "programs" / name, runs ? fs::perms::owner_all : fs::perms::owner_read);
    }
};

TEST_F(LessonList, ListsTheFoldersInOrderAndFindsWhatIsBuilt) {
    lesson("10_last", "# The last\n\nOne *idea* of `x`, see\n[there](view:table).\n\nMore.\n");
    lesson("02_second", "Text first.\n");
    lesson("_template", "# Template\n");
    fs::create_directories(folder_ / "lessons" / "03_without_text");
    program("10_last", true);
    program("02_second", false);
    const auto lessons = find_lessons(folder_ / "lessons", folder_ / "programs");
    ASSERT_EQ(lessons.size(), 2u);
    EXPECT_EQ(lessons[0].name, "02_second");
    EXPECT_EQ(lessons[0].title, "02_second");
    EXPECT_EQ(lessons[0].opening, "Text first.");
    EXPECT_EQ(lessons[0].program, "");
    EXPECT_EQ(lessons[1].title, "The last");
    EXPECT_EQ(lessons[1].opening, "One idea of x, see there.");
    EXPECT_EQ(lessons[1].program, (folder_ / "programs" / "10_last").string());
}

TEST_F(LessonList, AFolderThatIsNotThereHasNoLessons) {
    EXPECT_TRUE(find_lessons(folder_ / "nowhere", {}).empty());
}

}  // namespace
}  // namespace lanewise::cli
