// What boxes and bits come to, as text: captions, questions, a table for the terminal.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/element.hpp"
#include "common/scene/boxes/suppression.hpp"

namespace lanewise::scene {
namespace {

constexpr std::size_t kMostNamed = 8;

std::string called(const RankedBox& box) {
    const bool letter = box.name[0] >= 'A';
    return letter ? box.name : "row " + box.name;
}

std::string list(const Suppression& all, const std::vector<std::size_t>& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == kMostNamed && rows.size() > kMostNamed + 1) return text + fmt::format(" and {} more", rows.size() - i);
        text += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + called(all.boxes[rows[i]]);
    }
    return text;
}

// With a capital, as a sentence begins.
std::string begun(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string as_float(float value) { return format_element(Element::f32, to_bits(value)); }

// "is" or "are".
const char* be(std::size_t count) { return count == 1 ? "is" : "are"; }

struct Events {
    std::vector<std::size_t> placed, turn, read, crossed, stored;
    std::size_t made = 0, set = 0, rows = 0;
};

Events events_of(const Suppression& all, std::size_t step) {
    Events now;
    for (std::size_t row = 0; row < all.boxes.size(); ++row) {
        const RankedBox& box = all.boxes[row];
        if (box.placed == step) now.placed.push_back(row);
        if (box.turn == step) now.turn.push_back(row);
        if (box.read == step) now.read.push_back(row);
        if (box.crossed == step) now.crossed.push_back(row);
        if (box.stored == step) now.stored.push_back(row);
        const std::size_t before = now.made;
        for (std::size_t column = row + 1; column < all.boxes.size(); ++column) {
            const PairBit& bit = all.pair(row, column);
            if (bit.made != step) continue;
            ++now.made;
            now.set += bit.set;
        }
        now.rows += now.made > before;
    }
    return now;
}

// Its row's turn, where the rows take turns one by one.
std::string one_turn(const Suppression& all, std::size_t row) {
    const RankedBox& box = all.boxes[row];
    const std::string name = called(box);
    if (box.lives_at_turn)
        return fmt::format("Turn of {}: its suppressed bit is 0. {} is kept; its row is joined next.",
                           name, begun(name));
    const std::size_t by = all.suppressor(row);
    return fmt::format(
        "Turn of {}: its suppressed bit is 1{}. Its row is not read: {} suppresses no other.", name,
        by < all.boxes.size() ? ", set by " + called(all.boxes[by]) : "", name);
}

std::string turns(const Suppression& all, const std::vector<std::size_t>& rows) {
    std::vector<std::size_t> live, gone;
    for (const std::size_t row : rows) (all.boxes[row].lives_at_turn ? live : gone).push_back(row);
    if (all.racing) {
        const auto early = static_cast<std::size_t>(std::count_if(
            live.begin(), live.end(), [&](std::size_t row) { return all.boxes[row].crossed != kNoStep; }));
        return fmt::format("Each thread asks whether its own box is kept: {} 1, {} 0.{}",
                           counted(live.size(), "read") + (live.size() == 1 ? "s" : ""), gone.size(),
                           early == 0
                               ? ""
                               : fmt::format(" Too early for {}: another thread suppresses {} later in this run.",
                                             early, early == 1 ? "it" : "them"));
    }
    if (rows.size() == 1) return one_turn(all, rows.front());
    std::string text;
    if (!live.empty()) text = fmt::format("{} {} kept: nothing that is left would suppress {}.", list(all, live),
                                          be(live.size()), live.size() == 1 ? "it" : "them");
    if (!gone.empty())
        text += (text.empty() ? "" : " ") + fmt::format("{} {} suppressed, and suppress{} no other.", list(all, gone),
                                                        be(gone.size()), gone.size() == 1 ? "es" : "");
    return text;
}

const char* fate_name(Fate fate) {
    switch (fate) {
        case Fate::unplaced: return "not placed yet";
        case Fate::open: return "undecided";
        case Fate::kept: return "kept";
        case Fate::crossed:
        case Fate::removed: return "suppressed";
    }
    return "";
}

std::string fate_text(const Suppression& all, std::size_t box, std::size_t step) {
    const Fate fate = all.fate(box, step);
    const std::size_t by = all.suppressor(box);
    std::string text = fate_name(fate);
    if ((fate == Fate::crossed || fate == Fate::removed) && by < all.boxes.size())
        text += " by " + called(all.boxes[by]);
    return text;
}

}  // namespace

