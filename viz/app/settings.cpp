#include "viz/app/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "common/base/whole_file.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr std::size_t kMostRecent = 10;
constexpr std::size_t kMostMarks = 1000;

// A value of the right kind within bounds, else what there was.
template <class T>
void take(const json& from, const char* name, T& value, T least, T most) {
    const auto at = from.find(name);
    if (at == from.end() || !at->is_number()) return;
    const double number = at->get<double>();
    if (std::isfinite(number) && number >= static_cast<double>(least) && number <= static_cast<double>(most))
        value = static_cast<T>(number);
}

void take(const json& from, const char* name, bool& value) {
    const auto at = from.find(name);
    if (at != from.end() && at->is_boolean()) value = at->get<bool>();
}

json object_in(const json& from, const char* name) {
    const auto at = from.find(name);
    return at != from.end() && at->is_object() ? *at : json::object();
}

Settings settings_of(const json& all) {
    Settings settings;
    settings.dark = all.value("theme", json("dark")) != json("light");
    take(all, "motion", settings.motion);
    take(all, "speed", settings.speed, 0.2f, 8.0f);
    settings.by_inputs = all.value("colors", json("value")) == json("inputs");
    take(all, "larger", settings.larger, 0.5f, 4.0f);
    const json panels = object_in(all, "panels");
    take(panels, "text", settings.panels.text, 0.0f, 8192.0f);
    take(panels, "side", settings.panels.side, 0.0f, 8192.0f);
    take(panels, "timeline", settings.panels.timeline, 0.0f, 8192.0f);
    take(panels, "source", settings.panels.source, 0.0f, 8192.0f);
    take(panels, "show_text", settings.panels.show_text);
    take(panels, "show_side", settings.panels.show_side);
    take(panels, "show_timeline", settings.panels.show_timeline);
    const json window = object_in(all, "window");
    take(window, "width", settings.width, 64, 16384);
    take(window, "height", settings.height, 64, 16384);
    if (const auto recent = all.find("recent"); recent != all.end() && recent->is_array()) {
        for (const json& file : *recent)
            if (file.is_string() && settings.recent.size() < kMostRecent)
                settings.recent.push_back(file.get<std::string>());
    }
    const json lessons = object_in(all, "lessons");
    for (const auto& [name, mark] : lessons.items()) {
        if (!mark.is_object() || settings.lessons.size() >= kMostMarks) continue;
        LessonMark& own = settings.lessons[name];
        take(mark, "opened", own.opened);
        take(mark, "done", own.done);
        take(mark, "of", own.of, 0, 1000);
        if (const auto walked = mark.find("walked"); walked != mark.end() && walked->is_array()) {
            for (const json& variant : *walked)
                if (variant.is_string() && own.walked.size() < kMostMarks)
                    own.walked.insert(variant.get<std::string>());
        }
    }
    return settings;
}

// Into `all`, which keeps what we do not know.
void write_into(json& all, const Settings& settings) {
    const auto object = [&](const char* name) -> json& {
        json& place = all[name];
        if (!place.is_object()) place = json::object();
        return place;
    };
    all["theme"] = settings.dark ? "dark" : "light";
    all["motion"] = settings.motion;
    all["speed"] = settings.speed;
    all["colors"] = settings.by_inputs ? "inputs" : "value";
    all["larger"] = settings.larger;
    json& panels = object("panels");
    panels["text"] = settings.panels.text;
    panels["side"] = settings.panels.side;
    panels["timeline"] = settings.panels.timeline;
    panels["source"] = settings.panels.source;
    panels["show_text"] = settings.panels.show_text;
    panels["show_side"] = settings.panels.show_side;
    panels["show_timeline"] = settings.panels.show_timeline;
    json& window = object("window");
    window["width"] = settings.width;
    window["height"] = settings.height;
    all["recent"] = settings.recent;
    json& lessons = object("lessons");
    for (const auto& [name, mark] : settings.lessons)
        lessons[name] = {{"opened", mark.opened}, {"done", mark.done}, {"of", mark.of}, {"walked", mark.walked}};
}

// Three versions of one thing: what this window changed goes before what another one did.
template <class T>
void merge(T& mine, const T& last, const T& theirs) {
    if (mine == last) mine = theirs;
}

