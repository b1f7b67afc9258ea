// The walk that follow() makes: its parts are in follow.cpp (lanes with each other), follow_loads.cpp and
// follow_stores.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "common/steps/provenance/provenance.hpp"
#include "common/steps/lane_course.hpp"
#include "common/steps/memory.hpp"
#include "common/steps/statements.hpp"
#include "common/steps/text_flow.hpp"
#include "common/steps/update.hpp"

namespace lanewise::steps {

// What a lane read in the statement that it is in.
struct Pending {
    int line = -1;
    struct Word {
        std::uint32_t array;
        std::int64_t element;
        std::uint32_t inputs;
    };
    std::vector<Word> words;
};

class Follower {
public:
    Follower(Steps& steps, const Statements& statements, std::string_view text);

    // False when there are too many sets of inputs to keep.
    bool run();

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t place_of(const WarpRef& warp) const;

    void play(const Step& step, WarpStep& warp);

    template <class F>
    static void each(const trace::Record& record, F act) {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (takes_part(record, lane)) act(lane);
    }

    LaneValues& held() { return present_[place_]; }

    bool is_known(std::size_t lane) { return held().known >> lane & 1; }

    void hold(const trace::Record& record, std::size_t lane, std::uint64_t bits) { hold(record.type, lane, bits); }

    void hold(Element type, std::size_t lane, std::uint64_t bits) {
        if (held().type != type) {
            held().type = type;
            held().known = 0;   // of another type: not what these lanes hold now
        }
        held().bits[lane] = bits;
        held().known |= std::uint32_t{1} << lane;
        for (LaneValues::Part& part : held().more) part.known &= ~(std::uint32_t{1} << lane);
    }

    // The further parts of the value that the lane holds after an exchange of its parts.
    void hold_parts(const WarpStep& warp, std::size_t lane);

    void forget(std::size_t lane) {
        held().known &= ~(std::uint32_t{1} << lane);
        for (LaneValues::Part& part : held().more) part.known &= ~(std::uint32_t{1} << lane);
    }

    // The lane's next record.
    std::size_t next_of(std::size_t number, std::size_t lane) const;

    // The value that the lane offers next, when nothing it loads comes in between. Only what is exchanged is taken for
    // the value held: what is stored or added to memory may have been worked on first.
    struct Offer {
        std::uint64_t bits = 0;
        const trace::Record* record = nullptr;
    };
    Offer next_offer(std::size_t number, std::size_t lane) const;

    LaneCourse& course(std::size_t lane) { return courses_[place_][lane]; }

    // Takes the lane past a record, and notes what the variable that it assigned to has taken in.
    void leave(std::size_t lane, const trace::Record& record);

    // What a lane read just before in the statement of `line`.
    const Pending* pending(std::size_t lane, int line, bool to_memory);

    void remember(std::size_t lane, const trace::Record& record, std::uint32_t inputs);

    void forget_reads(std::size_t lane) { pending_[place_][lane].line = -1; }

    // The inputs of what the lane offers in a statement: what it read there, else what it holds.
    std::uint32_t operand(std::size_t lane, int line);

    // Does the lane offer something else than the result of its last exchange, which it still holds? It was worked out
    // without a record, of what no record says.
    bool offers_another(const trace::Record& record, std::size_t lane);

    // A shuffle or a reduction.
    void exchange(std::size_t number, WarpStep& warp);

    // The record's, else from the statement's text; a value that goes nowhere else is what the lane now has.
    trace::Effect effect_of(const trace::Record& record, std::size_t lane) const;

    void hold_after(std::size_t number, std::size_t lane, const LaneView& view);

    // Will what is read now be joined to the sink's variable before the lane does anything but read on? `reads_left`:
    // in the same turn of the statement.
    enum class Reach { no, perhaps, yes };
    Reach reaches(const trace::Statement& sink, std::size_t number, std::size_t lane, int reads_left) const;

    // The variable that takes in what is read here next to what it had, and null where the value stands for itself.
    // `certain` is false where it may take it in, and the text does not say.
    struct Sum {
        const trace::Statement* statement = nullptr;
        bool certain = true;
    };
    Sum joined_by(const trace::Statement* statement, std::size_t number, std::size_t lane);

    // The statement that a read belongs to. `v[k] = in[i];` with a v of its own registers assigns to a variable.
    const trace::Statement* statement_of_read(std::size_t number, std::size_t lane) const;

    void load(std::size_t number, WarpStep& warp);

    void read(std::size_t number, std::size_t lane, LaneView& view);

    // Files of minor version 0 do not say which statements are conditional. There, that a lane next offers a value that
    // it was not known to hold shows that it was assigned to.
    void guessed_without_load(std::size_t number, std::size_t lane, const trace::Statement& statement);

    // The value that the lane is next seen to offer; unknown where no record shows it, or where the variable that was
    // joined to is worked on before.
    void hold_offer(std::size_t number, std::size_t lane, const trace::Statement* sum);

    // `value = t < n ? in[t] : 0` assigns on lanes that load nothing too. Where an `if` around the statement may keep a
    // lane out, its next record shows whether it came there.
    void assigned_without_load(std::size_t number, std::size_t lane, const trace::Statement& statement);

    // `for (…) sum += in[i];`: a lane for which the loop has nothing holds the sum too, once it is past the loop.
    void passed_without_load(std::size_t number, std::size_t lane, const trace::Statement& sum);

    // A plain store, or loads and a store of one statement.
    void store(WarpStep& warp);

    void read_in_update(const trace::Record& record, std::size_t lane, LaneView& view);

    void write(const trace::Record& record, std::size_t lane, WarpStep& warp);

    void atomic(const trace::Record& record, WarpStep& warp);

    // Votes, matches, active masks and barriers: an answer comes back, what a lane holds stays.
    void answer(const trace::Record& record, WarpStep& warp);

    Steps& steps_;
    const trace::Trace& trace_;
    const Statements& statements_;
    bool has_inputs_;
    Provenances inputs_;
    Memory memory_;
    TextFlow text_;
    std::vector<LaneValues> present_;
    std::vector<trace::PerLane<Pending>> pending_;
    std::vector<trace::PerLane<LaneCourse>> courses_;
    std::vector<std::uint32_t> exchanged_;   // lanes that hold the result of an exchange
    std::vector<std::size_t> following_;     // the next record of the same warp
    std::size_t place_ = 0;                // of the warp that is played
};

}  // namespace lanewise::steps
