// Which inputs the words of memory hold, for steps.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "common/steps/steps.hpp"

namespace lanewise::steps {

// The first array in global memory that is read before anything is written to it; none where no loads were recorded.
inline std::optional<std::uint32_t> input_array_of(const trace::Trace& trace) {
    std::optional<std::uint32_t> first;
    std::vector<bool> touched(trace.arrays.size());
    for (const trace::Record& record : trace.records) {
        if (!(trace::is_access(record.op) || trace::is_atomic(record.op)) || record.array >= touched.size()) continue;
        if (touched[record.array]) continue;
        touched[record.array] = true;
        const bool read_first =
            record.op == trace::Op::load && trace.arrays[record.array].space == trace::Space::global;
        if (read_first && (!first || record.array < *first)) first = record.array;
    }
    return first;
}

// Elements of that array; 0 where there is none.
inline std::size_t inputs_in(const trace::Trace& trace) {
    const auto array = input_array_of(trace);
    return array ? static_cast<std::size_t>(trace.arrays[*array].count) : 0;
}

// Distinguishes the words of memory.
class Words {
public:
    explicit Words(const trace::Trace& trace) : trace_(trace) {}

    // Shared arrays belong to a block of a launch.
    std::uint64_t key(const trace::Record& record, std::int64_t element) {
        const bool shared = record.array < trace_.arrays.size() &&
                            trace_.arrays[record.array].space == trace::Space::shared;
        const auto place = shared ? std::tuple(record.array, record.launch + 1, record.block)
                                  : std::tuple(record.array, 0u, 0u);
        const std::uint64_t slot = slots_.try_emplace(place, slots_.size()).first->second;
        return slot << 40 | (static_cast<std::uint64_t>(element) & 0xffffffffffu);
    }

private:
    const trace::Trace& trace_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> slots_;
};

class Memory {
public:
    Memory(const trace::Trace& trace, Provenances& inputs)
        : trace_(trace), inputs_(inputs), input_array_(input_array_of(trace)), keys_(trace) {}

    // The inputs in all elements that a lane's access covers. Neighbours that one write gave a value hold its inputs
    // together, not each of them once more.
    std::uint32_t read(const trace::Record& record, std::size_t lane) {
        std::uint32_t held = Provenances::kNothing;
        std::size_t last_write = 0;
        for (int k = 0; k < elements(record); ++k) {
            const std::int64_t element = record.element_index[lane] + k;
            const auto word = words_.find(keys_.key(record, element));
            if (word != words_.end()) {
                if (word->second.write != last_write) held = inputs_.join(held, word->second.inputs);
                last_write = word->second.write;
            } else if (is_input(record, element)) {
                held = inputs_.join(held, inputs_.single(static_cast<std::size_t>(element)));
            }
        }
        return held;
    }

    void write(const trace::Record& record, std::size_t lane, std::uint32_t inputs) {
        ++writes_;
        for (int k = 0; k < elements(record); ++k)
            words_[keys_.key(record, record.element_index[lane] + k)] = {inputs, writes_};
    }

private:
    // An atomic touches one word, however many operands it has.
    static int elements(const trace::Record& record) { return trace::is_atomic(record.op) ? 1 : record.elements; }

    bool is_input(const trace::Record& record, std::int64_t element) const {
        return input_array_ == record.array && element >= 0 &&
               static_cast<std::uint64_t>(element) < trace_.arrays[record.array].count;
    }

    const trace::Trace& trace_;
    Provenances& inputs_;
    std::optional<std::uint32_t> input_array_;
    Words keys_;
    struct Word {
        std::uint32_t inputs = Provenances::kNothing;
        std::size_t write = 0;   // its number
    };
    std::unordered_map<std::uint64_t, Word> words_;
    std::size_t writes_ = 0;
};

}  // namespace lanewise::steps
