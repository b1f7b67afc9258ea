// A fixture for tests that write files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

#include "common/base/folder.testing.hpp"

namespace lanewise::testing {

// With a folder of its own.
class FolderTest : public ::testing::Test {
protected:
    // How many entries the folder has.
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }

    const TemporaryFolder temporary_;
    const std::filesystem::path& folder_ = temporary_.path();
};

}  // namespace lanewise::testing
