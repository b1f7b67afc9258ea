// Reads a kernel file with libclang: once as an emulated build sees it, and again for branches of conditional
// directives that this leaves out.
#include <algorithm>
#include <optional>

#include "common/annotate/syntax/configurations.hpp"
#include "common/annotate/syntax/parse.hpp"
#include "common/annotate/syntax/tree.hpp"
#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"

namespace lanewise::annotate {
namespace {

constexpr int kMostConfigurations = 6;

struct Text {
    std::unique_ptr<Source> source;
    std::vector<Chain> chains;
    std::vector<Span> hidden;  // in every configuration so far
};

// A syntax error in one of the texts, as a sentence with path and line, where it is the first error of all: what
// follows an unknown name often looks like one. What a name means is left to the compiler of the copies, which may know
// more.
std::optional<std::string> syntax_error(CXTranslationUnit unit, const std::vector<CXFile>& own) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
        const std::unique_ptr<void, void (*)(CXDiagnostic)> diagnostic(clang_getDiagnostic(unit, i),
                                                                       clang_disposeDiagnostic);
        if (clang_getDiagnosticSeverity(diagnostic.get()) < CXDiagnostic_Error) continue;
        CXFile file = nullptr;
        unsigned line = 0;
        clang_getFileLocation(clang_getDiagnosticLocation(diagnostic.get()), &file, &line, nullptr, nullptr);
        const std::string message = taken(clang_getDiagnosticSpelling(diagnostic.get()));
        const bool here = std::any_of(own.begin(), own.end(), [&](CXFile other) {
            return file && other && clang_File_isEqual(file, other) != 0;
        });
        const bool syntax = message.starts_with("expected '") || message.starts_with("expected expression") ||
                            message.starts_with("expected statement");
        if (!here || !syntax) return std::nullopt;
        return taken(clang_getFileName(file)) + ":" + std::to_string(line) + ": " + message;
    }
    return std::nullopt;
}

class UnitReader {
public:
    UnitReader(std::vector<Text>& texts, const Prelude& prelude)
        : texts_(texts), prelude_(prelude), index_(clang_createIndex(1, 0)) {}

    // One configuration. Throws Error where its text is no C++.
    Unit read() {
        std::vector<std::string> for_parser;
        for (const Text& text : texts_) for_parser.push_back(text_for_parser(*text.source, text.chains));
        std::vector<CXUnsavedFile> unsaved;
        for (std::size_t i = 0; i < texts_.size(); ++i)
            unsaved.push_back({texts_[i].source->path().c_str(), for_parser[i].data(),
                               static_cast<unsigned long>(for_parser[i].size())});
        unit_ = parsed(index_.get(), texts_.front().source->path(), arguments_for(prelude_, true), "c++", unsaved,
                      CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing);
        Unit result;
        std::vector<CXFile> handles;
        for (Text& text : texts_) {
            handles.push_back(clang_getFile(unit_.get(), text.source->path().c_str()));
            auto file = std::make_unique<File>(text.source->path(), text.source->text(), text.source->first_line());
            const std::vector<Span> hidden = handles.back() ? hidden_in(unit_.get(), handles.back())
                                                            : std::vector<Span>{{0, text.source->text().size()}};
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
        if (first_) overloads = added_overloads(unit_.get(), prelude_, is_own);
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
    UnitReader reader(texts, prelude);
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

}  // namespace lanewise::annotate
