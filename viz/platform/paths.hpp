// Completing the name of a file while it is typed.
#pragma once

#include <string>
#include <vector>

namespace lanewise::viz {

struct PathChoice {
    std::string path;      // as it would be in the field; folders end with '/'
    std::string name;      // its last part
    bool folder = false;
};

// "~/x" with the home folder in its place.
std::string expanded(const std::string& typed);

// What `typed` may become: folders and traces (.ndjson), at most `most`; hidden ones only after a dot. Folders that
// cannot be read have none.
std::vector<PathChoice> path_choices(const std::string& typed, std::size_t most = 200);

// `typed` with as much added as all choices share; the whole name where there is one choice.
std::string completed(const std::string& typed, const std::vector<PathChoice>& choices);

}  // namespace lanewise::viz
