#include "common/annotate/syntax/headers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/annotate/syntax/configurations.hpp"
#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersAbove = 4;
constexpr std::size_t kLargestFile = 4 << 20;
constexpr std::size_t kMostFiles = 100;

// Headers of C and C++ that device code uses, and that cost little to read.
constexpr std::array<std::string_view, 34> kLight = {
    "array",     "bit",      "cassert", "cfloat",      "climits",     "cmath",          "concepts",
    "cstddef",   "cstdint",  "cstdio",  "cstdlib",     "cstring",     "float.h",        "initializer_list",
    "limits",    "limits.h", "math.h",  "stdbool.h",   "stddef.h",    "stdint.h",       "stdio.h",
    "stdlib.h",  "string.h", "tuple",   "type_traits", "utility",     "assert.h",       "inttypes.h",
    "cinttypes", "stdarg.h", "time.h",  "ctime",       "cuda/atomic", "cuda/std/atomic"};

// The folders around a file that its project may keep headers in.
constexpr std::array<std::string_view, 10> kUsualPlaces = {"",           "include", "inc",  "common", "Common",
                                                           "common/inc", "src",     "util", "utils",  "headers"};

bool is_file(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && fs::file_size(path, none) <= kLargestFile;
}

int line_count(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.empty() || text.back() == '\n' ? 0 : 1);
}

// Headers of the toolkit's that say nothing here but that they cannot be emulated: what uses them is refused by name.
bool only_refuses(const fs::path& stand_in) {
    std::ifstream file(stand_in);
    std::string first;
    std::getline(file, first);
    return first.starts_with("#error");
}

}  // namespace

Headers::Headers(const std::string& path, const std::string& text, std::string stand_ins,
                 std::vector<std::string> folders, std::set<std::string> left_out)
    : stand_ins_(std::move(stand_ins)), folders_(std::move(folders)), left_out_(std::move(left_out)) {
    add(path, text);
}

