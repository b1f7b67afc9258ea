#include "common/player/answers.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "common/base/plain_text.hpp"

namespace lanewise::player {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestAnswer = 80;

std::vector<std::string> columns_of(const std::string& line) {
    std::vector<std::string> columns;
    std::istringstream in(line);
    for (std::string column; std::getline(in, column, '\t');) columns.push_back(column);
    return columns;
}

int small_number(const std::string& text) {
    return !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == text.npos ? std::stoi(text) : -1;
}

}  // namespace

fs::path AnswerFile::usual_path() {
    // A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification 0.8).
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config == '/')
        return fs::path(config) / "lanewise" / "answers.tsv";
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return fs::path(home) / ".config" / "lanewise" / "answers.tsv";
    return {};
}

bool AnswerFile::append(const std::string& line) const {
    if (path_.empty()) return true;
    std::error_code ignored;
    fs::create_directories(path_.parent_path(), ignored);
    std::ofstream out(path_, std::ios::app | std::ios::binary);
    out << line + "\n" << std::flush;   // one write: two windows do not mix their lines
    return static_cast<bool>(out);
}

bool AnswerFile::add(const std::string& lesson, const std::string& variant, const Question& question,
                     const std::string& given, bool right) const {
    return append(fmt::format("answer\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", lesson, variant,
                              question_kind_name(question.kind), question.step + 1, question.lane,
                              plain_text(given.substr(0, kLongestAnswer)), question.answer, right ? "right" : "wrong"));
}

bool AnswerFile::add_exam(const std::string& lesson, const std::string& variant, int right, int asked) const {
    return append(fmt::format("exam\t{}\t{}\t{}\t{}", lesson, variant, right, asked));
}

std::map<std::string, LessonScore> AnswerFile::scores() const {
    std::map<std::string, LessonScore> scores;
    std::ifstream in(path_, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
        const std::vector<std::string> columns = columns_of(line);
        if (columns.size() == 9 && columns[0] == "answer") {
            LessonScore& score = scores[columns[1]];
            ++score.asked;
            score.right += columns[8] == "right";
        } else if (columns.size() == 5 && columns[0] == "exam") {
            const int right = small_number(columns[3]), asked = small_number(columns[4]);
            if (asked <= 0 || right < 0 || right > asked) continue;
            LessonScore& score = scores[columns[1]];
            // The best by its share of right answers, then by their number.
            const int better = right * score.exam_asked - score.exam_right * asked;
            if (score.exam_asked > 0 && (better < 0 || (better == 0 && asked <= score.exam_asked))) continue;
            score.exam_right = right;
            score.exam_asked = asked;
        }
    }
    return scores;
}

std::string score_text(const LessonScore& score) {
    std::string text;
    if (score.asked > 0) text = fmt::format("{} of {} answers right", score.right, score.asked);
    if (score.exam_asked > 0)
        text += fmt::format("{}exam {} of {}", text.empty() ? "" : " · ", score.exam_right, score.exam_asked);
    return text;
}

}  // namespace lanewise::player
