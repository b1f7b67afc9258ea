// The lessons in their order, as folders and programs have them: no list is kept by hand.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/run/lesson_contents.hpp"

namespace lanewise::cli {

// Every lesson of `lessons` (a folder NN_name with a lesson.md), in order. `programs` is where they are built to. A
// folder that cannot be read has no lessons.
std::vector<run::LessonInfo> find_lessons(const std::filesystem::path& lessons, const std::filesystem::path& programs);

// The heading of a lesson's text, and its first paragraph as one line of plain text.
std::string title_of_text(const std::string& text);
std::string opening_of_text(const std::string& text);

}  // namespace lanewise::cli
