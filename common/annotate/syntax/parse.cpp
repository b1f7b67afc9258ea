#include "common/annotate/syntax/parse.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

namespace fs = std::filesystem;

bool is_plain_function(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate;
}

fs::path names_file(const std::string& compiled) { return compiled + ".names"; }

// Calls `seen` with the functions at global scope, those in extern "C" { … } too.
void each_global_function(const std::vector<CXCursor>& cursors, const std::function<void(CXCursor)>& seen) {
    for (const CXCursor& cursor : cursors) {
        const CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            each_global_function(children(cursor), seen);
        else if (is_plain_function(cursor)) seen(cursor);
    }
}

bool is_global(CXCursor cursor) {
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    while (clang_getCursorKind(parent) == CXCursor_LinkageSpec || clang_getCursorKind(parent) == CXCursor_UnexposedDecl)
        parent = clang_getCursorSemanticParent(parent);
    return clang_getCursorKind(parent) == CXCursor_TranslationUnit;
}

// The names of the functions at global scope that are not the files' own. Those of compiled declarations are in a
// file beside them: asking libclang for them would load them all.
std::set<std::string> declared_names(CXTranslationUnit unit, const Prelude& prelude,
                                     const std::function<bool(CXCursor)>& is_own) {
    std::set<std::string> names;
    each_global_function(children(clang_getTranslationUnitCursor(unit)), [&](CXCursor cursor) {
        if (!is_own(cursor) && is_global(cursor)) names.insert(taken(clang_getCursorSpelling(cursor)));
    });
    if (!prelude.compiled.empty()) {
        std::ifstream file(names_file(prelude.compiled));
        for (std::string name; std::getline(file, name);) names.insert(name);
    }
    return names;
}

}  // namespace

std::vector<std::string> arguments_for(const Prelude& prelude, bool with_declarations) {
    std::vector<std::string> arguments = {"-std=c++20",      "-fsyntax-only",     "-w",
                                          "-ferror-limit=0", "-I" + prelude.root, "-I" + prelude.stand_ins};
    if (!with_declarations) return arguments;
    if (prelude.compiled.empty()) {
        arguments.insert(arguments.end(), {"-include", prelude.root + "/common/prelude/declared.hpp"});
    } else {
        arguments.insert(arguments.end(), {"-include-pch", prelude.compiled});
    }
    return arguments;
}

ClangUnit parsed(CXIndex index, const std::string& path, std::vector<std::string> arguments, const char* language,
                 std::vector<CXUnsavedFile> texts, unsigned options) {
    arguments.insert(arguments.begin(), {"-x", language});
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    CXTranslationUnit unit = nullptr;
    const CXErrorCode code =
        clang_parseTranslationUnit2(index, path.c_str(), pointers.data(), static_cast<int>(pointers.size()),
                                    texts.data(), static_cast<unsigned>(texts.size()), options, &unit);
    if (code != CXError_Success || unit == nullptr)
        throw Error(path + ": libclang could not read this file (error " + std::to_string(code) + ")");
    return ClangUnit(unit);
}

std::vector<Span> hidden_in(CXTranslationUnit unit, CXFile file) {
    std::vector<Span> spans;
    CXSourceRangeList* ranges = clang_getSkippedRanges(unit, file);
    if (ranges == nullptr) return spans;
    for (unsigned i = 0; i < ranges->count; ++i) {
        unsigned begin = 0, end = 0;
        clang_getFileLocation(clang_getRangeStart(ranges->ranges[i]), nullptr, nullptr, nullptr, &begin);
        clang_getFileLocation(clang_getRangeEnd(ranges->ranges[i]), nullptr, nullptr, nullptr, &end);
        spans.push_back({begin, end});
    }
    clang_disposeSourceRangeList(ranges);
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    return spans;
}

std::vector<std::string> added_overloads(CXTranslationUnit unit, const Prelude& prelude,
                                         const std::function<bool(CXCursor)>& is_own) {
    std::vector<std::string> overloads;
    std::set<std::string> own, redeclared;
    each_global_function(children(clang_getTranslationUnitCursor(unit)), [&](CXCursor cursor) {
        if (!is_own(cursor)) return;
        const std::string name = taken(clang_getCursorSpelling(cursor));
        own.insert(name);
        if (!is_own(clang_getCanonicalCursor(cursor))) redeclared.insert(name);
    });
    if (own.empty()) return overloads;
    for (const std::string& name : declared_names(unit, prelude, is_own))
        if (own.contains(name) && !redeclared.contains(name) && !name.starts_with("operator"))
            overloads.push_back(name);
    return overloads;
}

std::vector<std::string> compile_prelude(const std::string& path, const Prelude& prelude) {
    const ClangIndex index(clang_createIndex(0, 0));
    // Templates are instantiated here, once: otherwise it is done again, in 50 ms, whenever a file is read.
    std::vector<std::string> arguments = arguments_for(prelude, false);
    arguments.emplace_back("-fpch-instantiate-templates");
    const ClangUnit unit =
        parsed(index.get(), prelude.root + "/common/prelude/declared.hpp", arguments, "c++-header", {},
               CXTranslationUnit_ForSerialization | CXTranslationUnit_Incomplete |
                   CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing |
                   CXTranslationUnit_SkipFunctionBodies);
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit.get()); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit.get(), i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            throw Error(taken(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions())));
        clang_disposeDiagnostic(diagnostic);
    }
    if (clang_saveTranslationUnit(unit.get(), path.c_str(), 0) != CXSaveError_None)
        throw Error(path + ": this file cannot be written; is the disk full?");
    std::ofstream names(names_file(path), std::ios::trunc);
    for (const std::string& name :
         declared_names(unit.get(), {prelude.root, prelude.stand_ins, ""}, [](CXCursor) { return false; }))
        names << name << '\n';
    names.close();
    if (!names) throw Error(names_file(path).string() + ": this file cannot be written; is the disk full?");
    std::vector<std::string> files;
    clang_getInclusions(
        unit.get(),
        [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
            static_cast<std::vector<std::string>*>(data)->push_back(taken(clang_getFileName(file)));
        },
        &files);
    return files;
}

}  // namespace lanewise::annotate
