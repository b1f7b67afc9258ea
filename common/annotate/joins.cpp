#include "common/annotate/joins.hpp"

#include <algorithm>
#include <set>

#include "common/annotate/exchanges.hpp"
#include "common/annotate/facts.hpp"

namespace lanewise::annotate {
namespace {

class Joins {
public:
    Joins(const File& file, const std::set<std::string>& functions, const std::vector<std::string>& unsafe,
          std::vector<std::string>& targets, Edits& edits)
        : file_(file), source_(file.source), functions_(functions), unsafe_(unsafe), edits_(edits), targets_(targets) {}

    void visit(const Statement& statement, bool in_function) {
        for (const Statement& child : statement.children) {
            if (child.kind == StatementKind::function) loaded_.clear();
            if (child.kind == StatementKind::simple && in_function) simple(child);
            visit(child, in_function || child.kind == StatementKind::function);
        }
    }

private:
    void simple(const Statement& statement) {
        for (const Assignment& part : statement.assignments) {
            if (!outer_exchanges(file_, statement, part.value_first, part.value_last).empty()) continue;
            const Facts facts = facts_of(file_, part, functions_);
            const bool reads = facts.loads > 0 || facts.copies ||
                               std::any_of(facts.uses.begin(), facts.uses.end(),
                                           [&](const std::string& name) { return loaded_.count(name) > 0; });
            if (!reads) continue;
            const std::string target = source_.text_of(part.target_first, part.target_last);
            const bool joins = effect_of(file_, part, {1, 0}) == Effect::join;
            if (!joins) loaded_.insert(std::string(source_[part.target_first].text));
            else if (part.plain && !part.declares && !part.to_memory && !facts.calls && is_sum(part))
                edits_.insert(source_[part.last].end(), ", ::lanewise_traced::joined(" + std::to_string(id_of(target)) +
                                                            ", " + target + ")");
        }
    }

    // Not what was read, worked on: v = in[i]; v = v * v;
    bool is_sum(const Assignment& part) const {
        const std::string name(source_[part.target_first].text);
        return loaded_.count(name) == 0 && std::find(unsafe_.begin(), unsafe_.end(), name) == unsafe_.end();
    }

    std::size_t id_of(const std::string& target) {
        const auto known = std::find(targets_.begin(), targets_.end(), target);
        if (known != targets_.end()) return static_cast<std::size_t>(known - targets_.begin());
        targets_.push_back(target);
        return targets_.size() - 1;
    }

    const File& file_;
    const Source& source_;
    const std::set<std::string>& functions_;
    const std::vector<std::string>& unsafe_;
    Edits& edits_;
    std::set<std::string> loaded_;      // variables of the function that hold what was read, as it was
    std::vector<std::string>& targets_;
};

}  // namespace

void announce_joins(const File& file, const std::set<std::string>& functions, const std::vector<std::string>& unsafe,
                    std::vector<std::string>& targets, Edits& edits) {
    Joins(file, functions, unsafe, targets, edits).visit(file.root, false);
}

}  // namespace lanewise::annotate
