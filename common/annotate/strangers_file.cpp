#include "common/annotate/strangers_file.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "common/annotate/headers/rare_headers.hpp"
#include "common/annotate/syntax/configurations.hpp"
#include "common/annotate/syntax/headers.hpp"
#include "common/annotate/syntax/parse.hpp"
#include "common/annotate/syntax/pieces.hpp"
#include "common/annotate/syntax/tree.hpp"
#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

bool is_conditional(const Directive& directive) {
    return directive.name.starts_with("if") || directive.name.starts_with("el") || directive.name == "endif";
}

// A header that is no C++ as it is read here.
struct UnreadableHeader {
    std::string path;
};

class Cutter {
public:
    Cutter(const Prelude& prelude, const StrangersOptions& options, Headers& headers)
        : prelude_(prelude), options_(options), headers_(headers), index_(clang_createIndex(1, 0)) {}

    // False where what the kernels need is in headers of the host, which were left out so far.
    bool parse() {
        std::vector<std::string> texts;
        for (const auto& source : headers_.sources()) texts.push_back(headers_.text_for_parser(*source));
        std::vector<CXUnsavedFile> unsaved;
        for (std::size_t i = 0; i < texts.size(); ++i)
            unsaved.push_back(
                {headers_.sources()[i]->path().c_str(), texts[i].data(), static_cast<unsigned long>(texts[i].size())});
        std::vector<std::string> arguments = arguments_for(prelude_, true);
        for (const std::string& argument : headers_.arguments()) arguments.push_back(argument);
        unit_ = parsed(index_.get(), headers_.sources().front()->path(), arguments, "c++", unsaved,
                       CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing);
        files_.clear();
        hidden_.clear();
        visible_.clear();
        for (const auto& source : headers_.sources()) {
            CXFile handle = clang_getFile(unit_.get(), source->path().c_str());
            hidden_.push_back(handle ? hidden_in(unit_.get(), handle) : std::vector<Span>{{0, source->text().size()}});
            visible_.push_back(
                std::make_unique<Source>(source->path(), source->text(), source->first_line(), Source::kLenient));
            try {
                visible_.back()->hide(hidden_.back());
            } catch (const Error&) {
                if (visible_.size() == 1) throw;
                throw UnreadableHeader{source->path()};
            }
            files_.push_back({visible_.back().get(), handle});
        }
        Pieces pieces = pieces_of(unit_.get(), files_);
        pieces_ = std::move(pieces.all);
        lost_ = std::move(pieces.lost);
        note_headers();
        keep_ = pieces_to_keep(pieces_, options_.kernels, options_.lean_headers);
        if (!headers_.has_more()) return true;
        // Reading them takes long: an error that has nothing to do with the library is no reason.
        const auto texts_say = [&](std::string_view name) {
            return std::any_of(headers_.sources().begin(), headers_.sources().end(),
                               [&](const auto& source) { return source->text().find(name) != std::string::npos; });
        };
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (!keep_[i] || !pieces_[i].error) continue;
            if (pieces_[i].error->what.find("std") != std::string::npos || texts_say("using namespace std"))
                return false;
        }
        return true;
    }

    StrangersFile result() {
        StrangersFile file;
        std::set<std::string> includes;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (pieces_[i].kernel) file.kernels.push_back(*pieces_[i].kernel);
            if (keep_[i]) includes.insert(pieces_[i].headers.begin(), pieces_[i].headers.end());
        }
        for (const std::string& include : headers_.in_order(includes)) file.includes.push_back(include);
        if (file.kernels.empty() && !lost_.empty())
            throw Error(lost_[0].path + ":" + std::to_string(lost_[0].line) + ": " + lost_[0].what);
        file.errors = lost_;
        file.skipped = headers_.skipped();
        Unit unit;
        const auto is_own = [&](CXCursor cursor) {
            CXFile handle = nullptr;
            clang_getExpansionLocation(clang_getCursorLocation(cursor), &handle, nullptr, nullptr, nullptr);
            return number_of(handle) != kNone;
        };
        visit_includes(0, file.reading);
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const Source& source = *headers_.sources()[i];
            file.texts.push_back({source.path(), source.text(), source.first_line()});
            unit.files.push_back(std::make_unique<File>(source.path(), cut(i, file.reading), source.first_line()));
            unit.files.back()->source.hide({});
        }
        for (std::size_t i = 0; i < files_.size(); ++i)
            if (files_[i].handle) read_tree(unit_.get(), files_[i].handle, is_own, *unit.files[i], unit.functions);
        file.reading.units.push_back(std::move(unit));
        for (const std::string& include : rare_headers(file.reading)) file.includes.push_back(include);
        for (const CXCursor& cursor : children(clang_getTranslationUnitCursor(unit_.get())))
            note_global(cursor, file.reading.globals);
        file.reading.overloads = added_overloads(unit_.get(), prelude_, is_own);
        std::erase_if(file.reading.overloads, [&](const std::string& name) {
            for (std::size_t i = 0; i < file.reading.file_count(); ++i)
                if (find_identifier(file.reading.source(i).text(), name, 0) != std::string::npos) return false;
            return true;  // of the host's code alone
        });
        return file;
    }

