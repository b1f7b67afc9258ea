#include "common/annotate/syntax/pieces.hpp"

#include <algorithm>

#include "common/annotate/refused.hpp"
#include "common/annotate/syntax/kernel_outline.hpp"
#include "common/annotate/syntax/keywords.hpp"
#include "common/annotate/syntax/parser_errors.hpp"

namespace lanewise::annotate {
namespace {

bool is_callable(CXCursorKind kind) {
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

bool is_class(CXCursorKind kind) {
    return kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl ||
           kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

bool has_body(CXCursor cursor) {
    for (const CXCursor& child : children(cursor))
        if (clang_getCursorKind(child) == CXCursor_CompoundStmt || clang_getCursorKind(child) == CXCursor_CXXTryStmt)
            return true;
    return false;
}

class Reader {
public:
    Reader(CXTranslationUnit unit, const std::vector<ParsedFile>& files)
        : unit_(unit), files_(files), keywords_(files) {
        for (const ParsedFile& file : files) {
            places_.emplace_back(*file.source, file.handle);
            owners_.emplace_back(file.source->size(), kNone);
        }
    }

    Pieces read() {
        std::vector<CXCursor> macros;
        for (const CXCursor& cursor : children(clang_getTranslationUnitCursor(unit_))) {
            if (clang_getCursorKind(cursor) == CXCursor_MacroExpansion) macros.push_back(cursor);
            else if (clang_isDeclaration(clang_getCursorKind(cursor)) != 0) declaration(cursor, kNone);
        }
        for (std::size_t i = 0; i < pieces_.size(); ++i) own(i);
        for (const CXCursor& macro : macros) macro_use(macro);
        for (std::size_t i = 0; i < pieces_.size(); ++i) resolve(i);
        for (std::size_t file = 0; file < files_.size(); ++file) refusals(file);
        errors();
        return {std::move(pieces_), std::move(lost_)};
    }

private:
    const Source& source(std::size_t file) const { return *files_[file].source; }

    std::optional<Spot> spot(CXSourceLocation location) const { return spot_of(location, files_); }

    bool says(std::size_t file, Range range, const std::set<std::string>& keywords) const {
        for (std::size_t i = range.first; i <= range.last; ++i)
            if (source(file).is_identifier(i) && keywords.contains(std::string(source(file)[i].text))) return true;
        return false;
    }

    // From what is in front of a declaration to its end.
    Range whole(CXCursor cursor, std::size_t file, Range range, std::size_t around) const {
        const Source& text = source(file);
        std::size_t first = 0;  // after what was declared before, which may be a macro's use without a semicolon
        for (std::size_t i = pieces_.size(); i-- > 0 && first == 0;)
            if (pieces_[i].file == file && pieces_[i].around == around && pieces_[i].tokens.last < range.first)
                first = pieces_[i].tokens.last + 1;
        const auto ends_another = [&](std::size_t i) {
            return text.is(i, ";") || text.is(i, "}") || text.is(i, "{") ||
                   (text.is(i, ":") && i > 0 && text.is_identifier(i - 1));
        };
        while (range.first > first && !ends_another(range.first - 1)) --range.first;
        const bool body = is_callable(clang_getCursorKind(cursor)) && has_body(cursor);
        if (body) {
            if (text.is(range.last + 1, ";")) ++range.last;
            return range;
        }
        while (range.last + 1 < text.size() && !text.is(range.last, ";") && !text.is(range.last + 1, "}"))
            range.last = text.next(range.last + 1) - 1;
        return range;
    }

    // A template's instance, which no text stands for: the parser reports those with errors in them.
    static bool is_made_of_a_template(CXCursor cursor) {
        const CXCursor pattern = clang_getSpecializedCursorTemplate(cursor);
        return is_callable(clang_getCursorKind(cursor)) && clang_Cursor_isNull(pattern) == 0 &&
               clang_equalLocations(clang_getCursorLocation(pattern), clang_getCursorLocation(cursor)) != 0;
    }

    void declaration(CXCursor cursor, std::size_t around) {
        const CXCursorKind kind = clang_getCursorKind(cursor);
        const auto at = spot(clang_getCursorLocation(cursor));
        if (!at || is_made_of_a_template(cursor)) return;
        const std::size_t file = at->file;
        const auto range = places_[file].expanded(cursor);
        if (!range) return;
        const bool scope = kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl;
        if (scope && source(file).is(range->last, "}")) return container(cursor, file, *range, around);
        if (kind == CXCursor_Namespace) return;
        // extern "C" in front of one declaration, be it by way of a macro; other unexposed ones are variable templates
        // and the like.
        const std::vector<CXCursor> parts = scope ? children(cursor) : std::vector<CXCursor>();
        const auto declares_one = [](const CXCursor& part) {
            const CXCursorKind one = clang_getCursorKind(part);
            return one == CXCursor_FunctionDecl || one == CXCursor_TypedefDecl || is_class(one);
        };
        if (scope && (source(file).is(range->first, "extern") ||
                      (!parts.empty() && std::all_of(parts.begin(), parts.end(), declares_one)))) {
            for (const CXCursor& part : parts) declaration(part, around);
            return;
        }
        const std::size_t index = piece(cursor, file, whole(cursor, file, *range, around), around);
        // libclang does not look into a variable template: its tokens say what it uses.
        if (kind == CXCursor_UnexposedDecl) by_tokens_.insert(index);
        else if (is_callable(kind)) functions_.emplace(taken(clang_getCursorSpelling(cursor)), index);
        if (is_class(kind) || kind == CXCursor_EnumDecl || kind == CXCursor_TypedefDecl ||
            kind == CXCursor_TypeAliasDecl)
            types_.emplace(taken(clang_getCursorSpelling(cursor)), index);
        if (is_class(kind)) members(cursor, index);
        else collect(cursor, index);
    }

    void container(CXCursor cursor, std::size_t file, Range range, std::size_t around) {
        while (range.first > 0 && source(file).is(range.first - 1, "inline")) --range.first;
        Piece result;
        result.file = file;
        result.tokens = range;
        result.role = Piece::Role::container;
        result.around = around;
        const std::size_t index = add(std::move(result));
        for (const CXCursor& part : children(cursor))
            if (clang_isDeclaration(clang_getCursorKind(part)) != 0) declaration(part, index);
    }

    std::size_t add(Piece piece) {
        pieces_.push_back(std::move(piece));
        spots_.emplace_back();
        return pieces_.size() - 1;
    }

    // The piece of a declaration: a new one, or the one that it shares tokens with (int a, b;).
    std::size_t piece(CXCursor cursor, std::size_t file, Range range, std::size_t around) {
        for (std::size_t i = pieces_.size(); i-- > 0;) {
            Piece& other = pieces_[i];
            if (other.file != file || other.around != around || other.role == Piece::Role::container) continue;
            if (other.tokens.last < range.first) break;
            if (range.last < other.tokens.first) continue;
            other.tokens = {std::min(other.tokens.first, range.first), std::max(other.tokens.last, range.last)};
            declares(cursor, i);
            return i;
        }
        Piece result;
        result.file = file;
        result.tokens = range;
        result.around = around;
        result.role = role(cursor, file, range);
        if (is_callable(clang_getCursorKind(cursor)) && has_body(cursor) && around_is_no_class(around) &&
            says(file, header(cursor, file, range), keywords_.kernel)) {
            result.is_kernel = true;
            result.kernel = outline_of(cursor, places_[file], source(file));
        }
        const std::size_t index = add(std::move(result));
        declares(cursor, index);
        return index;
    }

    bool around_is_no_class(std::size_t around) const {
        return around == kNone || pieces_[around].role == Piece::Role::container;
    }

    // What is in front of a function's body, or of a class's members.
    Range header(CXCursor, std::size_t file, Range range) const {
        for (std::size_t i = range.first; i <= range.last; i = source(file).next(i))
            if (source(file).is(i, "{")) return {range.first, i};
        return range;
    }

    Piece::Role role(CXCursor cursor, std::size_t file, Range range) const {
        using Role = Piece::Role;
        const CXCursorKind kind = clang_getCursorKind(cursor);
        const Range front = header(cursor, file, range);
        const bool explicit_instance =
            source(file).is(range.first, "template") && !source(file).is(range.first + 1, "<");
        if (explicit_instance) return Role::host;
        const bool function = is_callable(kind);
        if ((function || kind == CXCursor_VarDecl || kind == CXCursor_FriendDecl) &&
            says(file, front, keywords_.device))
            return Role::device;
        if (function || kind == CXCursor_FriendDecl) {
            // A friend without a body says who may look in, and defines nothing.
            const bool anywhere = says(file, front, {"constexpr", "consteval", "default", "delete"});
            const bool befriends = kind == CXCursor_FriendDecl && front == range;
            return anywhere || befriends ? Role::neutral : Role::host;
        }
        if (kind != CXCursor_VarDecl) return Role::neutral;
        const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
        const bool number = type.kind >= CXType_Bool && type.kind <= CXType_LongDouble;
        return says(file, front, {"constexpr"}) || (number && clang_isConstQualifiedType(type) != 0) ? Role::neutral
                                                                                                     : Role::host;
    }

    // What is declared more than once is kept with its definition; what belongs to a class or a template with that.
    void declares(CXCursor cursor, std::size_t index) {
        note(clang_getCanonicalCursor(cursor), index);
        note(clang_getCursorDefinition(cursor), index);
        note(clang_getSpecializedCursorTemplate(cursor), index);
        const CXCursor parent = clang_getCursorSemanticParent(cursor);
        if (is_class(clang_getCursorKind(parent))) note(parent, index);
    }

    void members(CXCursor cursor, std::size_t index) {
        for (const CXCursor& child : children(cursor)) {
            const CXCursorKind kind = clang_getCursorKind(child);
            if (is_callable(kind) || kind == CXCursor_FriendDecl) declaration(child, index);
            else if (is_class(kind)) members(child, index);
            else collect(child, index);
        }
    }

    void collect(CXCursor cursor, std::size_t index) {
        const CXCursor referenced = clang_getCursorReferenced(cursor);
        note(referenced, index);
        refuse_call(cursor, referenced, index);
        for (const CXCursor& child : children(cursor)) collect(child, index);
    }

    void refuse_call(CXCursor cursor, CXCursor referenced, std::size_t index) {
        if (clang_Cursor_isNull(referenced) != 0 || !is_callable(clang_getCursorKind(referenced))) return;
        const CXCursor scope = clang_getCursorSemanticParent(referenced);
        const bool in_class = is_class(clang_getCursorKind(scope));
        const CXCursor space = in_class ? clang_getCursorSemanticParent(scope) : scope;
        if (clang_getCursorKind(space) != CXCursor_Namespace) return;
        const auto at = spot(clang_getCursorLocation(cursor));
        if (!at || taken(clang_getCursorSpelling(space)) != "cooperative_groups") return;
        if (!in_class && taken(clang_getCursorSpelling(referenced)) == "sync" &&
            clang_Cursor_getNumArguments(cursor) > 0) {
            // sync(grid) says the same as grid.sync().
            const CXType group = clang_getCanonicalType(clang_getCursorType(clang_Cursor_getArgument(cursor, 0)));
            const std::string_view refused =
                refused_call(taken(clang_getCursorSpelling(clang_getTypeDeclaration(group))), "sync");
            if (!refused.empty())
                pieces_[index].refusals.push_back(remark(at->file, source(at->file).token_from(at->offset), refused));
        }
        const std::string_view what = refused_call(in_class ? taken(clang_getCursorSpelling(scope)) : std::string(),
                                                   taken(clang_getCursorSpelling(referenced)));
        const std::size_t token = source(at->file).token_from(at->offset);
        if (!what.empty() && token < source(at->file).size())
            pieces_[index].refusals.push_back(remark(at->file, token, what));
    }

    void note(CXCursor referenced, std::size_t index) {
        if (clang_Cursor_isNull(referenced) != 0 || clang_isInvalid(clang_getCursorKind(referenced)) != 0) return;
        if (clang_getCursorKind(referenced) == CXCursor_OverloadedDeclRef) {
            for (unsigned i = 0; i < clang_getNumOverloadedDecls(referenced); ++i)
                note(clang_getOverloadedDecl(referenced, i), index);
            return;
        }
        const CXSourceLocation location = clang_getCursorLocation(referenced);
        if (const auto at = spot(location)) {
            spots_[index].push_back(*at);
            const CXCursor definition = clang_getCursorDefinition(referenced);
            if (clang_Cursor_isNull(definition) != 0) return;
            if (const auto there = spot(clang_getCursorLocation(definition))) spots_[index].push_back(*there);
            return;
        }
        note_header(location, index);
    }

    void note_header(CXSourceLocation location, std::size_t index) {
        CXFile handle = nullptr;
        clang_getExpansionLocation(location, &handle, nullptr, nullptr, nullptr);
        if (handle == nullptr) return;
        auto known = header_names_.find(handle);
        if (known == header_names_.end()) known = header_names_.emplace(handle, taken(clang_getFileName(handle))).first;
        pieces_[index].headers.insert(known->second);
    }

    // Says which tokens are the piece's.
    void own(std::size_t index) {
        const Piece& piece = pieces_[index];
        std::vector<std::size_t>& owners = owners_[piece.file];
        if (piece.role != Piece::Role::container) {
            for (std::size_t i = piece.tokens.first; i <= piece.tokens.last && i < owners.size(); ++i)
                owners[i] = index;
            return;
        }
        const Range front = header(clang_getNullCursor(), piece.file, piece.tokens);
        for (std::size_t i = front.first; i <= front.last; ++i) owners[i] = index;
        owners[piece.tokens.last] = index;
    }

    std::size_t owner(Spot at) const {
        const Source& text = source(at.file);
        std::size_t token = text.token_from(at.offset);
        if (token >= text.size() || text[token].offset > at.offset) token = text.token_until(at.offset);
        return token < text.size() ? owners_[at.file][token] : kNone;
    }

    void macro_use(CXCursor cursor) {
        const auto at = spot(clang_getCursorLocation(cursor));
        if (!at || owner(*at) == kNone) return;
        const CXCursor definition = clang_getCursorReferenced(cursor);
        if (clang_Cursor_isNull(definition) == 0 && !spot(clang_getCursorLocation(definition)))
            note_header(clang_getCursorLocation(definition), owner(*at));
    }

    void resolve(std::size_t index) {
        Piece& piece = pieces_[index];
        // libclang does not show every type that is named: not that of a pointer to a member.
        if (piece.role == Piece::Role::device || piece.role == Piece::Role::neutral)
            for (std::size_t i = piece.tokens.first; i <= piece.tokens.last; ++i)
                if (owners_[piece.file][i] == index && source(piece.file).is_identifier(i))
                    if (const auto type = types_.find(std::string(source(piece.file)[i].text));
                        type != types_.end() && type->second != index)
                        piece.uses.push_back(type->second);
        if (by_tokens_.contains(index))
            for (std::size_t i = piece.tokens.first; i <= piece.tokens.last; ++i) {
                const auto [first, last] = functions_.equal_range(std::string(source(piece.file)[i].text));
                for (auto function = first; function != last; ++function) piece.uses.push_back(function->second);
            }
        if (piece.around != kNone) piece.uses.push_back(piece.around);
        for (const Spot& at : spots_[index])
            if (const std::size_t used = owner(at); used != kNone && used != index) piece.uses.push_back(used);
        std::sort(piece.uses.begin(), piece.uses.end());
        piece.uses.erase(std::unique(piece.uses.begin(), piece.uses.end()), piece.uses.end());
    }

    Remark remark(std::size_t file, std::size_t token, std::string_view what) const {
        return {std::string(what), source(file).path(), source(file)[token].line - source(file).first_line() + 1};
    }

    void refusals(std::size_t file) {
        for (std::size_t i = 0; i < source(file).size(); ++i) {
            if (owners_[file][i] == kNone) continue;
            std::string_view what = refused_at(source(file), i);
            const auto found = source(file).is_identifier(i)
                                   ? keywords_.refused.find(std::string(source(file)[i].text))
                                   : keywords_.refused.end();
            if (what.empty() && found != keywords_.refused.end()) what = found->second;
            if (!what.empty()) pieces_[owners_[file][i]].refusals.push_back(remark(file, i, what));
        }
    }

    void errors() {
        std::vector<Remark> stray;
        for (ParserError& error : errors_of(unit_, files_)) {
            const std::size_t index = owner(error.at);
            if (error.not_emulated && index != kNone) {
                pieces_[index].refusals.push_back({*error.not_emulated, error.said.path, error.said.line});
            } else if (index == kNone || pieces_[index].role == Piece::Role::container) {
                stray.push_back(std::move(error.said));
            } else if (!pieces_[index].error) {
                pieces_[index].error = std::move(error.said);
            }
        }
        look_for_lost_kernels(stray);
    }

    // Kernels that the parser made nothing of: the error is the last one in front of it, or on its line.
    void look_for_lost_kernels(const std::vector<Remark>& errors) {
        for (std::size_t file = 0; file < files_.size(); ++file) {
            for (std::size_t i = 0; i < source(file).size(); ++i) {
                const std::size_t owner = owners_[file][i];
                const bool known = owner != kNone && pieces_[owner].role != Piece::Role::container;
                if (known || !source(file).is(i, "__global__")) continue;
                const int line = source(file)[i].line - source(file).first_line() + 1;
                const Remark* said = errors.empty() ? nullptr : &errors.front();
                for (const Remark& error : errors)
                    if (error.path == source(file).path() && error.line <= line + 1) said = &error;
                if (said) lost_.push_back(*said);
            }
        }
    }

    CXTranslationUnit unit_;
    const std::vector<ParsedFile>& files_;
    std::vector<Places> places_;
    std::vector<std::vector<std::size_t>> owners_;  // of each token
    std::vector<Piece> pieces_;
    std::vector<std::vector<Spot>> spots_;  // what each piece uses
    Keywords keywords_;
    std::map<CXFile, std::string> header_names_;
    std::map<std::string, std::size_t> types_;           // by name, the pieces that declare them
    std::multimap<std::string, std::size_t> functions_;  // the same
    std::set<std::size_t> by_tokens_;
    std::vector<Remark> lost_;
};

}  // namespace

Pieces pieces_of(CXTranslationUnit unit, const std::vector<ParsedFile>& files) { return Reader(unit, files).read(); }

}  // namespace lanewise::annotate
