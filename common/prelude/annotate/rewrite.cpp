#include "common/prelude/annotate/rewrite.hpp"

#include <array>

#include "common/prelude/annotate/after.hpp"
#include "common/prelude/annotate/edits.hpp"
#include "common/prelude/annotate/shared_arrays.hpp"
#include "common/prelude/annotate/shuffles.hpp"

namespace lanewise::annotate {
namespace {

struct Word {
    std::string_view cuda;
    std::string_view traced;
};

constexpr std::array<Word, 18> kWords = {{
    {"__shfl_sync", "shfl_idx"},       {"__shfl_up_sync", "shfl_up"},   {"__shfl_down_sync", "shfl_down"},
    {"__shfl_xor_sync", "shfl_xor"},   {"__any_sync", "vote_any"},      {"__all_sync", "vote_all"},
    {"__ballot_sync", "vote_ballot"},  {"__syncwarp", "sync_warp"},     {"__syncthreads", "sync_block"},
    {"atomicAdd", "atomic_add"},       {"atomicSub", "atomic_sub"},     {"atomicMin", "atomic_min"},
    {"atomicMax", "atomic_max"},       {"atomicAnd", "atomic_and"},     {"atomicOr", "atomic_or"},
    {"atomicXor", "atomic_xor"},       {"atomicExch", "atomic_exch"},   {"atomicCAS", "atomic_cas"},
}};

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
                const bool keyword = i > 1 && (source.is(i - 2, "return") || source.is(i - 2, "else") || source.is(i - 2, "do"));
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

std::string announcement(const SharedDeclaration& declaration, const SharedName& name) {
    return std::string(" ::lanewise_traced::") + (declaration.dynamic ? "dynamic_array(" : "shared_array(") +
           std::to_string(name.id) + ", " + name.name + ");";
}

// Tells the recorder where each array lies, as soon as the function knows it.
void announce_arrays(const Source& source, const Statement& statement,
                     const std::vector<SharedDeclaration>& declarations, Edits& edits) {
    if (statement.kind == StatementKind::function && statement.is_kernel) {
        const Statement& body = statement.children.front();
        for (const SharedDeclaration& declaration : declarations)
            if (declaration.file_scope && declaration.statement->last < statement.first)
                for (const SharedName& name : declaration.names)
                    edits.insert(source[body.first].end(), announcement(declaration, name));
    }
    for (const SharedDeclaration& declaration : declarations)
        if (declaration.statement == &statement && !declaration.file_scope)
            for (const SharedName& name : declaration.names)
                edits.insert(source[statement.last].end(), announcement(declaration, name));
    for (const Statement& child : statement.children) announce_arrays(source, child, declarations, edits);
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
        for (const SharedName& name : declaration.names) {
            const std::size_t first_end = name.extents.find(']');
            const std::string inner = first_end == std::string::npos ? "" : name.extents.substr(first_end + 1);
            const std::string element = declaration.type + inner;
            if (!text.empty()) text += ' ';
            if (declaration.file_scope)
                text += "alignas(16) constinit static thread_local " + declaration.type + " " + name.name +
                        "[::lanewise_emulated::kMaxDynamicShared / sizeof(" + element + ")]" + inner + ";";
            else
                text += (inner.empty() ? declaration.type + "* const " : "auto* const ") + name.name +
                        " = ::lanewise_emulated::dynamic_shared<" + element + ">();";
        }
        const std::size_t begin = source[statement.first].offset;
        edits.replace(begin, source[statement.last].end() - begin, text);
        // What announces the arrays stands behind the declaration, so it was inserted there and stays.
    }
}

void list_statements(const Source& source, const Statement& statement, bool in_function, std::string& rows,
                     int& count) {
    if (statement.kind == StatementKind::simple && in_function) {
        for (const Assignment& part : assignments(source, statement)) {
            const auto calls = outer_shuffles(source, statement, part.value_first, part.value_last);
            const Range own = calls.empty() ? Range{1, 0} : shuffled_variable(source, calls.front());
            rows += "    {" + std::to_string(source[part.first].line) + ", " +
                    std::to_string(source[part.last].line) + ", " +
                    std::to_string(static_cast<int>(effect_of(source, part, own))) + ", " +
                    quoted(source.words(part.target_first, part.target_last)) + ", " +
                    (part.to_memory ? "true" : "false") + "},\n";
            ++count;
        }
    }
    for (const Statement& child : statement.children)
        list_statements(source, child, in_function || statement.kind == StatementKind::function, rows, count);
}

}  // namespace

std::string derived_copy(const Source& source, const Statement& file, Copy copy) {
    Edits edits;
    const std::vector<SharedDeclaration> shared = shared_declarations(source, file);
    if (copy != Copy::gpu_traced) emulate_arrays(source, shared, edits);
    if (copy != Copy::emulated) {
        intercept_words(source, edits);
        announce_results(source, file, shared_names(shared), edits);
        announce_arrays(source, file, shared, edits);
    }
    return "#line 1 " + quoted(source.path()) + "\n" + edits.apply(source.text());
}

std::string tables(const Source& source, const Statement& file) {
    std::string rows;
    int count = 0;
    list_statements(source, file, false, rows, count);
    std::string text = "static constexpr ::lanewise::prelude::RawStatement kStatements[] = {\n" + rows;
    if (count == 0) text += "    {0, 0, 0, \"\", false},\n";
    text += "};\nstatic constexpr unsigned kStatementCount = " + std::to_string(count) + ";\n";

    const std::vector<std::string> names = shared_names(shared_declarations(source, file));
    text += "static constexpr const char* kSharedNames[] = {";
    for (const std::string& name : names) text += quoted(name) + ", ";
    text += "nullptr};\nstatic constexpr unsigned kSharedCount = " + std::to_string(names.size()) + ";\n";
    return text;
}

}  // namespace lanewise::annotate
