// Reads a kernel file with libclang: once as an emulated build sees it, and again for branches of conditional
// directives that this leaves out.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "common/annotate/syntax/configurations.hpp"
#include "common/annotate/syntax/tree.hpp"
#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"

namespace lanewise::annotate {
namespace {

namespace fs = std::filesystem;

constexpr int kMostConfigurations = 6;

struct Text {
    std::unique_ptr<Source> source;
    std::vector<Chain> chains;
    std::vector<Span> hidden;  // in every configuration so far
};

std::vector<std::string> arguments_for(const Prelude& prelude, bool with_declarations) {
    std::vector<std::string> arguments = {"-std=c++20", "-fsyntax-only", "-w", "-ferror-limit=0",
                                          "-I" + prelude.root, "-I" + prelude.stand_ins};
    if (!with_declarations) return arguments;
    if (prelude.compiled.empty()) {
        arguments.insert(arguments.end(), {"-include", prelude.root + "/common/prelude/declared.hpp"});
    } else {
        arguments.insert(arguments.end(), {"-include-pch", prelude.compiled});
    }
    return arguments;
}

ClangUnit parse(CXIndex index, const std::string& path, std::vector<std::string> arguments, const char* language,
                std::vector<CXUnsavedFile> texts, unsigned options) {
    arguments.insert(arguments.begin(), {"-x", language});
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    CXTranslationUnit unit = nullptr;
    const CXErrorCode code =
        clang_parseTranslationUnit2(index, path.c_str(), pointers.data(), static_cast<int>(pointers.size()), texts.data(),
                                    static_cast<unsigned>(texts.size()), options, &unit);
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

// A syntax error in one of the texts, as a sentence with path and line, where it is the first error of all: what follows
// an unknown name often looks like one. What a name means is left to the compiler of the copies, which may know more.
std::optional<std::string> syntax_error(CXTranslationUnit unit, const std::vector<CXFile>& own) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
        const std::unique_ptr<void, void (*)(CXDiagnostic)> diagnostic(clang_getDiagnostic(unit, i), clang_disposeDiagnostic);
        if (clang_getDiagnosticSeverity(diagnostic.get()) < CXDiagnostic_Error) continue;
        CXFile file = nullptr;
        unsigned line = 0;
        clang_getFileLocation(clang_getDiagnosticLocation(diagnostic.get()), &file, &line, nullptr, nullptr);
        const std::string message = taken(clang_getDiagnosticSpelling(diagnostic.get()));
        const bool here = std::any_of(own.begin(), own.end(),
                                      [&](CXFile other) { return file && other && clang_File_isEqual(file, other) != 0; });
        const bool syntax = message.starts_with("expected '") || message.starts_with("expected expression") ||
                            message.starts_with("expected statement");
        if (!here || !syntax) return std::nullopt;
        return taken(clang_getFileName(file)) + ":" + std::to_string(line) + ": " + message;
    }
    return std::nullopt;
}

bool is_function(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate;
}

fs::path names_file(const std::string& compiled) { return compiled + ".names"; }

// The names of the functions at global scope that are not the files' own. Those of compiled declarations stand in a file
// beside them: asking libclang for them would load them all.
std::set<std::string> declared_names(CXTranslationUnit unit, const Prelude& prelude,
                                     const std::function<bool(CXCursor)>& is_own) {
    std::set<std::string> names;
    for (const CXCursor& cursor : children(clang_getTranslationUnitCursor(unit)))
        if (is_function(cursor) && !is_own(cursor)) names.insert(taken(clang_getCursorSpelling(cursor)));
    if (!prelude.compiled.empty()) {
        std::ifstream file(names_file(prelude.compiled));
        for (std::string name; std::getline(file, name);) names.insert(name);
    }
    return names;
}

class Reader {
public:
    Reader(std::vector<Text>& texts, const Prelude& prelude)
        : texts_(texts), prelude_(prelude), index_(clang_createIndex(1, 0)) {}

