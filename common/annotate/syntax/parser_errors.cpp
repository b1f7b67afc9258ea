#include "common/annotate/syntax/parser_errors.hpp"

#include <algorithm>
#include <memory>

namespace lanewise::annotate {
namespace {

// The text's own place in an error, or in what led to it.
std::optional<Spot> place_of(CXDiagnostic diagnostic, const std::vector<ParsedFile>& files) {
    if (const auto at = spot_of(clang_getDiagnosticLocation(diagnostic), files)) return at;
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); ++i)
        if (const auto at = spot_of(clang_getDiagnosticLocation(clang_getDiagnosticInSet(notes, i)), files)) return at;
    return std::nullopt;
}

// The copy is in a namespace of its own, where a name may mean something else than in CUDA's headers.
bool is_of_global_scope(CXDiagnostic diagnostic, const std::vector<ParsedFile>& files) {
    const std::string error = taken(clang_getDiagnosticSpelling(diagnostic));
    if (error.find("conflicts with target of using declaration") != error.npos) return true;
    if (!error.starts_with("redefinition of") && error.find("different language linkage") == error.npos)
        return false;
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); ++i)
        if (!spot_of(clang_getDiagnosticLocation(clang_getDiagnosticInSet(notes, i)), files)) return true;
    return false;
}

// The sentence of a static_assert in the prelude, which comes after what cannot be emulated; or what CUDA had
// once.
std::optional<std::string> not_emulated(const std::string& error) {
    for (const char* gone : {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"})
        if (error.starts_with("use of undeclared identifier '" + std::string(gone) + "'"))
            return std::string(gone) + ", which CUDA 13 no longer has: write " + gone +
                   "_sync with a mask in front";
    const std::size_t sentence = error.find("kNever<"),
                      open = error.find('"', sentence == error.npos ? 0 : sentence);
    if (sentence == error.npos || open == error.npos || error.back() != '"') return std::nullopt;
    return error.substr(open + 1, error.size() - open - 2);
}

}  // namespace

std::optional<Spot> spot_of(CXSourceLocation location, const std::vector<ParsedFile>& files) {
    CXFile handle = nullptr;
    unsigned offset = 0;
    clang_getExpansionLocation(location, &handle, nullptr, nullptr, &offset);
    if (handle == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (files[i].handle && clang_File_isEqual(files[i].handle, handle) != 0) return Spot{i, offset};
    return std::nullopt;
}

std::vector<ParserError> errors_of(CXTranslationUnit unit, const std::vector<ParsedFile>& files) {
    std::vector<ParserError> errors;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
        const std::unique_ptr<void, void (*)(CXDiagnostic)> diagnostic(clang_getDiagnostic(unit, i),
                                                                       clang_disposeDiagnostic);
        if (clang_getDiagnosticSeverity(diagnostic.get()) < CXDiagnostic_Error) continue;
        const auto at = place_of(diagnostic.get(), files);
        if (!at || is_of_global_scope(diagnostic.get(), files)) continue;
        const Source& text = *files[at->file].source;
        const auto begin = text.text().begin();
        const auto line =
            std::count(begin, begin + static_cast<std::ptrdiff_t>(std::min(at->offset, text.text().size())), '\n');
        std::string said = taken(clang_getDiagnosticSpelling(diagnostic.get()));
        auto what = not_emulated(said);
        errors.push_back({*at, {std::move(said), text.path(), static_cast<int>(line) + 1}, std::move(what)});
    }
    return errors;
}

}  // namespace lanewise::annotate