Fate Suppression::fate(std::size_t at, std::size_t step) const {
    const RankedBox& box = boxes[at];
    const auto by_now = [&](std::size_t when) { return when != kNoStep && when <= step; };
    if (!by_now(box.placed)) return Fate::unplaced;
    if (by_now(box.stored)) return box.lives ? Fate::kept : Fate::removed;
    if (by_now(box.turn)) return box.lives_at_turn && !by_now(box.crossed) ? Fate::kept : Fate::removed;
    return by_now(box.crossed) ? Fate::crossed : Fate::open;
}

std::size_t Suppression::suppressor(std::size_t box) const {
    for (std::size_t row = 0; row < box; ++row)
        if (pair(row, box).set && boxes[row].lives_at_turn) return row;
    return boxes.size();
}

bool Suppression::acts(std::size_t row, std::size_t step) const {
    const RankedBox& box = boxes[row];
    if (box.turn == step || box.read == step) return true;
    for (std::size_t column = row + 1; column < boxes.size(); ++column)
        if (pair(row, column).made == step) return true;
    return false;
}

// Of each row that could be asked about, the first chain; none where the answer is in sight before all three are.
void ask_questions(Suppression& all) {
    for (std::size_t c = 0; c < all.boxes.size(); ++c) {
        const RankedBox& last = all.boxes[c];
        const std::size_t answered = std::min(last.turn, last.crossed);
        if (answered == kNoStep) continue;
        for (std::size_t b = 0; b < c; ++b) {
            const std::size_t a = all.suppressor(b);
            if (!all.pair(b, c).set || all.boxes[b].lives_at_turn || a >= b) continue;
            const std::size_t asked = std::max({all.boxes[a].placed, all.boxes[b].placed, last.placed,
                                                all.pair(a, b).made, all.pair(b, c).made});
            if (asked >= answered) continue;
            ChainQuestion question{a, b, c, false, asked, answered, {}, {}};
            question.lives = all.fate(c, all.steps) == Fate::kept;
            const std::string names[] = {called(all.boxes[a]), called(all.boxes[b]), called(last)};
            question.text = begun(fmt::format("{} suppresses {}, and {} would suppress {}: does {} live?", names[0],
                                              names[1], names[1], names[2], names[2]));
            const std::size_t by = all.suppressor(c);
            question.answer =
                question.lives
                    ? fmt::format("{2} is kept: {1} is suppressed by {0}, and a suppressed box suppresses no other.",
                                  names[0], names[1], names[2])
                : by < all.boxes.size()
                    ? fmt::format(
                          "{2} is suppressed, but not by {1}, which is suppressed by {0}: {3} is kept and suppresses "
                          "{2}.",
                          names[0], names[1], names[2], called(all.boxes[by]))
                    : fmt::format("{} is suppressed in this run.", names[2]);
            question.answer = begun(question.answer);
            all.questions.push_back(std::move(question));
            break;
        }
    }
}

std::string suppression_caption(const Suppression& all, std::size_t step) {
    const Events now = events_of(all, step);
    std::string text;
    const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
    if (!now.placed.empty())
        add(now.placed.size() == 1
                ? list(all, now.placed) + " is in its place in the order of scores."
                : counted(now.placed.size(), "box") + " are in their places in the order of scores.");
    if (!now.turn.empty()) add(turns(all, now.turn));
    if (now.made > 0 && !(all.racing && now.set == now.made))
        add(fmt::format("Bits of {}: {} compared, of which {} {} by more than the threshold.",
                        counted(now.rows, "row"), counted(now.made, "pair"), now.set,
                        now.set == 1 ? "overlaps" : "overlap"));
    if (!now.read.empty() && all.tiled)
        add(fmt::format("{} kept: {} bits are read.", list(all, now.read) + " " + be(now.read.size()),
                        now.read.size() == 1 ? "its" : "their"));
    else if (!now.read.empty() && !all.racing)
        add(fmt::format("{} joined to the suppressed bits: {}.",
                        now.read.size() == 1 ? "The row of " + called(all.boxes[now.read.front()]) + " is"
                                             : counted(now.read.size(), "row") + " of kept boxes are",
                        now.crossed.empty() ? "no further box is suppressed"
                                            : list(all, now.crossed) + (now.crossed.size() == 1 ? " is" : " are") +
                                                  " suppressed"));
    if (!now.crossed.empty() && now.turn.empty() && (now.read.empty() || all.tiled || all.racing))
        add(fmt::format("{} {} suppressed.", list(all, now.crossed), be(now.crossed.size())));
    if (!now.stored.empty()) add("What is kept is stored.");
    return begun(text);
}

