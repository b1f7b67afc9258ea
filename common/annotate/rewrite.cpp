#include "common/annotate/rewrite.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "common/annotate/after.hpp"
#include "common/annotate/edits.hpp"
#include "common/annotate/exchanges.hpp"
#include "common/annotate/facts.hpp"
#include "common/annotate/headers/group_headers.hpp"
#include "common/annotate/joins.hpp"
#include "common/annotate/open_operations.hpp"
#include "common/annotate/refused.hpp"
#include "common/annotate/shared_arrays.hpp"
#include "common/annotate/intrinsics.hpp"

namespace lanewise::annotate {
namespace {

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

bool calls_intrinsic(const Source& source, std::size_t i, const Intrinsic& known) {
    if (!source.is(i, known.cuda)) return false;
    return i == 0 || (!source.is(i - 1, ".") && !source.is(i - 1, "->"));  // a member
}

// Where the token's name begins, its :: included; nothing where it is a name in a namespace.
std::optional<std::size_t> name_begin(const Source& source, std::size_t i) {
    if (i == 0 || !source.is(i - 1, "::")) return source[i].offset;
    const bool keyword = i > 1 && (source.is(i - 2, "return") || source.is(i - 2, "else") || source.is(i - 2, "do"));
    const bool named = i > 1 && (source.is_identifier(i - 2) || source.is(i - 2, ">"));
    if (named && !keyword) return std::nullopt;
    return source[i - 1].offset;
}

// __shfl_xor_sync(a, b) -> ::lanewise_traced::shfl_xor(LINE, a, b). A function that the file gives such a name stays
// what it is; in parentheses where the prelude has a macro of that name.
void intercept_intrinsics(const File& file, bool with_macros, Edits& edits) {
    const Source& source = file.source;
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
        if (!source.is_identifier(i) || !source.is(i + 1, "(")) continue;
        const auto intrinsic = std::find_if(std::begin(kIntrinsics), std::end(kIntrinsics),
                                       [&](const Intrinsic& known) { return calls_intrinsic(source, i, known); });
        if (intrinsic == std::end(kIntrinsics)) continue;
        const auto call = file.calls.find(i);
        const Callee callee = call == file.calls.end() ? Callee::unknown : call->second.callee;
        if (callee == Callee::own || callee == Callee::either || file.declared_functions.contains(i)) {
            if (with_macros)
                edits.replace(source[i].offset, source[i].text.size(), "(" + std::string(source[i].text) + ")");
            continue;
        }
        const auto begin = name_begin(source, i);
        if (!begin) continue;
        edits.replace(*begin, source[i].end() - *begin, "::lanewise_traced::" + std::string(intrinsic->traced));
        edits.insert(source[i + 1].end(), std::to_string(source[i].line) + (source.is(i + 2, ")") ? "" : ", "));
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
                       [&](const Macro& macro) { return find_identifier(macro.text, name, 0) != macro.text.npos; });
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

// new and delete of device code: from the emulator's heap. Placement new, deleted functions and operators stay.
void emulate_heap(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
        const bool is_operator = i > 0 && source.is(i - 1, "operator");
        if (source.is(i, "new") && !is_operator && !source.is(i + 1, "("))
            edits.insert(source[i].end(), " (::lanewise_emulated::on_heap)");
        if (!source.is(i, "delete") || is_operator || (i > 0 && source.is(i - 1, "="))) continue;
        const bool many = source.is(i + 1, "[") && source.is(i + 2, "]");
        const std::size_t last = many ? i + 2 : i;
        edits.replace(source[i].offset, source[last].end() - source[i].offset,
                      many ? "::lanewise_emulated::deleting_many ->*" : "::lanewise_emulated::deleting ->*");
    }
}

std::string guard(const SharedName& name) { return " LANEWISE_GUARD(" + name.name + ")"; }

// Behind each shared array lies memory of no variable, so that an index too large is seen. Names that share a
// declaration get one each, where its text can be repeated.
void guard_arrays(const Source& source, const SharedDeclaration& declaration, Edits& edits) {
    const Statement& statement = *declaration.statement;
    std::string again;
    bool can_repeat = true;
    for (std::size_t i = statement.first; i < declaration.names.front().token; ++i) {
        can_repeat = can_repeat && !source.is(i, "{") && !source.is(i, "*") && !source.is(i, "&");
        again += " " + (source.is(i, "alignas") ? "__align__" : std::string(source[i].text));
    }
    for (const SharedName& name : declaration.names) {
        if (&name == &declaration.names.back()) edits.insert(source[statement.last].end(), guard(name));
        else if (can_repeat) edits.replace(source[name.last + 1].offset, 1, ";" + guard(name) + again);
    }
}

// Shared memory on the CPU: the prelude makes __shared__ a thread-local; what it cannot say is said here.
void emulate_arrays(const Source& source, const std::vector<SharedDeclaration>& declarations, Copy copy, Edits& edits) {
    for (const SharedDeclaration& declaration : declarations) {
        const Statement& statement = *declaration.statement;
        if (!declaration.dynamic) {
            if (copy == Copy::emulated_traced && !declaration.names.empty()) guard_arrays(source, declaration, edits);
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
        // What announces the arrays comes after the declaration, so it was inserted there and stays.
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
std::string statement_row(const File& file, const Statement& statement, const Assignment& part,
                          const Surroundings& around, const std::set<std::string>& functions) {
    const Source& source = file.source;
    const auto calls = outer_exchanges(file, statement, part.value_first, part.value_last);
    const Effect effect = calls.empty() ? effect_of(file, part, {1, 0})
                                        : direct_effect(file, statement, part, offered_variable(file, calls.front()));
    const Facts facts = facts_of(file, part, functions);
    std::string uses;
    for (const std::string& name : facts.uses) uses += (uses.empty() ? "" : " ") + name;
    const auto truth = [](bool value) { return value ? "true" : "false"; };
    std::string row = "    {" + std::to_string(source[part.first].line) + ", ";
    row += std::to_string(source[part.last].line) + ", ";
    row += std::to_string(static_cast<int>(effect)) + ", ";
    row += in_quotes(source.text_of(part.target_first, part.target_last)) + ", ";
    for (const bool fact : {part.to_memory, facts.conditional, facts.copies, facts.calls})
        row += std::string(truth(fact)) + ", ";
    row += std::to_string(facts.loads) + ", " + in_quotes(uses) + ", ";
    row += braced(around.function) + ", " + braced(around.loop) + ", " + braced(around.branch) + ", ";
    // `pair.sum`: one part of a value.
    const Range own = calls.size() == 1 ? offered_variable(file, calls.front()) : Range{1, 0};
    const bool part_of_value = !own.empty() && own.last > own.first;
    row += in_quotes(part_of_value ? source.text_of(own.first, own.last) : "") + ", ";
    return row + in_quotes(call_of(file, part, functions)) + "},\n";
}

// What the first configuration of a file shows is listed whole, of further ones what is fresh.
bool is_listed(const File& file, const Statement& statement, bool first) {
    const std::size_t offset = file.source[statement.first].offset;
    return first ||
           std::any_of(file.fresh.begin(), file.fresh.end(), [&](const Span& span) { return span.holds(offset); });
}

class StatementTable {
public:
    void list(const File& file, const std::set<std::string>& functions, bool first) {
        file_ = &file;
        functions_ = &functions;
        first_ = first;
        list(file.root, {});
    }

    std::string rows;
    int count = 0;

private:
    void list(const Statement& statement, const Surroundings& around) {
        if (statement.kind == StatementKind::simple && around.function.first != 0 &&
            is_listed(*file_, statement, first_)) {
            for (const Assignment& part : statement.assignments) {
                rows += statement_row(*file_, statement, part, around, *functions_);
                ++count;
            }
        }
        for (std::size_t i = 0; i < statement.children.size(); ++i)
            list(statement.children[i], surroundings_of(file_->source, statement, i, around));
    }

    const File* file_ = nullptr;
    const std::set<std::string>* functions_ = nullptr;
    bool first_ = true;
};

// What one configuration says of one file. `names` and `targets` are those of the files before it.
Edits edits_for(const Unit& unit, std::size_t index, Copy copy, std::vector<std::string>& names,
                std::vector<std::string>& targets) {
    const File& file = *unit.files[index];
    const Source& source = file.source;
    Edits edits;
    const std::vector<SharedDeclaration> shared = shared_declarations(file, names);
    if (copy == Copy::emulated || copy == Copy::emulated_traced) {
        refuse_intrinsics(source, edits);
        emulate_heap(source, edits);
        emulate_arrays(source, shared, copy, edits);
        point_to_file_scope(source, file.root, shared, edits);
    }
    if (copy != Copy::emulated) {
        intercept_intrinsics(file, copy != Copy::emulated_traced, edits);
        announce_results(file, names, edits);
        if (copy == Copy::emulated_traced) announce_joins(file, unit.functions, names, targets, edits);
    }
    announce_arrays(source, file.root, shared, copy, edits);
    if (copy == Copy::emulated || copy == Copy::emulated_traced) close_operations(file, edits);
    return edits;
}

// ::name -> name, where the files declare it: a copy is in a namespace of its own.
void enter_namespace(const Source& source, const std::set<std::string>& globals, Edits& edits) {
    for (std::size_t i = 1; i < source.size(); ++i)
        if (source.is(i - 1, "::") && globals.contains(std::string(source[i].text)))
            if (const auto begin = name_begin(source, i); begin && *begin < source[i].offset)
                edits.replace(*begin, 2, "  ");
}

// #include "sums.cuh" -> #include "sums.kernels.emulated.cuh"
void include_copies(const Reading& reading, std::size_t file, Copy copy, Edits& edits) {
    const Source& source = reading.source(file);
    for (const Include& include : reading.includes)
        if (include.file == file)
            edits.replace(include.span.begin, include.span.end - include.span.begin,
                          in_quotes(copy_name(reading, include.other, copy)));
    if (!reading.includes.empty()) return;
    for (std::size_t other = 0; other < reading.file_count(); ++other)
        for (const Directive& directive : source.directives())
            if (const auto name = included_file(source, directive, reading.source(other).path()))
                edits.replace(name->begin, name->end - name->begin, copy_name(reading, other, copy));
}

std::string file_stem(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == path.npos ? path : path.substr(slash + 1);
    return name.substr(0, name.rfind('.'));
}

}  // namespace

std::string copy_name(const Reading& reading, std::size_t file, Copy copy) {
    const std::string kind = copy == Copy::emulated          ? "emulated"
                             : copy == Copy::emulated_traced ? "emulated_traced"
                                                             : "gpu_traced";
    if (file == 0) return "kernels." + kind + ".cuh";
    std::string stem = file_stem(reading.source(file).path());
    for (std::size_t other = 1; other < file; ++other)  // from two folders, or x.h beside x.cuh
        if (file_stem(reading.source(other).path()) == stem)
            return stem + "." + std::to_string(file) + ".kernels." + kind + ".cuh";
    return stem + ".kernels." + kind + ".cuh";
}

std::string derived_copy(const Reading& reading, std::size_t file, Copy copy) {
    const Source& source = reading.source(file);
    Edits edits;
    if (copy != Copy::gpu_only) replace_group_headers(source, edits);
    if (copy == Copy::emulated || copy == Copy::emulated_traced) refuse_in_macros(source, edits);
    include_copies(reading, file, copy, edits);
    enter_namespace(source, reading.globals, edits);
    std::vector<std::string> names, targets;
    for (const Unit& unit : reading.units) {
        for (std::size_t i = 0; i < unit.files.size(); ++i) {
            const Edits more = edits_for(unit, i, copy, names, targets);
            if (i == file) edits.add(more, &unit == &reading.units.front() ? nullptr : &unit.files[i]->fresh);
        }
    }
    return "#line " + std::to_string(source.first_line()) + " " + in_quotes(reading.source(0).path()) + "\n" +
           edits.apply(source.text());
}

std::string tables(const Reading& reading) {
    StatementTable table;
    std::vector<std::string> names;
    std::set<std::string> constants;
    for (const Unit& unit : reading.units) {
        for (const auto& file : unit.files) {
            for (const std::string& name : constant_names(*file)) constants.insert(name);
            table.list(*file, unit.functions, &unit == &reading.units.front());
            shared_declarations(*file, names);
        }
    }
    std::string text = "static constexpr ::lanewise::prelude::RawStatement kStatements[] = {\n" + table.rows;
    if (table.count == 0) text += "    {},\n";
    text += "};\nstatic constexpr unsigned kStatementCount = " + std::to_string(table.count) + ";\n";
    text += "static constexpr const char* kSharedNames[] = {";
    for (const std::string& name : names) text += in_quotes(name) + ", ";
    text += "nullptr};\nstatic constexpr unsigned kSharedCount = " + std::to_string(names.size()) + ";\n";
    text += "static constexpr const char* kConstantNames[] = {";
    for (const std::string& name : constants) text += in_quotes(name) + ", ";
    text += "nullptr};\n";
    return text;
}

}  // namespace lanewise::annotate
