// Reads a line of a specification from left to right.
#pragma once

#include <string>
#include <string_view>

#include "common/own/spec.hpp"

namespace lanewise::own {

class Cursor {
public:
    explicit Cursor(const SpecLine& line) : line_(line), text_(line.text) {}

    std::size_t at() { return skip_blank(), at_; }
    bool at_end() { return skip_blank(), at_ == text_.size(); }
    bool sees(std::string_view sign) { return skip_blank(), text_.substr(at_).starts_with(sign); }
    bool take(std::string_view sign) {
        if (!sees(sign)) return false;
        at_ += sign.size();
        return true;
    }
    // Throws where `sign` is not next; `after` says what it should come after.
    void need(std::string_view sign, const std::string& after);
    bool sees_name();
    // A name, with its namespaces: "sums::block_sum". Empty where there is none.
    std::string name();
    bool sees_number();
    // A number, or arithmetic with numbers: 1024, 2^20, (1 << 20) + 3, 1.5f, -inf.
    Number number();
    // A number that counts something, of at most `most`.
    std::uint64_t count(const char* what, std::uint64_t most);
    // "text" or 'text'
    std::string string();
    // From the bracket that is next to the one that closes it, both included.
    std::string bracketed();
    // Up to the comma or bracket that ends an element of such a list, which is next.
    std::string element();
    // What is between < and the > that comes before <<<; the < is next.
    std::string template_arguments();
    // All that is left.
    std::string rest() { return std::string(text_.substr(at())); }
    void go_to(std::size_t at) { at_ = at; }

    [[noreturn]] void fail(const std::string& sentence) { fail_at(line_, at(), sentence); }
    [[noreturn]] void fail_there(std::size_t at, const std::string& sentence) { fail_at(line_, at, sentence); }
    // What is next, as text: "'foo'", "the end of the line"
    std::string found();
    const SpecLine& line() const { return line_; }

private:
    void skip_blank() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    Number sum();
    Number product();
    Number power();
    Number plain_number();

    const SpecLine& line_;
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace lanewise::own