std::string suppression_counts(const Suppression& all, std::size_t step) {
    std::size_t kept = 0, gone = 0, open = 0;
    for (std::size_t box = 0; box < all.boxes.size(); ++box) {
        const Fate fate = all.fate(box, step);
        kept += fate == Fate::kept;
        gone += fate == Fate::removed || fate == Fate::crossed;
        open += fate == Fate::open || fate == Fate::unplaced;
    }
    return fmt::format("{}: {} kept, {} suppressed, {} undecided", counted(all.boxes.size(), "box"), kept, gone, open);
}

const ChainQuestion* open_question(const Suppression& all, std::size_t step) {
    for (const ChainQuestion& question : all.questions)
        if (question.asked <= step && step < question.answered) return &question;
    return nullptr;
}

const ChainQuestion* last_answered(const Suppression& all, std::size_t step) {
    const ChainQuestion* last = nullptr;
    for (const ChainQuestion& question : all.questions)
        if (question.answered <= step && (!last || question.answered > last->answered)) last = &question;
    return last;
}

std::string box_text(const Suppression& all, std::size_t at, std::size_t step) {
    const RankedBox& box = all.boxes[at];
    std::string text = called(box);
    if (box.name[0] >= 'A') text += fmt::format(" · row {}", at);
    if (box.number >= 0) text += fmt::format(" · box {} of the input", box.number);
    if (box.has_score) text += " · score " + as_float(box.score);
    if (box.has_corners)
        text += fmt::format(" · ({}, {}) to ({}, {})", as_float(box.x1), as_float(box.y1), as_float(box.x2),
                            as_float(box.y2));
    return text + " · " + fate_text(all, at, step);
}

std::string pair_text(const Suppression& all, std::size_t row, std::size_t column, std::size_t step) {
    const std::string names = called(all.boxes[row]) + " and " + called(all.boxes[column]);
    if (column <= row) return names + ": the earlier row holds this pair";
    const PairBit& bit = all.pair(row, column);
    if (bit.made == kNoStep) return names + ": no record compares them";
    if (bit.made > step) return names + ": not compared yet";
    return names + (bit.set ? " overlap by more than the threshold" : " do not overlap by more than the threshold");
}

std::string describe_suppression(const Suppression& all, std::size_t step) {
    if (all.empty()) return all.why_none + "\n";
    std::string text = suppression_counts(all, step) + (all.note.empty() ? "" : " · " + all.note) + "\n";
    if (const std::string caption = suppression_caption(all, step); !caption.empty()) text += caption + "\n";
    text += "bits: # set, . not set, ? not made yet\n";
    for (std::size_t row = 0; row < all.boxes.size(); ++row) {
        std::string bits(row + 1, ' ');
        for (std::size_t column = row + 1; column < all.boxes.size(); ++column) {
            const PairBit& bit = all.pair(row, column);
            bits += bit.made == kNoStep || bit.made > step ? '?' : bit.set ? '#' : '.';
        }
        text += fmt::format("{:>4} {} {}\n", all.boxes[row].name, bits, fate_text(all, row, step));
    }
    if (const ChainQuestion* question = open_question(all, step)) text += question->text + "\n";
    if (const ChainQuestion* question = last_answered(all, step)) text += question->answer + "\n";
    return text;
}

}  // namespace lanewise::scene
