// What a learner chose, kept from one window to the next: $XDG_CONFIG_HOME/lanewise/settings.json, or the same below
// ~/.config.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "viz/app/layout.hpp"

namespace lanewise::viz {

// How far a learner came in a lesson.
struct LessonMark {
    bool opened = false;
    bool done = false;               // they went on from its end
    std::set<std::string> walked;    // variants that were stepped through to the end
    int of = 0;                      // of how many, when it was open last
    bool operator==(const LessonMark&) const = default;
};

struct Settings {
    bool dark = true;
    bool motion = true;
    float speed = 1;
    bool by_inputs = false;                        // lanes in the colours of what their sums hold, not of their values
    float larger = 1;                              // all of the window, times the monitor's scale
    Panels panels;
    int width = 0, height = 0;                     // of the window; 0: never chosen
    std::vector<std::string> recent;               // files, the latest first
    std::map<std::string, LessonMark> lessons;     // by name

    // Puts a file first among the recent ones.
    void opened(const std::string& file);
    bool operator==(const Settings&) const = default;
};

class SettingsFile {
public:
    // An empty path: nothing is kept.
    explicit SettingsFile(std::filesystem::path path);
    // Where the environment says; empty where it names no home.
    static std::filesystem::path usual_path();

    // Never throws: what cannot be read is as a new learner has it, and notice() says why.
    Settings load();
    // Writes to a file beside it and renames that. What another window wrote meanwhile stays where this one changed
    // nothing; recent files and marks of both are kept. Never throws; notice() says what went wrong, once.
    void save(const Settings& settings);

    // A sentence for the learner since the last call; empty: all went well.
    std::string notice();
    const std::filesystem::path& path() const { return path_; }

private:
    std::optional<Settings> read(std::string& document);
    void report(const std::string& sentence);

    std::filesystem::path path_;
    Settings last_;            // as the file has it, as far as we know
    std::string notice_;
    std::string reported_;     // the last sentence: not said twice
    bool broken_ = false;      // what is there is no settings file
};

}  // namespace lanewise::viz