std::size_t Headers::add(const std::string& path, std::string text) {
    if (text.starts_with("\xef\xbb\xbf")) blank(text, {0, 3});  // a mark of UTF-8 is none inside of another file
    const std::size_t number = sources_.size();
    const int first_line = sources_.empty() ? 1 : sources_.back()->first_line() + line_count(sources_.back()->text());
    auto read = std::make_unique<Source>(path, std::move(text), first_line, Source::kLenient);
    sources_.push_back(std::move(read));
    own_.emplace_back();
    const Source& source = *sources_[number];
    for (const Directive& directive : source.directives()) {
        const Named include = named(source, directive);
        if (include.name.empty() || kind_of(include, source) != Kind::own) continue;
        const std::string other = own_path(include, source);
        std::size_t found = 0;
        while (found < sources_.size() && sources_[found]->path() != other) ++found;
        if (found == sources_.size()) {
            if (found == kMostFiles) continue;
            std::ifstream file(other, std::ios::binary);
            try {
                found = add(other, {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
            } catch (const Error&) {
                left_out_.insert(other);
                continue;
            }
        }
        own_[number].push_back({number, include.span, found});
        std::string folder = other;
        if (!folder.ends_with("/" + include.name)) continue;  // with .. in its name: found from the file's own folder
        folder.erase(folder.size() - include.name.size() - 1);
        (include.quoted ? quote_folders_ : angle_folders_).insert(folder);
    }
    return number;
}

Headers::Named Headers::named(const Source& source, const Directive& directive) {
    Named result;
    if (directive.name != "include") return result;
    const std::string& text = source.text();
    const std::size_t open = text.find_first_not_of(" \t", directive.rest);
    if (open >= directive.span.end || (text[open] != '"' && text[open] != '<')) return result;
    const std::size_t close = text.find(text[open] == '"' ? '"' : '>', open + 1);
    if (close >= directive.span.end) return result;
    result.name = text.substr(open + 1, close - open - 1);
    result.quoted = text[open] == '"';
    result.span = {open, close + 1};
    return result;
}

std::string Headers::own_path(const Named& include, const Source& from) const {
    std::vector<fs::path> places = {fs::path(from.path()).parent_path()};
    for (const std::string& folder : folders_) places.push_back(fs::absolute(folder));
    fs::path above = fs::path(sources_.front()->path()).parent_path();
    for (int i = 0; i < kFoldersAbove && above.has_relative_path(); ++i, above = above.parent_path())
        for (const std::string_view place : kUsualPlaces) places.push_back(above / place);
    for (const fs::path& place : places) {
        const std::string path = (place / include.name).lexically_normal().string();
        if (!left_out_.contains(path) && is_file(path)) return path;
    }
    return {};
}

Headers::Kind Headers::kind_of(const Named& include, const Source& from) const {
    if (include.name.starts_with("cooperative_groups")) return Kind::groups;
    if (fs::path(include.name).is_absolute()) return Kind::missing;
    const fs::path stand_in = fs::path(stand_ins_) / include.name;
    if (is_file(stand_in)) return only_refuses(stand_in) ? Kind::missing : Kind::toolkit;
    if (std::find(kLight.begin(), kLight.end(), include.name) != kLight.end()) return Kind::light;
    const bool standard = include.name.find_first_of("./") == std::string::npos;  // <vector>
    if (!standard && !own_path(include, from).empty()) return Kind::own;
    return standard ? Kind::host : Kind::missing;
}

std::string Headers::text_for_parser(const Source& source) const {
    std::string text = annotate::text_for_parser(source, {});
    for (const Directive& directive : source.directives()) {
        if (directive.name == "error") blank(text, directive.span);
        if (!directive.name.starts_with("include")) continue;
        const Named include = named(source, directive);
        const Kind kind = include.name.empty() ? Kind::missing : kind_of(include, source);
        // The parser has cooperative groups already.
        if (kind == Kind::missing || kind == Kind::groups || (kind == Kind::host && !all_)) blank(text, directive.span);
    }
    return text;
}

std::vector<std::string> Headers::arguments() const {
    std::vector<std::string> result;
    for (const std::string& folder : quote_folders_) result.push_back("-iquote" + folder);
    for (const std::string& folder : angle_folders_) result.push_back("-I" + folder);
    return result;
}

bool Headers::has_more() const {
    if (all_) return false;
    for (const auto& source : sources_)
        for (const Directive& directive : source->directives()) {
            const Named include = named(*source, directive);
            if (!include.name.empty() && kind_of(include, *source) == Kind::host) return true;
        }
    return false;
}

std::string Headers::include_at(std::size_t file, std::size_t offset) const {
    const Source& source = *sources_[file];
    for (const Directive& directive : source.directives()) {
        if (!directive.span.holds(offset)) continue;
        const Named include = named(source, directive);
        return include.name.empty() ? std::string() : "#include <" + include.name + ">";
    }
    return {};
}

std::vector<std::string> Headers::in_order(const std::set<std::string>& includes) const {
    std::vector<std::string> result;
    for (const auto& source : sources_)
        for (const Directive& directive : source->directives()) {
            const Named include = named(*source, directive);
            const std::string line = "#include <" + include.name + ">";
            if (includes.contains(line) && std::find(result.begin(), result.end(), line) == result.end())
                result.push_back(line);
        }
    return result;
}

bool Headers::stays(const Source& source, const Directive& directive) const {
    const Named include = named(source, directive);
    return !include.name.empty() && kind_of(include, source) == Kind::groups;
}

std::vector<Remark> Headers::skipped() const {
    std::vector<Remark> result;
    for (const auto& source : sources_)
        for (const Directive& directive : source->directives()) {
            const Named include = named(*source, directive);
            if (include.name.empty()) continue;
            const Kind kind = kind_of(include, *source);
            if (kind != Kind::missing && (kind != Kind::host || all_)) continue;
            const std::string& text = source->text();
            const auto lines =
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(directive.span.begin), '\n');
            result.push_back({include.name, source->path(), static_cast<int>(lines) + 1});
        }
    return result;
}

}  // namespace lanewise::annotate
