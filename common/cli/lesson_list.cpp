#include "common/cli/lesson_list.hpp"

#include <algorithm>
#include <sstream>

#include <unistd.h>

#include "common/runner/recordings.hpp"

namespace lanewise::cli {

using run::LessonInfo;

namespace {

namespace fs = std::filesystem;

bool is_lesson(const std::string& name) { return name.size() > 3 && name[0] >= '0' && name[0] <= '9'; }

// Text without the signs of Markdown: **strong**, *emphasis*, `code`, [link](target).
std::string without_marks(const std::string& line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '*' || line[i] == '`' || line[i] == '[') continue;
        if (line[i] == ']') {
            const std::size_t end = i + 1 < line.size() && line[i + 1] == '(' ? line.find(')', i) : std::string::npos;
            if (end != std::string::npos) i = end;
            continue;
        }
        out += line[i];
    }
    return out;
}

}  // namespace

std::string title_of_text(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('#')) return line.substr(std::min(line.find_first_not_of("# "), line.size()));
    return {};
}

std::string opening_of_text(const std::string& text) {
    std::istringstream lines(text);
    std::string opening;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) {
            if (!opening.empty()) break;
            continue;
        }
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            if (!opening.empty()) break;
            continue;
        }
        opening += (opening.empty() ? "" : " ") + without_marks(line);
    }
    return opening;
}

std::vector<LessonInfo> find_lessons(const fs::path& lessons, const fs::path& programs) {
    std::vector<LessonInfo> found;
    std::error_code ignored;
    for (fs::directory_iterator it(lessons, ignored), end; !ignored && it != end; it.increment(ignored)) {
        const std::string name = it->path().filename().string();
        if (!is_lesson(name) || !fs::exists(it->path() / "lesson.md", ignored)) continue;
        const std::string text = runner::read_text(it->path() / "lesson.md");
        LessonInfo info{name, title_of_text(text), opening_of_text(text), {}};
        if (info.title.empty()) info.title = name;
        const fs::path program = programs / name;
        if (!programs.empty() && access(program.c_str(), X_OK) == 0 && !fs::is_directory(program, ignored))
            info.program = program.string();
        found.push_back(std::move(info));
    }
    std::sort(found.begin(), found.end(), [](const LessonInfo& a, const LessonInfo& b) { return a.name < b.name; });
    return found;
}

}  // namespace lanewise::cli