private:
    // The file's own #include that brings in each header which is not the files' own, nor the prelude's.
    void note_headers() {
        std::map<std::string, std::string> brought_by;
        struct Context {
            Cutter* self;
            std::map<std::string, std::string>* brought_by;
        } context{this, &brought_by};
        clang_getInclusions(
            unit_.get(),
            [](CXFile file, CXSourceLocation* stack, unsigned depth, CXClientData data) {
                const auto& [self, map] = *static_cast<Context*>(data);
                if (depth == 0 || self->number_of(file) != kNone) return;
                for (unsigned i = 0; i < depth; ++i) {
                    CXFile from = nullptr;
                    unsigned offset = 0;
                    clang_getExpansionLocation(stack[i], &from, nullptr, nullptr, &offset);
                    if (const std::size_t number = self->number_of(from); number != kNone) {
                        (*map)[taken(clang_getFileName(file))] = self->headers_.include_at(number, offset);
                        return;
                    }
                }
            },
            &context);
        for (Piece& piece : pieces_) {
            std::set<std::string> includes;
            for (const std::string& header : piece.headers)
                if (const auto found = brought_by.find(header); found != brought_by.end() && !found->second.empty())
                    includes.insert(found->second);
            piece.headers = std::move(includes);
        }
    }

    void note_global(CXCursor cursor, std::set<std::string>& into) const {
        CXFile handle = nullptr;
        clang_getExpansionLocation(clang_getCursorLocation(cursor), &handle, nullptr, nullptr, nullptr);
        if (clang_isDeclaration(clang_getCursorKind(cursor)) == 0 || number_of(handle) == kNone) return;
        const CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            for (const CXCursor& part : children(cursor)) note_global(part, into);
        else if (clang_getCursorKind(clang_getCursorSemanticParent(cursor)) == CXCursor_TranslationUnit)
            into.insert(taken(clang_getCursorSpelling(cursor)));
    }

    std::size_t number_of(CXFile file) const {
        for (std::size_t i = 0; i < files_.size(); ++i)
            if (file && files_[i].handle && clang_File_isEqual(file, files_[i].handle) != 0) return i;
        return kNone;
    }

    bool is_hidden(std::size_t file, std::size_t offset) const {
        return std::any_of(hidden_[file].begin(), hidden_[file].end(),
                           [&](const Span& span) { return span.holds(offset); });
    }

    // Each file is included where the parser came to it first.
    void visit_includes(std::size_t file, Reading& reading) {
        for (const Include& include : headers_.own_includes(file)) {
            if (is_hidden(file, include.span.begin) || include.other == 0) continue;
            const auto known = [&](const Include& other) { return other.other == include.other; };
            if (std::any_of(reading.includes.begin(), reading.includes.end(), known)) continue;
            reading.includes.push_back(include);
            visit_includes(include.other, reading);
        }
    }

    // The text with blanks for all that is left out: pieces, hidden branches and the directives that hid them, headers.
    std::string cut(std::size_t file, const Reading& reading) const {
        const Source& source = *visible_[file];
        std::vector<bool> kept(source.size());
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& piece = pieces_[i];
            if (piece.file != file || piece.role == Piece::Role::container) continue;
            for (std::size_t k = piece.tokens.first; k <= piece.tokens.last; ++k) kept[k] = keep_[i];
        }
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& piece = pieces_[i];
            if (piece.file != file || piece.role != Piece::Role::container || !keep_[i]) continue;
            for (std::size_t k = piece.tokens.first; k <= piece.tokens.last; ++k) {
                kept[k] = true;
                if (source.is(k, "{")) break;
            }
            kept[piece.tokens.last] = true;
        }
        std::string text = source.text();
        for (std::size_t i = 0; i < source.size(); ++i)
            if (!kept[i]) blank(text, {source[i].offset, source[i].end()});
        for (const Span& span : hidden_[file]) blank(text, span);
        for (const Directive& directive : source.directives()) {
            const bool own = std::any_of(reading.includes.begin(), reading.includes.end(), [&](const Include& include) {
                return include.file == file && directive.span.holds(include.span.begin);
            });
            const bool include = directive.name.starts_with("include") && !own && !headers_.stays(source, directive);
            if (include || is_conditional(directive) || directive.name == "error" || directive.name == "warning")
                blank(text, directive.span);
        }
        return text;
    }

    const Prelude& prelude_;
    const StrangersOptions& options_;
    Headers& headers_;
    ClangIndex index_;
    ClangUnit unit_;
    std::vector<std::unique_ptr<Source>> visible_;
    std::vector<ParsedFile> files_;
    std::vector<std::vector<Span>> hidden_;
    std::vector<Piece> pieces_;
    std::vector<bool> keep_;
    std::vector<Remark> lost_;
};

}  // namespace

StrangersFile read_strangers_file(const std::string& path, const std::string& text, const Prelude& prelude,
                                  const StrangersOptions& options) {
    std::set<std::string> left_out;
    for (;;) {
        Headers headers(path, text, prelude.stand_ins, options.include_folders, left_out);
        Cutter cutter(prelude, options, headers);
        try {
            if (!cutter.parse()) {
                headers.let_in_more();
                cutter.parse();
            }
            return cutter.result();
        } catch (const UnreadableHeader& header) {
            if (!left_out.insert(header.path).second) throw Error(header.path + ": this header cannot be read");
        }
    }
}

Remark place_of_line(const std::vector<KernelText>& texts, int line) {
    const KernelText* in = &texts.front();
    for (const KernelText& text : texts)
        if (text.first_line <= line) in = &text;
    return {"", in->path, line - in->first_line + 1};
}

}  // namespace lanewise::annotate
