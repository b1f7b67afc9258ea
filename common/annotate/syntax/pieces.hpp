// The declarations of a kernel file with host code in it, and of its headers, as pieces that are kept or left out
// whole.
#pragma once

#include <map>
#include <optional>

#include "common/annotate/strangers_file.hpp"
#include "common/annotate/syntax/places.hpp"

namespace lanewise::annotate {

// A namespace or extern "C" { … } with pieces in it, a declaration, or a member function of a class.
struct Piece {
    enum class Role : std::uint8_t {
        container,  // only what opens and closes it is its own
        device,     // a kernel, a device function, a variable on the device
        neutral,    // a type, a constant, a constexpr function: what it uses says whether it serves kernels
        host,
    };
    std::size_t file = 0;
    Range tokens;
    Role role = Role::host;
    std::size_t around = kNone;     // the piece that it is in
    std::vector<std::size_t> uses;  // pieces, each once
    std::set<std::string> headers;  // files that are not the text's own, and declare what is used
    std::vector<Remark> refusals;   // what is here and cannot be emulated
    std::optional<Remark> error;    // the parser's first
    bool is_kernel = false;         // with a body
    std::optional<KernelOutline> kernel;
};

// The files of one parse.
struct ParsedFile {
    const Source* source = nullptr;
    CXFile handle = nullptr;
};

struct Pieces {
    std::vector<Piece> all;    // an outer one before those in it
    std::vector<Remark> lost;  // what the parser said where a __global__ belongs to no piece
};
Pieces pieces_of(CXTranslationUnit unit, const std::vector<ParsedFile>& files);

// Of the pieces, those that serve the kernels `wanted`; of all kernels that nothing refuses, where there are none.
// Where a kernel is refused for what it uses, its outline says so. What a template finds only when it is used is no
// part of what it names, so types and constants are kept that no kernel is seen to use; those of headers not in
// lean_headers.
std::vector<bool> pieces_to_keep(std::vector<Piece>& pieces, const std::vector<std::string>& wanted,
                                 bool lean_headers = false);

}  // namespace lanewise::annotate
