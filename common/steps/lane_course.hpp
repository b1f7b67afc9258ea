// One lane's way through the kernel's text, as its records show, and what the variables that others are joined to have
// taken in on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/steps/provenance/provenance.hpp"
#include "common/steps/text_flow.hpp"

namespace lanewise::steps {

class LaneCourse {
public:
    // Goes through the statements without a record up to `line`. `held` is what the lane holds, in inputs, and may
    // change; true where its bits are then no longer known.
    bool come_to(int line, const TextFlow& text, Provenances& inputs, std::uint32_t& held);

    // A read in no statement that assigns: `return *p;`, a condition.
    void read_aside() { ++reads_aside_; }
    void forget_reads_aside() { reads_aside_ = 0; }

    // The statement that gave the lane the value that it holds; null where that is not known.
    void hold_by(const trace::Statement* statement) { held_by_ = statement; }

    // What a store of the lane's gives to its word where the lane read nothing in it. `held` is what the lane holds, in
    // inputs.
    struct Stored {
        std::uint32_t inputs = 0;
        bool is_held = true;   // it may be what the lane holds
    };
    Stored stored(const trace::Statement* store, const TextFlow& text, Provenances& inputs, std::uint32_t held) const;

    // Notes where the lane is after a record, and whether that was a read.
    void leave(int line, bool is_load, const TextFlow& text);

    // The inputs that the variable which a statement assigns to has taken in.
    std::uint32_t& taken(const trace::Statement& statement) { return taken_[key_of(statement)]; }
    bool has_taken(const trace::Statement& statement) const { return taken_.contains(key_of(statement)); }

    // Is this read a further one in the same turn of its statement? `value = in[i] + in[j];` reads two words.
    bool reads_on(const trace::Statement* statement);
    // Reads still to come in that turn.
    int reads_left() const { return TextFlow::is_known(reading_) ? std::max(reading_->loads - loads_, 0) : 0; }

    // `sink` joins what was read now, in `statement`, but only after the lane has done something else with it.
    void owe(const trace::Statement& sink, const trace::Statement& statement) {
        owed_ = &sink;
        owed_from_ = &statement;
    }

private:
    using Key = std::pair<int, std::string>;   // function, name
    static Key key_of(const trace::Statement& statement) {
        return {statement.function.first, TextFlow::name_of(statement)};
    }

    // The inputs of the variable that the lane hands to the function which brings it to `line`; none where the text does
    // not say which, or what went into it.
    std::optional<std::uint32_t> handed_over(int line, const TextFlow& text) const;

    // Goes through the sum that is owed in the function which the lane leaves for `line` of another; as come_to().
    bool pass_owed(int line, const TextFlow& text, Provenances& inputs, std::uint32_t& held);

    // `certain`: the lane is known to have gone through the statement.
    bool pass(const trace::Statement& statement, bool certain, Provenances& inputs, std::uint32_t& held);

    std::map<Key, std::uint32_t> taken_;
    std::map<int, int> last_line_;   // by function
    int function_ = 0;               // first line of the function around the last record; 0: not known
    int root_ = 0;                   // around the first
    int loads_ = 0;                  // in a row, in one statement
    int reads_aside_ = 0;            // since a function's result was last taken
    const trace::Statement* reading_ = nullptr;
    const trace::Statement* owed_ = nullptr;
    const trace::Statement* owed_from_ = nullptr;   // read what is owed
    const trace::Statement* held_by_ = nullptr;
};

}  // namespace lanewise::steps
