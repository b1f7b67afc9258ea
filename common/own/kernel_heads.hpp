// The kernels of a file by their heads alone: what can be said before anything is compiled.
#pragma once

#include <string>
#include <vector>

namespace lanewise::own {

struct HeadParameter {
    std::string type;  // "const float*"
    std::string name;  // may be empty
};

struct KernelHead {
    std::string name;  // with its namespaces: "sums::block_sum"
    int line = 0;
    std::string template_parameters;  // "int kBlock, class T"; empty: it is no template
    std::vector<HeadParameter> parameters;
    bool is_defined = false;  // the head has a body

    // "template <int kBlock> block_sum(const float* in, float* out, int n)"
    std::string text() const;
    // "// run: block_sum<256><<<4, 256>>>(in = random(1024), out = zeros(1024), 1024)"
    std::string offer() const;
};

// In the order of the file. Comments, texts and directives are passed over.
std::vector<KernelHead> kernel_heads(const std::string& text);

}  // namespace lanewise::own
