#include "common/annotate/rewrite.hpp"

#include <algorithm>

#include "common/annotate/after.hpp"
#include "common/annotate/edits.hpp"
#include "common/annotate/exchanges.hpp"
#include "common/annotate/facts.hpp"
#include "common/annotate/group_headers.hpp"
#include "common/annotate/joins.hpp"
#include "common/annotate/refused.hpp"
#include "common/annotate/shared_arrays.hpp"
#include "common/annotate/words.hpp"

namespace lanewise::annotate {
namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

// __shfl_xor_sync(a, b) -> ::lanewise_traced::shfl_xor(LINE, a, b)
void intercept_words(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
        if (!source.is_word(i) || !source.is(i + 1, "(")) continue;
        for (const Word& word : kWords) {
            if (!source.is(i, word.cuda)) continue;
            if (i > 0 && (source.is(i - 1, ".") || source.is(i - 1, "->"))) break;  // somebody's member
            std::size_t begin = source[i].offset;
            if (i > 0 && source.is(i - 1, "::")) {
                const bool keyword =
                    i > 1 && (source.is(i - 2, "return") || source.is(i - 2, "else") || source.is(i - 2, "do"));
                const bool named = i > 1 && (source.is_word(i - 2) || source.is(i - 2, ">"));
                if (named && !keyword) break;  // somebody's namespace
                begin = source[i - 1].offset;
            }
            edits.replace(begin, source[i].end() - begin, "::lanewise_traced::" + std::string(word.traced));
            const bool empty = source.is(i + 2, ")");
            edits.insert(source[i + 1].end(), std::to_string(source[i].line) + (empty ? "" : ", "));
            break;
        }
    }
}

// T* const name = …: what stands for a name of dynamic shared memory on the CPU.
std::string dynamic_pointer(const SharedDeclaration& declaration, const SharedName& name) {
    const std::size_t first_end = name.extents.find(']');
    const std::string inner = first_end == std::string::npos ? "" : name.extents.substr(first_end + 1);
    return (inner.empty() ? declaration.type + "* const " : "auto* const ") + name.name +
           " = ::lanewise_emulated::dynamic_shared<" + declaration.type + inner + ">();";
}

bool mentioned_in_macros(const Source& source, std::string_view name) {
    return std::any_of(source.macros().begin(), source.macros().end(),
                       [&](const Macro& macro) { return find_word(macro.text, name, 0) != std::string_view::npos; });
}

bool named_constexpr(const Source& source, const Statement& function) {
    for (std::size_t i = function.first; i < function.children.front().first; ++i)
        if (source.is(i, "constexpr") || source.is(i, "consteval")) return true;
    return false;
}

std::string announcement(const Source& source, const SharedDeclaration& declaration, const SharedName& name,
                         Copy copy) {
    if (copy == Copy::emulated)  // what dynamic shared memory holds at first, the emulator sees to by itself
        return declaration.dynamic ? std::string()
                                   : " ::lanewise_emulated::use_shared(" +
                                         std::to_string(source[declaration.statement->first].line) + ", " + name.name +
                                         ");";
    return std::string(" ::lanewise_traced::") + (declaration.dynamic ? "dynamic_array(" : "shared_array(") +
           std::to_string(name.id) + ", " + name.name + ");";
}

// Says where each array lies, as soon as the function knows it.
void announce_arrays(const Source& source, const Statement& statement,
                     const std::vector<SharedDeclaration>& declarations, Copy copy, Edits& edits) {
    if (statement.kind == StatementKind::function && statement.is_kernel) {
        const Statement& body = statement.children.front();
        for (const SharedDeclaration& declaration : declarations)
            if (declaration.file_scope && declaration.statement->last < statement.first)
                for (const SharedName& name : declaration.names)
                    edits.insert(source[body.first].end(), announcement(source, declaration, name, copy));
    }
    for (const SharedDeclaration& declaration : declarations)
        if (declaration.statement == &statement && !declaration.file_scope)
            for (const SharedName& name : declaration.names)
                edits.insert(source[statement.last].end(), announcement(source, declaration, name, copy));
    for (const Statement& child : statement.children) announce_arrays(source, child, declarations, copy, edits);
}

// Shared memory on the CPU: the prelude makes __shared__ a thread-local; what it cannot say is said here.
void emulate_arrays(const Source& source, const std::vector<SharedDeclaration>& declarations, Edits& edits) {
    for (const SharedDeclaration& declaration : declarations) {
        const Statement& statement = *declaration.statement;
        if (!declaration.dynamic) {
            // GCC takes alignas only in front of a declaration.
            for (std::size_t i = statement.first + 1; i < statement.last; ++i)
                if (source.is(i, "alignas")) edits.replace(source[i].offset, source[i].text.size(), "__align__");
            continue;
        }
        std::string text;
        for (const SharedName& name : declaration.names)
            if (!declaration.file_scope) text += (text.empty() ? "" : " ") + dynamic_pointer(declaration, name);
        const std::size_t begin = source[statement.first].offset;
        edits.replace(begin, source[statement.last].end() - begin, text);
        // What announces the arrays stands behind the declaration, so it was inserted there and stays.
    }
}