Settings merged(Settings mine, const Settings& last, const Settings& theirs) {
    merge(mine.dark, last.dark, theirs.dark);
    merge(mine.motion, last.motion, theirs.motion);
    merge(mine.speed, last.speed, theirs.speed);
    merge(mine.by_inputs, last.by_inputs, theirs.by_inputs);
    merge(mine.larger, last.larger, theirs.larger);
    merge(mine.panels, last.panels, theirs.panels);
    if (mine.width == last.width && mine.height == last.height) {
        mine.width = theirs.width;
        mine.height = theirs.height;
    }
    for (const std::string& file : theirs.recent)
        if (std::find(mine.recent.begin(), mine.recent.end(), file) == mine.recent.end()) mine.recent.push_back(file);
    mine.recent.resize(std::min(mine.recent.size(), kMostRecent));
    for (const auto& [name, mark] : theirs.lessons) {
        LessonMark& own = mine.lessons[name];
        own.opened |= mark.opened;
        own.done |= mark.done;
        own.of = std::max(own.of, mark.of);
        own.walked.insert(mark.walked.begin(), mark.walked.end());
    }
    return mine;
}

std::string reason() { return std::strerror(errno); }

}  // namespace

void Settings::opened(const std::string& file) {
    std::erase(recent, file);
    recent.insert(recent.begin(), file);
    recent.resize(std::min(recent.size(), kMostRecent));
}

SettingsFile::SettingsFile(fs::path path) : path_(std::move(path)) {}

fs::path SettingsFile::usual_path() {
    // A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification 0.8).
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config == '/')
        return fs::path(config) / "lanewise" / "settings.json";
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return fs::path(home) / ".config" / "lanewise" / "settings.json";
    return {};
}

void SettingsFile::report(const std::string& sentence) {
    if (sentence == reported_) return;
    reported_ = notice_ = sentence;
}

std::string SettingsFile::notice() { return std::exchange(notice_, {}); }

// Nothing where there is no such file, or none that can be used.
std::optional<Settings> SettingsFile::read(std::string& document) {
    std::error_code failed;
    broken_ = false;
    if (!fs::exists(path_, failed)) {
        if (failed)
            report("The settings in " + path_.string() + " cannot be reached (" + failed.message() +
                   "), so the usual ones are used.");
        return std::nullopt;
    }
    std::ifstream in(path_, std::ios::binary);
    const std::uintmax_t size = fs::file_size(path_, failed);
    if (!in || failed || size > kLargestFile) {
        report("The settings in " + path_.string() + " cannot be read (" +
               (failed                ? failed.message()
                : size > kLargestFile ? "the file is larger than any settings"
                                      : reason()) +
               "), so the usual ones are used.");
        broken_ = true;
        return std::nullopt;
    }
    document.assign(std::istreambuf_iterator<char>(in), {});
    const json all = json::parse(document, nullptr, false);
    if (!all.is_object()) {
        report("The settings in " + path_.string() +
               " are not valid JSON, so the defaults are used; the old file is kept as settings.json.broken.");
        broken_ = true;
        return std::nullopt;
    }
    return settings_of(all);
}

Settings SettingsFile::load() {
    if (path_.empty()) {
        report("Neither XDG_CONFIG_HOME nor HOME names a folder, so what is chosen here is not kept.");
        return {};
    }
    std::string document;
    last_ = read(document).value_or(Settings{});
    return last_;
}

void SettingsFile::save(const Settings& settings) {
    if (path_.empty()) return;
    const auto fail = [&](const std::string& why) {
        report("The settings could not be written to " + path_.string() + " (" + why +
               "); what is chosen here lasts until the window closes.");
    };
    std::error_code failed;
    fs::create_directories(path_.parent_path(), failed);
    if (failed) return fail(failed.message());
    std::string document;
    const std::optional<Settings> theirs = read(document);
    if (broken_) fs::rename(path_, path_.string() + ".broken", failed);
    const Settings now = theirs ? merged(settings, last_, *theirs) : settings;
    json all = theirs ? json::parse(document) : json::object();
    write_into(all, now);
    // Names of files need not be UTF-8; settings are.
    const std::string text = all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";

    if (const std::string why = write_whole_file(path_, text); !why.empty()) return fail(why);
    last_ = settings;
    reported_.clear();
}

}  // namespace lanewise::viz
