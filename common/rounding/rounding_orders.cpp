#include "common/rounding/rounding_orders.hpp"

#include "common/steps/update.hpp"

namespace lanewise::rounding {
namespace {

// A value and where it came from.
struct Part {
    std::int32_t place = Replayed::kStart;
    Element type = Element::f32;
    std::uint64_t bits = 0;
};

std::uint64_t as(Element type, const Part& part) {
    return part.type == type ? part.bits : element_from_double(type, element_to_double(part.type, part.bits));
}

class Replay {
public:
    std::vector<Replayed> additions;

    Part add(Element type, std::size_t read, const Part& own, const Part& other) {
        const std::uint64_t bits = steps::sum_bits(type, as(type, own), as(type, other));
        additions.push_back({own.place, other.place, type, bits, read, false});
        return {static_cast<std::int32_t>(additions.size()) - 1, type, bits};
    }

    Part pairs(Element type, std::size_t read, std::vector<Part> parts) {
        while (parts.size() > 1) {
            std::vector<Part> next;
            for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
                next.push_back(add(type, read, parts[i], parts[i + 1]));
            if (parts.size() % 2 == 1) next.push_back(parts.back());
            parts = std::move(next);
        }
        return parts.front();
    }

    Part in_turn(Element type, std::size_t read, const std::vector<Part>& parts) {
        Part sum = parts.front();
        for (std::size_t i = 1; i < parts.size(); ++i) sum = add(type, read, sum, parts[i]);
        return sum;
    }
};

// Formats that GPUs add in.
bool adds_in(Element element) { return element != Element::e4m3 && element != Element::e5m2; }

}  // namespace

std::vector<Replayed> replay(Order order, Element type, std::uint64_t start, bool zero,
                             const Reads& reads) {
    Replay made;
    Part sum{Replayed::kStart, type, start};
    bool none = zero;   // no addition yet: the first word is the sum
    std::int32_t first = Replayed::kElement;
    std::size_t at = 0;
    std::vector<Part> words;
    made.additions.reserve(reads.bits.size());
    for (std::size_t r = 0; r < reads.loads.size(); ++r) {
        const Read& read = reads.loads[r];
        const bool narrow = order == Order::narrow_pairs || order == Order::narrow_in_turn;
        if (narrow && (read.type == type || !is_float(read.type) || !adds_in(read.type))) return {};
        if (read.words == 0) return {};
        words.clear();
        for (int i = 0; i < read.words; ++i) words.push_back({first--, read.type, reads.bits[at++]});
        const std::size_t before = made.additions.size();
        const auto join = [&](const Part& part) {
            sum = none ? part : made.add(type, r, sum, part);
            none = false;
        };
        switch (order) {
            case Order::one_by_one:
                for (const Part& word : words) join(word);
                break;
            case Order::pairs: join(made.pairs(type, r, words)); break;
            case Order::narrow_pairs: join(made.pairs(read.type, r, words)); break;
            case Order::narrow_in_turn: join(made.in_turn(read.type, r, words)); break;
        }
        if (made.additions.size() > before) made.additions.back().ends_read = true;
    }
    return std::move(made.additions);
}

}  // namespace lanewise::rounding
