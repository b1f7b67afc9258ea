// The #includes of a file that was written for nvcc and a host: which are the file's own, which a kernel may need, and
// which are for the host alone.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/annotate/strangers_file.hpp"

namespace lanewise::annotate {

class Headers {
public:
    // Reads the file and, depth first, the headers of its own: beside it, in `folders` (-I), or in the usual places of
    // the folders above; those of the paths `left_out` count as missing. Throws Error where the file leaves a comment
    // open.
    Headers(const std::string& path, const std::string& text, std::string stand_ins, std::vector<std::string> folders,
            std::set<std::string> left_out = {});

    // The file itself and its own headers.
    const std::vector<std::unique_ptr<Source>>& sources() const { return sources_; }
    const std::vector<Include>& own_includes(std::size_t file) const { return own_[file]; }

    // The text with blanks for what the parser is not to see: launches, inline PTX, headers of the host.
    std::string text_for_parser(const Source& source) const;
    // What makes the parser find the files' own headers.
    std::vector<std::string> arguments() const;

    // Headers of the host's that exist here and were left out; they are let in once kernels turn out to need them.
    bool has_more() const;
    void let_in_more() { all_ = true; }

    // The #include <…> at this offset of a file, as a line of its own; empty where there is none.
    std::string include_at(std::size_t file, std::size_t offset) const;
    // Of these lines, each once and in the order of the files.
    std::vector<std::string> in_order(const std::set<std::string>& includes) const;
    // Does an emulated copy keep the directive as it is?
    bool stays(const Source& source, const Directive& directive) const;
    std::vector<Remark> skipped() const;

private:
    enum class Kind : std::uint8_t { own, toolkit, groups, light, host, missing };
    struct Named {
        std::string name;
        bool quoted = false;
        Span span;  // with its quotes or brackets
    };
    static Named named(const Source& source, const Directive& directive);
    Kind kind_of(const Named& include, const Source& from) const;
    std::string own_path(const Named& include, const Source& from) const;
    std::size_t add(const std::string& path, std::string text);

    std::string stand_ins_;
    std::vector<std::string> folders_;
    std::set<std::string> left_out_;
    std::vector<std::unique_ptr<Source>> sources_;
    std::vector<std::vector<Include>> own_;
    std::set<std::string> quote_folders_, angle_folders_;
    bool all_ = false;
};

}  // namespace lanewise::annotate
