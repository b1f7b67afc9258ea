// Holds the house to its plan, by reading it: which way includes point, whose namespace a file opens, how many files a
// folder holds, whether README says what each folder is for. The order of rooms is that of the add_subdirectory lines;
// nothing is listed here twice.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LANEWISE_SOURCE_FOLDER;
constexpr std::size_t kMostFiles = 41;  // of a folder

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

bool ends_with(const std::string& text, std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return text.ends_with(ending); });
}

bool is_source(const fs::path& path) { return ends_with(path.string(), {".cpp", ".hpp", ".cu", ".cuh", ".inc"}); }

// Tests and what helps them may look at what is above them.
bool is_test(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.find(".test.") != std::string::npos || name.find(".testing.") != std::string::npos ||
           name.find("testing.hpp") != std::string::npos || name.find(".bench.") != std::string::npos;
}

// All files below `folder`, relative to the root, in order; what a build leaves behind is not there.
std::vector<fs::path> files_below(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
        if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), kRoot));
    std::sort(files.begin(), files.end());
    return files;
}

// The rooms of common or viz, in order: `common/trace`, …
std::vector<std::string> rooms_of(const std::string& side) {
    std::vector<std::string> rooms;
    const std::string list = read(kRoot / side / "CMakeLists.txt");
    const std::regex line("add_subdirectory\\(([a-z_]+)\\)");
    for (auto it = std::sregex_iterator(list.begin(), list.end(), line); it != std::sregex_iterator(); ++it)
        rooms.push_back(side + "/" + (*it)[1].str());
    return rooms;
}

// The rooms of the views, in the order in which their library lists its sources.
std::vector<std::string> rooms_of_views() {
    std::vector<std::string> rooms;
    const std::string list = read(kRoot / "viz/views/CMakeLists.txt");
    const std::regex source("\\b([a-z]+)/[a-z_0-9]+\\.cpp");
    for (auto it = std::sregex_iterator(list.begin(), list.end(), source); it != std::sregex_iterator(); ++it) {
        const std::string room = "viz/views/" + (*it)[1].str();
        if (std::find(rooms.begin(), rooms.end(), room) == rooms.end()) rooms.push_back(room);
    }
    return rooms;
}

// The position of the room that holds `file`; none: the size of the list.
std::size_t room_of(const std::vector<std::string>& rooms, const std::string& file) {
    for (std::size_t i = 0; i < rooms.size(); ++i)
        if (file.starts_with(rooms[i] + "/")) return i;
    return rooms.size();
}

struct Arrow {
    std::string from, to;
};

// The #includes of the project's own files below `folder`, tests left out.
std::vector<Arrow> arrows_of(const std::string& folder) {
    std::vector<Arrow> arrows;
    const std::regex include("(^|\n)[ \t]*#[ \t]*include[ \t]*[<\"]((common|viz|lessons)/[^>\"]+)[>\"]");
    for (const fs::path& file : files_below(folder)) {
        if (!is_source(file) || is_test(file)) continue;
        const std::string text = read(kRoot / file);
        for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator(); ++it)
            arrows.push_back({file.string(), (*it)[2].str()});
    }
    return arrows;
}

// Each arrow of `arrows` that leads to a later room, a line each.
std::string arrows_up(const std::vector<Arrow>& arrows, const std::vector<std::string>& rooms) {
    std::string up;
    for (const Arrow& arrow : arrows) {
        const std::size_t from = room_of(rooms, arrow.from), to = room_of(rooms, arrow.to);
        if (from < rooms.size() && to < rooms.size() && to > from) up += arrow.from + " includes " + arrow.to + "\n";
    }
    return up;
}

std::string arrows_to(const std::vector<Arrow>& arrows, const std::vector<std::string>& places) {
    std::string found;
    for (const Arrow& arrow : arrows)
        if (room_of(places, arrow.to) < places.size()) found += arrow.from + " includes " + arrow.to + "\n";
    return found;
}

// Includes of the system's headers whose names begin with one of `beginnings`.
std::string system_includes(const std::string& folder, const std::string& beginnings) {
    std::string found;
    const std::regex include("(^|\n)[ \t]*#[ \t]*include[ \t]*[<\"]((" + beginnings + ")[^>\"]*)[>\"]");
    for (const fs::path& file : files_below(folder)) {
        if (!is_source(file)) continue;
        const std::string text = read(kRoot / file);
        for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator(); ++it)
            found += file.string() + " includes " + (*it)[2].str() + "\n";
    }
    return found;
}

TEST(Architecture, TheOrdersAreRead) {
    EXPECT_GE(rooms_of("common").size(), 15u);
    EXPECT_GE(rooms_of("viz").size(), 5u);
    EXPECT_GE(rooms_of_views().size(), 6u);
    EXPECT_GE(arrows_of("common").size(), 500u);
    // A room that no list names would be held to no order.
    for (const std::string side : {"common", "viz"})
        for (const auto& entry : fs::directory_iterator(kRoot / side))
            if (entry.is_directory()) {
                const auto rooms = rooms_of(side);
                const std::string room = side + "/" + entry.path().filename().string();
                EXPECT_NE(std::find(rooms.begin(), rooms.end(), room), rooms.end())
                    << side << "/CMakeLists.txt does not name " << room;
            }
}

