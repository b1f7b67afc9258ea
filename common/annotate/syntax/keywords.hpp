// Keywords that say where a declaration belongs: CUDA's own, and macros of the files that stand for them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/annotate/syntax/pieces.hpp"

namespace lanewise::annotate {

class Keywords {
public:
    explicit Keywords(const std::vector<ParsedFile>& files);

    std::set<std::string> device;                // __device__ and its like
    std::set<std::string> kernel;                // __global__
    std::map<std::string, std::string> refused;  // macros, and what in them cannot be emulated

private:
    void learn(const Macro& macro);
};

}  // namespace lanewise::annotate
