// What was answered, kept from one day to the next: a line for each answer in answers.tsv, in the settings' folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/player/questions.hpp"

namespace lanewise::player {

// How the answers of a lesson came out.
struct LessonScore {
    int asked = 0, right = 0;             // all answers
    int exam_asked = 0, exam_right = 0;   // of the best exam; asked 0: none was finished
    bool operator==(const LessonScore&) const = default;
};

class AnswerFile {
public:
    // An empty path: nothing is kept.
    explicit AnswerFile(std::filesystem::path path = {}) : path_(std::move(path)) {}
    // $XDG_CONFIG_HOME/lanewise/answers.tsv, or below ~/.config; empty where the environment names no home.
    static std::filesystem::path usual_path();

    // Each adds a line; false where it could not be written.
    bool add(const std::string& lesson, const std::string& variant, const Question& question, const std::string& given,
             bool right) const;
    bool add_exam(const std::string& lesson, const std::string& variant, int right, int asked) const;
    // By lesson. Lines that are none are passed over.
    std::map<std::string, LessonScore> scores() const;

private:
    bool append(const std::string& line) const;

    std::filesystem::path path_;
};

// "9 of 11 right · exam 10 of 12"; empty where nothing was answered.
std::string score_text(const LessonScore& score);

}  // namespace lanewise::player