    // One configuration. Throws Error where its text is no C++.
    Unit read() {
        std::vector<std::string> for_parser;
        for (const Text& text : texts_) for_parser.push_back(text_for_parser(*text.source, text.chains));
        std::vector<CXUnsavedFile> unsaved;
        for (std::size_t i = 0; i < texts_.size(); ++i)
            unsaved.push_back({texts_[i].source->path().c_str(), for_parser[i].data(),
                               static_cast<unsigned long>(for_parser[i].size())});
        unit_ = parse(index_.get(), texts_.front().source->path(), arguments_for(prelude_, true), "c++", unsaved,
                      CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing);
        Unit result;
        std::vector<CXFile> handles;
        for (Text& text : texts_) {
            handles.push_back(clang_getFile(unit_.get(), text.source->path().c_str()));
            auto file = std::make_unique<File>(text.source->path(), text.source->text(), text.source->first_line());
            const std::vector<Span> hidden =
                handles.back() ? hidden_in(unit_.get(), handles.back()) : std::vector<Span>{{0, text.source->text().size()}};
            file->fresh = first_ ? std::vector<Span>{} : without(text.hidden, hidden);
            text.hidden = first_ ? hidden : without(text.hidden, file->fresh);
            file->source.hide(hidden);
            now_hidden_.push_back(hidden);
            result.files.push_back(std::move(file));
        }
        if (first_)
            if (const auto error = syntax_error(unit_.get(), handles)) throw Error(*error);
        const auto is_own = [&](CXCursor cursor) {
            CXFile file = nullptr;
            clang_getFileLocation(clang_getCursorLocation(cursor), &file, nullptr, nullptr, nullptr);
            return std::any_of(handles.begin(), handles.end(),
                               [&](CXFile own) { return file && own && clang_File_isEqual(file, own) != 0; });
        };
        for (std::size_t i = 0; i < handles.size(); ++i)
            if (handles[i]) read_tree(unit_.get(), handles[i], is_own, *result.files[i], result.functions);
        if (first_) note_overloads(is_own);
        first_ = false;
        return result;
    }

    // Forces branches that were hidden so far. False when there are none.
    bool next() {
        bool more = false;
        for (std::size_t i = 0; i < now_hidden_.size(); ++i) more |= choose_next(texts_[i].chains, now_hidden_[i]);
        now_hidden_.clear();
        return more;
    }

    std::vector<std::string> overloads;

private:
    // Functions at global scope that both the files and CUDA declare, with different parameters.
    void note_overloads(const std::function<bool(CXCursor)>& is_own) {
        std::set<std::string> own, redeclared;
        for (const CXCursor& cursor : children(clang_getTranslationUnitCursor(unit_.get()))) {
            if (!is_function(cursor) || !is_own(cursor)) continue;
            const std::string name = taken(clang_getCursorSpelling(cursor));
            own.insert(name);
            if (!is_own(clang_getCanonicalCursor(cursor))) redeclared.insert(name);
        }
        if (own.empty()) return;
        for (const std::string& name : declared_names(unit_.get(), prelude_, is_own))
            if (own.contains(name) && !redeclared.contains(name) && !name.starts_with("operator"))
                overloads.push_back(name);
    }

    std::vector<Text>& texts_;
    const Prelude& prelude_;
    ClangIndex index_;
    ClangUnit unit_;
    std::vector<std::vector<Span>> now_hidden_;
    bool first_ = true;
};

}  // namespace

Reading read_kernels(const std::string& path, const std::string& text, const Prelude& prelude) {
    std::vector<Text> texts;
    for (const KernelText& part : kernel_texts(path, text)) {
        texts.push_back({std::make_unique<Source>(part.path, part.text, part.first_line), {}, {}});
        texts.back().chains = chains_of(*texts.back().source);
    }
    Reader reader(texts, prelude);
    Reading reading;
    reading.units.push_back(reader.read());
    reading.overloads = reader.overloads;
    for (int k = 1; k < kMostConfigurations && reader.next(); ++k) {
        try {
            reading.units.push_back(reader.read());
        } catch (const Error&) {
            // Branches that do not fit together: each is only read in the company of others here.
        }
    }
    return reading;
}

std::vector<std::string> compile_prelude(const std::string& path, const Prelude& prelude) {
    const ClangIndex index(clang_createIndex(0, 0));
    const ClangUnit unit = parse(index.get(), prelude.root + "/common/prelude/declared.hpp",
                                 arguments_for(prelude, false), "c++-header", {},
                                 CXTranslationUnit_ForSerialization | CXTranslationUnit_Incomplete |
                                     CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing);
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit.get()); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit.get(), i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            throw Error(taken(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions())));
        clang_disposeDiagnostic(diagnostic);
    }
    if (clang_saveTranslationUnit(unit.get(), path.c_str(), 0) != CXSaveError_None)
        throw Error(path + ": this file cannot be written; is the disk full?");
    std::ofstream names(names_file(path), std::ios::trunc);
    for (const std::string& name : declared_names(unit.get(), {prelude.root, prelude.stand_ins, ""}, [](CXCursor) { return false; }))
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
