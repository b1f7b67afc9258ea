// Which pieces of the files serve the kernels.
#include <algorithm>

#include "common/annotate/syntax/pieces.hpp"

namespace lanewise::annotate {
namespace {

// A piece and all that it uses.
std::vector<std::size_t> reached_from(const std::vector<Piece>& pieces, std::size_t start) {
    std::vector<bool> seen(pieces.size());
    std::vector<std::size_t> reached = {start};
    seen[start] = true;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const std::size_t used : pieces[reached[i]].uses)
            if (!seen[used]) {
                seen[used] = true;
                reached.push_back(used);
            }
    return reached;
}

// Pieces that cannot be compiled as they are, or use one.
std::vector<bool> unclean(const std::vector<Piece>& pieces) {
    std::vector<bool> result;
    for (const Piece& piece : pieces) result.push_back(piece.error || !piece.refusals.empty());
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (result[i] || std::none_of(pieces[i].uses.begin(), pieces[i].uses.end(),
                                          [&](std::size_t used) { return result[used]; }))
                continue;
            result[i] = more = true;
        }
    }
    return result;
}

void add(const std::vector<Remark>& remarks, std::vector<Remark>& into) {
    for (const Remark& remark : remarks)
        if (std::none_of(into.begin(), into.end(), [&](const Remark& other) {
                return other.what == remark.what && other.path == remark.path && other.line == remark.line;
            }))
            into.push_back(remark);
}

bool is_wanted(const std::string& name, const std::vector<std::string>& wanted) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const std::string& other) { return name == other || name.ends_with("::" + other); });
}

}  // namespace

std::vector<bool> pieces_to_keep(std::vector<Piece>& pieces, const std::vector<std::string>& wanted,
                                 bool lean_headers) {
    std::vector<bool> keep(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].kernel) continue;
        KernelOutline& kernel = *pieces[i].kernel;
        const std::vector<std::size_t> reached = reached_from(pieces, i);
        for (const std::size_t used : reached) {
            add(pieces[used].refusals, kernel.refusals);
            if (pieces[used].error) add({*pieces[used].error}, kernel.errors);
        }
        const bool chosen = wanted.empty() ? kernel.refusals.empty() : is_wanted(kernel.name, wanted);
        if (!chosen) continue;
        for (const std::size_t used : reached) keep[used] = true;
    }
    // Operators, functors, specializations and the like: all that may be such a thing stays.
    const std::vector<bool> left_out = unclean(pieces);
    std::vector<bool> serves_host(pieces.size());  // classes with functions, none of them the device's
    for (const Piece& piece : pieces)
        if (piece.around != kNone && piece.role == Piece::Role::host) serves_host[piece.around] = true;
    for (const Piece& piece : pieces)
        if (piece.around != kNone && piece.role == Piece::Role::device) serves_host[piece.around] = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        const bool may_serve =
            piece.role == Piece::Role::device || (piece.role == Piece::Role::neutral && piece.headers.empty() &&
                                                  !(lean_headers && piece.file != 0));
        if (keep[i] || !may_serve || piece.is_kernel || left_out[i] || serves_host[i]) continue;
        // A member stays or goes with its class, which is in front of it.
        if (piece.around != kNone && pieces[piece.around].role != Piece::Role::container && !keep[piece.around])
            continue;
        for (const std::size_t used : reached_from(pieces, i)) keep[used] = true;
    }
    return keep;
}

}  // namespace lanewise::annotate
