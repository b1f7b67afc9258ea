#include "common/compile/messages.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "common/base/kernel_text.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMost = 5;
constexpr std::size_t kLongest = 400;  // characters of a sentence

struct Place {
    std::string file;
    int line = 0;
    int column = 0;
    std::string rest;
};

// "path:12:5: rest" or "path:12: rest".
std::optional<Place> place_of(const std::string& text) {
    for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
        Place place;
        const char* end = text.data() + text.size();
        const auto [after, bad] = std::from_chars(text.data() + colon + 1, end, place.line);
        if (bad != std::errc{} || after == end || *after != ':' || place.line <= 0) continue;
        place.file = text.substr(0, colon);
        const auto [next, none] = std::from_chars(after + 1, end, place.column);
        const char* rest = none == std::errc{} && next != end && *next == ':' ? next + 1 : after + 1;
        while (rest != end && *rest == ' ') ++rest;
        place.rest = std::string(rest, end);
        return place;
    }
    return std::nullopt;
}

bool take(std::string& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.erase(0, prefix.size());
    return true;
}

// Without what only the emulated copy has: its namespace, and the line that calls of the prelude take.
std::string plain(std::string text) {
    for (const std::string_view ours : {"kernels_own_emulated_traced::", "lanewise_given::"})
        for (std::size_t at; (at = text.find(ours)) != text.npos;) text.erase(at, ours.size());
    if (const std::string_view fits = "unable to deduce ‘auto’ from ‘& "; text.starts_with(fits)) {
        text.erase(0, fits.size());
        text = text.substr(0, text.find("’")) +
               " fits no template of the file: its arguments are of another kind or number.";
    }
    // Of a name in a template that nothing declares.
    if (const std::string_view fits = "there are no arguments to ‘"; text.starts_with(fits)) {
        text.erase(0, fits.size());
        text = "‘" + text.substr(0, text.find("’")) + "’ was not declared in this scope";
    }
    if (const std::string_view flag = " [-fpermissive]"; text.ends_with(flag)) text.erase(text.size() - flag.size());
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
    return text;
}

// The learner's files: the kernel file and those that it includes.
class Files {
public:
    Files(const fs::path& file, const std::vector<TextFile>& files)
        : files_(files), path_(fs::absolute(file).lexically_normal()) {
        if (!files_.empty()) return;
        std::ifstream in(path_, std::ios::binary);
        for (const KernelText& text : kernel_texts(path_.string(), {std::istreambuf_iterator<char>(in), {}}))
            files_.push_back({text.path, text.first_line});
    }
    bool has(const std::string& path) const {
        const fs::path wanted = fs::path(path).lexically_normal();
        return wanted == path_ || std::any_of(files_.begin(), files_.end(), [&](const TextFile& file) {
                   return fs::path(file.path).lexically_normal() == wanted;
               });
    }
    // The file and the line in it of a line that counts through all.
    TextFile own_place(const std::string& path, int line) const {
        TextFile place{path, line};
        for (const TextFile& file : files_)
            if (file.first_line <= line) place = {file.path, line - file.first_line + 1};
        return place;
    }

private:
    std::vector<TextFile> files_;
    fs::path path_;
};

}  // namespace

std::vector<Message> messages_of(const std::string& output, const fs::path& file, const std::vector<TextFile>& read) {
    const Files files(file, read);
    std::vector<Message> messages;
    std::optional<Place> led_here;  // the learner's line in what was said last of how the compiler came there
    std::istringstream lines(output);
    const auto add = [&](const Place& place, const std::string& sentence) {
        const TextFile own = files.own_place(place.file, place.line);
        for (const Message& said : messages)
            if (said.line == own.first_line && said.file == own.path) return;  // one thing a line
        // Columns are the copy's.
        if (messages.size() < kMost) messages.push_back({own.path, own.first_line, 0, plain(sentence)});
    };
    for (std::string line; std::getline(lines, line);) {
        take(line, "In file included from ");
        auto place = place_of(line);
        if (!place) continue;
        std::string said = place->rest;
        const bool is_error = take(said, "error: ") || take(said, "fatal error: ");
        if (!is_error) {
            if (files.has(place->file) && (said.starts_with("required from") || said.starts_with("note: in expansion")))
                led_here = place;
            // The annotator's own sentence.
            else if (files.has(place->file) && !said.starts_with("note: ") && !said.starts_with("warning: ") &&
                     !said.empty() && output.find("error: ") == output.npos)
                add(*place, said);
            continue;
        }
        if (files.has(place->file)) add(*place, said);
        else if (led_here) add(*led_here, said);
        else if (messages.empty() && kMost > 0) messages.push_back({file.string(), 0, 0, plain(said)});
        led_here.reset();
    }
    if (messages.empty()) {
        std::string all = plain(output.substr(0, 4 * kLongest));
        while (!all.empty() && all.back() == '\n') all.pop_back();
        messages.push_back({file.string(), 0, 0, all.empty() ? "the compiler ended without a message." : all});
    }
    return messages;
}

std::vector<TextFile> files_read(const std::string& output) {
    std::vector<TextFile> files;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (!take(line, "file ")) continue;
        TextFile file;
        const auto [end, bad] = std::from_chars(line.data(), line.data() + line.size(), file.first_line);
        if (bad != std::errc{} || end == line.data() + line.size()) continue;
        file.path = line.substr(static_cast<std::size_t>(end - line.data()) + 1);
        files.push_back(std::move(file));
    }
    return files;
}

std::vector<std::string> kernels_found(const std::string& output) {
    std::vector<std::string> names;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (take(line, "kernel ")) names.push_back(line.substr(0, line.find_first_of("<(")));
    return names;
}

std::vector<std::string> kernels_that_nothing_refuses(const std::string& output) {
    std::vector<std::string> names;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (take(line, "kernel ")) names.push_back(line.substr(0, line.find_first_of("<(")));
        else if (line.starts_with("  refused ") && !names.empty()) names.back().clear();
    }
    std::erase(names, "");
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<Message> missing_headers(const std::string& output) {
    std::vector<Message> messages;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (!take(line, "  skipped ")) continue;
        const auto place = place_of(line);
        if (!place) continue;
        std::ifstream file(place->file, std::ios::binary);
        std::string text;
        for (int i = 0; i < place->line && std::getline(file, text); ++i) {}
        if (text.find('"' + place->rest + '"') == text.npos) continue;  // <pthread.h> is the host's
        messages.push_back({place->file, place->line, 0,
                            "\"" + place->rest + "\" was not found; -I FOLDER says where headers are."});
    }
    return messages;
}

std::vector<Message> refusals_of(const std::string& output, const std::vector<std::string>& kernels) {
    std::vector<Message> messages;
    bool asked = false;
    std::string kernel;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (take(line, "kernel ")) {
            kernel = line.substr(0, line.find_first_of("<("));
            asked = std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
        } else if (asked && take(line, "  refused ")) {
            const auto place = place_of(line);
            if (place && messages.size() < kMost)
                messages.push_back(
                    {place->file, place->line, place->column, kernel + " cannot be emulated: " + place->rest});
        }
    }
    return messages;
}

}  // namespace lanewise::compile
