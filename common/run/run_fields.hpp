// What of a run can be changed besides its variant, as plain data: a field for each flag, and what was chosen of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::run {

struct Run;

enum class FieldKind : std::uint8_t {
    number,    // a whole number from `low` to `high`
    choice,    // one of `choices`
    order,     // "ascending", "descending", or a seed
    values,    // numbers with commas between
    mask,      // a set of lanes, as a number: "0xff"
    per_lane,  // an expression of `lane`, or numbers with commas between
};

// One field of the run bar; its name is the flag's, without the hyphens.
struct RunField {
    std::string name;
    FieldKind kind = FieldKind::number;
    std::string standard;                    // what holds where nothing is chosen
    std::string sentence;                    // what it is
    std::vector<std::string> choices = {};   // of a seed: the kinds of input that have one
    std::uint64_t low = 0, high = 0;
};

// A field's name and what was chosen, as text: what a flag takes, a link says and a view shows.
using RunChange = std::pair<std::string, std::string>;
using RunChanges = std::vector<RunChange>;

// Chooses `text` for a field. What says the same otherwise is left out: `n` takes `rows` and `columns` away, `input`
// takes typed values away and the other way round.
void set_change(RunChanges& changes, const std::string& name, const std::string& text);

// Those of the changes that are of one of the fields, and one of its choices where it has some.
RunChanges changes_for(const RunChanges& changes, const std::vector<RunField>& fields);

// As flags: "--n 33 --arg 'lane ^ 5'".
std::string flags_of(const RunChanges& changes);

// What the run was on, of a field: "33", "random", "seed 7".
std::string value_of_field(const Run& run, const RunField& field);

// What the run was on that is not as its fields have it by themselves: what makes the same run again.
RunChanges changes_of_run(const Run& run, const std::vector<RunField>& fields);

// A sentence of Error that begins with a flag is about that field: its name, else empty.
std::string field_of_error(std::string_view sentence);

// Where a number of the input was changed: `values` with number `index` as `text`; those that the run was on.
std::string with_value(const std::vector<double>& values, std::size_t index, const std::string& text);
// `n` numbers: cut, or with zeros at the end.
std::string with_count(const std::vector<double>& values, std::size_t n);

// As one token, and back: the name of a run that was changed holds them.
std::string packed(const RunChanges& changes);
RunChanges unpacked(std::string_view text);

}  // namespace lanewise::run