// All names of dynamic shared memory at file scope mean the same piece of memory, whatever their types: each function
// that uses one gets a pointer of its own to it.
void point_to_file_scope(const Source& source, const Statement& statement,
                         const std::vector<SharedDeclaration>& declarations, Edits& edits) {
    if (statement.kind == StatementKind::function) {
        const Statement& body = statement.children.front();
        for (const SharedDeclaration& declaration : declarations) {
            if (!declaration.dynamic || !declaration.file_scope || declaration.statement->last >= statement.first)
                continue;
            for (const SharedName& name : declaration.names) {
                const auto named = [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i <= last; ++i)
                        if (source.is(i, name.name)) return true;
                    return false;
                };
                const bool in_macro = mentioned_in_macros(source, name.name) && !named_constexpr(source, statement);
                if (named(statement.first, body.first)) continue;  // a parameter of that name
                if (statement.is_kernel || in_macro || named(body.first, body.last))
                    edits.insert(source[body.first].end(), " [[maybe_unused]] " + dynamic_pointer(declaration, name));
            }
        }
    }
    for (const Statement& child : statement.children) point_to_file_scope(source, child, declarations, edits);
}

std::string braced(const Lines& lines) {
    return "{" + std::to_string(lines.first) + ", " + std::to_string(lines.last) + "}";
}

// One row of kStatements: the fields of a RawStatement.
std::string statement_row(const Source& source, const Statement& statement, const Assignment& part,
                          const Surroundings& around, const std::set<std::string>& functions) {
    const auto calls = outer_exchanges(source, statement, part.value_first, part.value_last);
    const Range own = calls.empty() ? Range{1, 0} : offered_variable(source, calls.front());
    const Facts facts = facts_of(source, part, functions);
    std::string uses;
    for (const std::string& name : facts.uses) uses += (uses.empty() ? "" : " ") + name;
    const auto truth = [](bool value) { return value ? "true" : "false"; };
    std::string row = "    {" + std::to_string(source[part.first].line) + ", ";
    row += std::to_string(source[part.last].line) + ", ";
    row += std::to_string(static_cast<int>(effect_of(source, part, own))) + ", ";
    row += quoted(source.words(part.target_first, part.target_last)) + ", ";
    for (const bool fact : {part.to_memory, facts.conditional, facts.copies, facts.calls})
        row += std::string(truth(fact)) + ", ";
    row += std::to_string(facts.loads) + ", " + quoted(uses) + ", ";
    return row + braced(around.function) + ", " + braced(around.loop) + ", " + braced(around.branch) + "},\n";
}

void list_statements(const Source& source, const Statement& statement, const Surroundings& around,
                     const std::set<std::string>& functions, std::string& rows, int& count) {
    if (statement.kind == StatementKind::simple && around.function.first != 0) {
        for (const Assignment& part : assignments(source, statement)) {
            rows += statement_row(source, statement, part, around, functions);
            ++count;
        }
    }
    for (std::size_t i = 0; i < statement.children.size(); ++i)
        list_statements(source, statement.children[i], surroundings_of(source, statement, i, around), functions, rows,
                        count);
}

}  // namespace

std::string derived_copy(const Source& source, const Statement& file, Copy copy) {
    Edits edits;
    const std::vector<SharedDeclaration> shared = shared_declarations(source, file);
    if (copy != Copy::gpu_only) replace_group_headers(source, edits);
    if (copy == Copy::emulated || copy == Copy::emulated_traced) {
        refuse_words(source, edits);
        emulate_arrays(source, shared, edits);
        point_to_file_scope(source, file, shared, edits);
    }
    if (copy != Copy::emulated) {
        intercept_words(source, edits);
        announce_results(source, file, shared_names(shared), edits);
        if (copy == Copy::emulated_traced) announce_joins(source, file, shared_names(shared), edits);
    }
    announce_arrays(source, file, shared, copy, edits);
    return "#line 1 " + quoted(source.path()) + "\n" + edits.apply(source.text());
}

std::string tables(const Source& source, const Statement& file) {
    std::string rows;
    int count = 0;
    list_statements(source, file, {}, functions_of(source, file), rows, count);
    std::string text = "static constexpr ::lanewise::prelude::RawStatement kStatements[] = {\n" + rows;
    if (count == 0) text += "    {},\n";
    text += "};\nstatic constexpr unsigned kStatementCount = " + std::to_string(count) + ";\n";

    const std::vector<std::string> names = shared_names(shared_declarations(source, file));
    text += "static constexpr const char* kSharedNames[] = {";
    for (const std::string& name : names) text += quoted(name) + ", ";
    text += "nullptr};\nstatic constexpr unsigned kSharedCount = " + std::to_string(names.size()) + ";\n";
    return text;
}

}  // namespace lanewise::annotate