TEST(Architecture, AnArrowThatPointsUpIsNamed) {
    const std::vector<std::string> rooms = {"common/a", "common/b"};
    EXPECT_EQ(arrows_up({{"common/b/x.cpp", "common/a/y.hpp"}}, rooms), "");
    EXPECT_EQ(arrows_up({{"common/a/x.cpp", "common/b/y.hpp"}}, rooms), "common/a/x.cpp includes common/b/y.hpp\n");
}

TEST(Architecture, IncludesInCommonPointOneWay) { EXPECT_EQ(arrows_up(arrows_of("common"), rooms_of("common")), ""); }

TEST(Architecture, IncludesInVizPointOneWay) {
    EXPECT_EQ(arrows_up(arrows_of("viz"), rooms_of("viz")), "");
    EXPECT_EQ(arrows_up(arrows_of("viz/views"), rooms_of_views()), "");
}

TEST(Architecture, CommonKnowsNoWindowAndNoLesson) {
    EXPECT_EQ(arrows_to(arrows_of("common"), {"viz", "lessons"}), "");
    EXPECT_EQ(system_includes("common", "imgui|GLFW/|GL/|EGL/"), "");
}

TEST(Architecture, TheWindowRunsNoKernel) {
    EXPECT_EQ(arrows_to(arrows_of("viz"),
                        {"lessons", "common/annotate", "common/prelude", "common/emu", "common/gpu", "common/launch",
                         "common/measure", "common/lesson", "common/runner", "common/cli", "common/conformance"}),
              "");
    EXPECT_EQ(system_includes("viz", "cuda|cub/|thrust/"), "");
}

TEST(Architecture, FoldersAreSmall) {
    std::map<std::string, std::size_t> files;
    for (const std::string side : {"common", "viz", "lessons"})
        for (const fs::path& file : files_below(side)) ++files[file.parent_path().string()];
    for (const auto& [folder, count] : files) EXPECT_LE(count, kMostFiles) << folder;
}

TEST(Architecture, NoTwoHeadersHaveOneName) {
    std::map<std::string, std::vector<std::string>> places;
    for (const std::string side : {"common", "viz"})
        for (const fs::path& file : files_below(side))
            if (ends_with(file.string(), {".hpp"}) && file.string().find("prelude/include") == std::string::npos)
                places[file.filename().string()].push_back(file.string());
    for (const auto& [name, files] : places)
        EXPECT_EQ(files.size(), 1u) << files.front() << " and " << files.back() << " have one name";
}

TEST(Architecture, ReadmeSaysWhatEachFolderIsFor) {
    const std::string readme = read(kRoot / "README.md");
    std::set<std::string> listed;
    const std::regex row("\n\\| `([a-z_/]+)/` \\|");
    for (auto it = std::sregex_iterator(readme.begin(), readme.end(), row); it != std::sregex_iterator(); ++it) {
        const std::string folder = (*it)[1];
        EXPECT_TRUE(fs::is_directory(kRoot / folder)) << "README lists " << folder << "/, which is not there";
        listed.insert(folder);
    }
    std::set<std::string> folders = {"lessons", "assets"};
    for (const std::string parent : {"common", "viz", "viz/views"})
        for (const auto& entry : fs::directory_iterator(kRoot / parent))
            if (entry.is_directory() && entry.path() != kRoot / "viz/views")
                folders.insert(parent + "/" + entry.path().filename().string());
    for (const std::string& folder : folders)
        EXPECT_TRUE(listed.contains(folder)) << "README does not list " << folder;
}

// What a room declares is found by its namespace. Other rooms may declare its types, and the tests of the emulator are
// in its namespace; `prelude` is that of the tables of kernels, which launch reads.
TEST(Architecture, ANamespaceIsThatOfItsFolder) {
    const std::regex opening(
        "(^|\n)namespace lanewise::([a-z]+)[^{;]*\\{((\\s*(struct|class|enum class) [^;{]*;)*)\\s*(\\}?)");
    const std::vector<std::string> rooms = rooms_of("common");
    std::string wrong;
    std::size_t own = 0;
    for (const fs::path& file : files_below("common")) {
        const std::string name = file.string();
        if (!is_source(file) || name.starts_with("common/conformance/")) continue;
        const std::string text = read(kRoot / file);
        for (auto it = std::sregex_iterator(text.begin(), text.end(), opening); it != std::sregex_iterator(); ++it) {
            const std::string room = "common/" + (*it)[2].str();
            const bool forward = (*it)[3].length() > 0 && (*it)[6].length() > 0;
            if (name.starts_with(room + "/")) ++own;
            else if (!forward && room != "common/prelude" && std::count(rooms.begin(), rooms.end(), room) > 0)
                wrong += name + " is not in " + room + ", whose namespace it opens\n";
        }
    }
    EXPECT_EQ(wrong, "");
    EXPECT_GT(own, 100u) << "the namespaces were not found";
}

}  // namespace
