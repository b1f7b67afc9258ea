#include "common/base/data_folder.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/folder_test.testing.hpp"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class DataFolder : public testing::FolderTest {};

TEST_F(DataFolder, LiesBesideTheProgramsWhereverTheTreeIsMoved) {
    fs::create_directories(folder_ / "here" / "bin");
    fs::create_directories(folder_ / "here" / "share" / "lanewise" / "lessons");
    EXPECT_EQ(data_folder(folder_ / "here" / "bin"), fs::canonical(folder_) / "here" / "share" / "lanewise");
    fs::rename(folder_ / "here", folder_ / "there");
    EXPECT_EQ(data_folder(folder_ / "there" / "bin"), fs::canonical(folder_) / "there" / "share" / "lanewise");
}

TEST_F(DataFolder, IsThatOfTheSourcesWhereALinkLeadsThere) {
    fs::create_directories(folder_ / "source" / "lessons");
    fs::create_directories(folder_ / "build" / "share" / "lanewise");
    fs::create_directory_symlink(folder_ / "source" / "lessons", folder_ / "build" / "share" / "lanewise" / "lessons");
    EXPECT_EQ(data_folder(folder_ / "build" / "lessons"), fs::canonical(folder_) / "source");
}

TEST_F(DataFolder, IsMissedInASentenceThatNamesIt) {
    try {
        data_folder(folder_ / "bin");
        FAIL();
    } catch (const Error& error) {
        const std::string sentence = error.what();
        EXPECT_NE(sentence.find((folder_ / "share" / "lanewise" / "lessons").string()), std::string::npos) << sentence;
        EXPECT_NE(sentence.find("cmake --install"), std::string::npos) << sentence;
    }
    EXPECT_FALSE(folder_of_this_program().empty());
}

}  // namespace
}  // namespace lanewise
