// Somebody's CUDA file as it was published: its kernels are listed, and read for the emulator without the host code
// around them.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/syntax/unit.hpp"
#include "common/base/kernel_text.hpp"

namespace lanewise::annotate {

// A sentence or a name, and where in the files it belongs.
struct Remark {
    std::string what;
    std::string path;
    int line = 0;  // of that file
};

struct TemplateParameter {
    std::string kind;           // "typename", "template", or the type of a value as written: "int"
    std::string name;           // may be empty
    std::string default_value;  // as written; empty where there is none
    bool is_pack = false;
};

struct CallParameter {
    enum class Kind : std::uint8_t {
        pointer_to_const,
        pointer,
        scalar,     // a number, bool, an enumeration, a half
        structure,  // a class, float4 and its like included
        dependent,  // its type depends on a template's arguments
    };
    std::string name;  // may be empty
    std::string type;  // as written, without the name
    Kind kind = Kind::scalar;
    std::string element;              // pointers: what they point to, as written, without const
    std::vector<std::string> fields;  // structures: their members' names, in order
};

struct KernelOutline {
    std::string name;  // with its namespaces: "detail::sum"
    std::string path;
    int line = 0;  // of that file
    std::vector<TemplateParameter> template_parameters;
    std::vector<CallParameter> parameters;
    std::vector<Remark> refusals;  // what it, or what it uses, needs of a GPU; empty: it can be emulated
    std::vector<Remark> errors;    // what the parser did not understand; the compiler of the copy may
};

struct StrangersFile {
    Reading reading;                     // what kernels need and nothing else, for derived_copy() and tables()
    std::vector<KernelOutline> kernels;  // in the order of the text
    std::vector<Remark> errors;          // where the parser lost a kernel, which is then not among them
    std::vector<KernelText> texts;       // the files, the file itself first, with the number of each one's first line
    std::vector<std::string> includes;   // "#include <cfloat>": what a wrapper includes before its namespace opens
    std::vector<Remark> skipped;         // headers that were not found, or are the host's
};

struct StrangersOptions {
    std::vector<std::string> include_folders;  // -I
    std::vector<std::string> kernels;          // names, of those to be kept; empty: all that nothing refuses
    bool lean_headers = false;  // of headers only what kernels are seen to use, and device code
};

// Reads the file of this path and text. Host functions, launches and headers of the host are left out, and lines stay
// where they are. Throws Error, a sentence with path and line, where the text is no C++ and no kernel is found in it.
StrangersFile read_strangers_file(const std::string& path, const std::string& text, const Prelude& prelude,
                                  const StrangersOptions& options = {});

// The path and the line there of line `line` of all the texts, one after the other.
Remark place_of_line(const std::vector<KernelText>& texts, int line);

}  // namespace lanewise::annotate
