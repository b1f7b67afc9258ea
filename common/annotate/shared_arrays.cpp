#include "common/annotate/shared_arrays.hpp"

#include <algorithm>

namespace lanewise::annotate {
namespace {

class Finder {
public:
    Finder(const Source& source, std::vector<std::string>& names) : source_(source), ids_(names) {}

    std::vector<SharedDeclaration> found;

    void visit(const Statement& statement, bool in_function) {
        if (statement.kind == StatementKind::simple && is_shared(statement)) declaration(statement, in_function);
        for (const Statement& child : statement.children)
            visit(child, in_function || statement.kind == StatementKind::function);
    }

private:
    bool is_shared(const Statement& statement) const {
        for (std::size_t i = statement.first; i < statement.last; i = source_.next(i))
            if (source_.is(i, "__shared__")) return true;
        return false;
    }

    void declaration(const Statement& statement, bool in_function) {
        SharedDeclaration result;
        result.statement = &statement;
        result.file_scope = !in_function;
        std::size_t i = statement.first;
        std::size_t type_end = i;
        for (const Range part : split_at_commas(source_, statement.first, statement.last)) {
            // The name is the last identifier before the extents or the initialiser.
            std::size_t name = kNone;
            std::size_t after = part.last + 1;
            for (i = part.first; i <= part.last; i = source_.next(i)) {
                if (name != kNone && (source_.is(i, "[") || source_.is(i, "=") || source_.is(i, "{"))) {
                    after = i;
                    break;
                }
                if (source_.is(i, "extern")) result.dynamic = true;
                if (source_.is_identifier(i)) name = i;
            }
            if (name == kNone) continue;
            if (result.names.empty()) type_end = name;
            std::string extents;
            for (i = after; i <= part.last && source_.is(i, "["); i = source_.next(i))
                extents += source_.text_of(i, source_.closing(i));
            result.names.push_back({std::string(source_[name].text), extents, id(source_[name].text), name, part.last});
        }
        for (i = statement.first; i < type_end; i = source_.next(i)) {
            if (source_.is(i, "extern") || source_.is(i, "__shared__") || source_.is(i, "static")) continue;
            if (source_.is(i, "alignas") || source_.is(i, "__align__")) {
                ++i;  // its parentheses go too
                continue;
            }
            if (source_.is(i, "[")) continue;  // [[…]]
            const std::string text = source_.text_of(i, source_.next(i) - 1);
            const bool joined = result.type.empty() || text == "::" || text.front() == '<' ||
                                result.type.ends_with("::");
            result.type += (joined ? "" : " ") + text;
        }
        found.push_back(std::move(result));
    }

    int id(std::string_view name) {
        const auto place = std::find(ids_.begin(), ids_.end(), name);
        if (place == ids_.end()) ids_.emplace_back(name);
        return static_cast<int>(std::find(ids_.begin(), ids_.end(), name) - ids_.begin());
    }

    const Source& source_;
    std::vector<std::string>& ids_;
};

void add_constants(const Source& source, const Statement& statement, std::vector<std::string>& names) {
    for (const Statement& child : statement.children) add_constants(source, child, names);
    if (statement.kind != StatementKind::simple) return;
    bool constant = false;
    for (std::size_t i = statement.first; i < statement.last; i = source.next(i))
        constant = constant || source.is(i, "__constant__");
    if (!constant) return;
    for (const Range part : split_at_commas(source, statement.first, statement.last)) {
        std::size_t name = kNone;
        for (std::size_t i = part.first; i <= part.last; i = source.next(i)) {
            if (name != kNone && (source.is(i, "[") || source.is(i, "=") || source.is(i, "{"))) break;
            if (source.is_identifier(i)) name = i;
        }
        if (name != kNone) names.emplace_back(source[name].text);
    }
}

}  // namespace

std::vector<std::string> constant_names(const File& file) {
    std::vector<std::string> names;
    add_constants(file.source, file.root, names);
    return names;
}

std::vector<SharedDeclaration> shared_declarations(const File& file, std::vector<std::string>& names) {
    Finder finder(file.source, names);
    finder.visit(file.root, false);
    return std::move(finder.found);
}

}  // namespace lanewise::annotate
