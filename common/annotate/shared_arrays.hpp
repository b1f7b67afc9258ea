// The __shared__ declarations of a kernel file.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

struct SharedName {
    std::string name;
    std::string extents;  // what follows the name: "[kWarps]", "[]", "" for a single value
    int id = 0;           // place in kSharedNames: one for each name, whatever function it is in
    std::size_t token = 0, last = 0;  // of the name, and of what declares it
};

// One statement; several names where commas part them.
struct SharedDeclaration {
    const Statement* statement = nullptr;
    bool dynamic = false;     // extern: sized at launch
    bool file_scope = false;  // … outside any function
    std::string type;         // without extern, __shared__ and alignment
    std::vector<SharedName> names;
};

// In the order of the file. `names` holds the names by id, and grows.
std::vector<SharedDeclaration> shared_declarations(const File& file, std::vector<std::string>& names);

// The names of the file's __constant__ variables.
std::vector<std::string> constant_names(const File& file);

}  // namespace lanewise::annotate
