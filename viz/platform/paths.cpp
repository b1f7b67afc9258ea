#include "viz/platform/paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace lanewise::viz {

namespace fs = std::filesystem;

std::string expanded(const std::string& typed) {
    if (typed != "~" && !typed.starts_with("~/")) return typed;
    const char* home = std::getenv("HOME");
    return home && *home ? home + typed.substr(1) : typed;
}

std::vector<PathChoice> path_choices(const std::string& typed, std::size_t most) {
    const std::size_t slash = typed.rfind('/');
    const std::string before = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
    const std::string begun = slash == std::string::npos ? typed : typed.substr(slash + 1);
    if (typed == "~") return {{"~/", "~", true}};
    std::vector<PathChoice> choices;
    const std::string folder = before.empty() ? "." : expanded(before);
    std::error_code failed;
    for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, failed), end;
         !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with(begun) || (name.front() == '.' && begun.empty())) continue;
        std::error_code ignored;
        const bool is_folder = it->is_directory(ignored);
        if (!is_folder && !name.ends_with(".ndjson")) continue;
        choices.push_back({before + name + (is_folder ? "/" : ""), name, is_folder});
    }
    // Traces first: they are what is looked for.
    std::sort(choices.begin(), choices.end(), [](const PathChoice& a, const PathChoice& b) {
        return a.folder != b.folder ? b.folder : a.name < b.name;
    });
    choices.resize(std::min(choices.size(), most));
    return choices;
}

std::string completed(const std::string& typed, const std::vector<PathChoice>& choices) {
    if (choices.empty()) return typed;
    std::string shared = choices.front().path;
    for (const PathChoice& choice : choices) {
        const auto differ = std::mismatch(shared.begin(), shared.end(), choice.path.begin(), choice.path.end());
        shared.erase(differ.first, shared.end());
    }
    // Not half of a letter.
    while (shared.size() > typed.size() &&
           (static_cast<unsigned char>(choices.front().path[shared.size()]) & 0xc0u) == 0x80u)
        shared.pop_back();
    return shared.size() > typed.size() ? shared : typed;
}

}  // namespace lanewise::viz
