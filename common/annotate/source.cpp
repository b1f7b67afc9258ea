#include "common/annotate/source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

[[noreturn]] void fail(const std::string& path, int line, const std::string& sentence) {
    throw Error(path + ":" + std::to_string(line) + ": " + sentence);
}

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Longest first.
constexpr std::array<std::string_view, 27> kSigns = {
    "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", ".*", "##"};

// What is between the quotes of an #include "…"; empty for any other directive.
std::string_view quoted_include(const Source& source, const Directive& directive) {
    if (directive.name != "include") return {};
    const std::string_view text = source.text();
    const std::size_t open = text.find_first_not_of(" \t", directive.rest);
    if (open >= directive.span.end || text[open] != '"') return {};
    const std::size_t close = text.find('"', open + 1);
    return close < directive.span.end ? text.substr(open + 1, close - open - 1) : std::string_view();
}

}  // namespace

std::size_t find_identifier(std::string_view text, std::string_view name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !continues_identifier(text[at - 1]);
        if (begins && (at + name.size() == text.size() || !continues_identifier(text[at + name.size()]))) return at;
    }
    return text.npos;
}

class Tokenizer {
public:
    explicit Tokenizer(Source& source) : source_(source), text_(source.text_), line_(source.first_line_) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_starts_ = true;
                advance(1);
            } else if (is_space(c) || (c == '\\' && is_splice(at_))) {
                advance(1);
            } else if (starts("//")) {
                advance(line_end(at_) - at_);
            } else if (starts("/*")) {
                skip_block_comment();
            } else if (c == '#' && line_starts_) {
                skip_directive();
            } else {
                line_starts_ = false;
                token();
            }
        }
    }

private:
    bool starts(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }
    bool is_splice(std::size_t at) const {
        return text_.compare(at, 2, "\\\n") == 0 || text_.compare(at, 3, "\\\r\n") == 0;
    }

    void advance(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            if (text_[at_ + i] == '\n') ++line_;
        at_ += count;
    }

    // Where the line that holds `at` ends, continuation lines included; the newline itself is left.
    std::size_t line_end(std::size_t at) const {
        while (at < text_.size() && text_[at] != '\n') at += is_splice(at) ? (text_[at + 1] == '\r' ? 3u : 2u) : 1u;
        return at < text_.size() ? at : text_.size();
    }

    void skip_block_comment() {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string::npos)
            fail(source_.path_, line_ - source_.first_line_ + 1, "this comment is never closed with */");
        advance(end + 2 - at_);
    }

    // A directive ends with its line, but a block comment in it may run on.
    void skip_directive() {
        std::size_t end = at_;
        while (end < text_.size() && text_[end] != '\n') {
            if (is_splice(end)) {
                end += text_[end + 1] == '\r' ? 3 : 2;
            } else if (text_.compare(end, 2, "//") == 0) {
                end = line_end(end);
            } else if (text_.compare(end, 2, "/*") == 0) {
                const std::size_t close = text_.find("*/", end + 2);
                if (close == std::string::npos)
                    fail(source_.path_, line_ - source_.first_line_ + 1, "this comment is never closed with */");
                end = close + 2;
            } else {
                ++end;
            }
        }
        note_include(text_.substr(at_, end - at_));
        const std::string_view directive = std::string_view(text_).substr(at_, end - at_);
        const std::size_t name = directive.find_first_not_of(" \t", 1);
        if (name != std::string_view::npos) {
            if (directive.substr(name).starts_with("define")) source_.macros_.push_back({directive, at_});
            std::size_t rest = name;
            while (rest < directive.size() && continues_identifier(directive[rest])) ++rest;
            source_.directives_.push_back({directive.substr(name, rest - name), {at_, end}, at_ + rest});
        }
        advance(end - at_);
    }

    void note_include(const std::string& directive) {
        std::size_t at = directive.find_first_not_of(" \t", 1);
        if (at == std::string::npos || directive.compare(at, 7, "include") != 0) return;
        const std::size_t open = directive.find_first_not_of(" \t", at + 7);
        if (open == std::string::npos || directive[open] != '<') return;
        const std::size_t close = directive.find('>', open);
        if (close != std::string::npos)
            source_.system_includes_.push_back("#include " + directive.substr(open, close + 1 - open));
    }

    void token() {
        const char c = text_[at_];
        if (starts_identifier(c)) return identifier();
        if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
        if (c == '"' || c == '\'') return literal(at_);
        for (const std::string_view sign : kSigns)
            if (starts(sign)) return add(TokenKind::sign, sign.size());
        add(TokenKind::sign, 1);
    }

    void identifier() {
        std::size_t end = at_;
        while (end < text_.size() && continues_identifier(text_[end])) ++end;
        const std::string_view prefix = std::string_view(text_).substr(at_, end - at_);
        const bool quoted = end < text_.size() && (text_[end] == '"' || text_[end] == '\'');
        if (quoted && (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R"))
            return raw_string(end);
        if (quoted && (prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8")) return literal(end);
        add(TokenKind::identifier, end - at_);
    }

    void number() {
        std::size_t end = at_;
        while (end < text_.size()) {
            const char c = text_[end];
            const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
            if (exponent && end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-')) {
                end += 2;
            } else if (continues_identifier(c) || c == '.') {
                ++end;
            } else if (c == '\'' && end + 1 < text_.size() && continues_identifier(text_[end + 1])) {
                end += 2;
            } else {
                break;
            }
        }
        add(TokenKind::number, end - at_);
    }

    // A string or character whose quote is at `quote`.
    void literal(std::size_t quote) {
        const char mark = text_[quote];
        std::size_t end = quote + 1;
        while (end < text_.size() && text_[end] != mark && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
        const bool open = end >= text_.size() || text_[end] != mark;
        if (open && source_.mode_ == Source::kLenient) return add(TokenKind::sign, quote + 1 - at_);
        if (open) fail(source_.path_, line_ - source_.first_line_ + 1, "this literal is never closed");
        add(TokenKind::literal, end + 1 - at_);
    }

    void raw_string(std::size_t quote) {
        const std::size_t open = text_.find('(', quote);
        if (open == std::string::npos)
            fail(source_.path_, line_ - source_.first_line_ + 1, "this raw string has no opening parenthesis");
        const std::string close = ")" + text_.substr(quote + 1, open - quote - 1) + "\"";
        const std::size_t end = text_.find(close, open);
        if (end == std::string::npos)
            fail(source_.path_, line_ - source_.first_line_ + 1, "this raw string is never closed with " + close);
        add(TokenKind::literal, end + close.size() - at_);
    }

    void add(TokenKind kind, std::size_t length) {
        source_.tokens_.push_back({kind, std::string_view(text_).substr(at_, length), at_, line_});
        advance(length);
    }

    Source& source_;
    const std::string& text_;
    std::size_t at_ = 0;
    int line_;
    bool line_starts_ = true;
};

Source::Source(std::string path, std::string text, int first_line, Mode mode)
    : path_(std::move(path)), text_(std::move(text)), first_line_(first_line), mode_(mode) {
    Tokenizer(*this).run();
    closing_.assign(size(), kNone);
}

void Source::hide(const std::vector<Span>& spans) {
    std::erase_if(tokens_, [&](const Token& token) {
        return std::any_of(spans.begin(), spans.end(), [&](const Span& span) { return span.holds(token.offset); });
    });
    match_brackets();
}

void Source::fail(std::size_t index, const std::string& sentence) const {
    const int line = index < size() ? tokens_[index].line - first_line_ + 1 : 1;
    annotate::fail(path_, line, sentence);
}

std::size_t Source::token_from(std::size_t offset) const {
    const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                                        [](const Token& token, std::size_t at) { return token.offset < at; });
    return static_cast<std::size_t>(found - tokens_.begin());
}

std::size_t Source::token_until(std::size_t offset) const {
    const auto found = std::upper_bound(tokens_.begin(), tokens_.end(), offset,
                                        [](std::size_t at, const Token& token) { return at < token.end(); });
    return found == tokens_.begin() ? kNone : static_cast<std::size_t>(found - tokens_.begin()) - 1;
}

void Source::match_brackets() {
    closing_.assign(size(), kNone);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < size(); ++i) {
        const Token& token = tokens_[i];
        if (token.is("(") || token.is("[") || token.is("{")) {
            open.push_back(i);
        } else if (token.is(")") || token.is("]") || token.is("}")) {
            const std::string_view opener = token.is(")") ? "(" : token.is("]") ? "[" : "{";
            if (open.empty() || !tokens_[open.back()].is(opener))
                fail(i, "this " + std::string(token.text) + " closes nothing");
            closing_[open.back()] = i;
            open.pop_back();
        }
    }
    if (!open.empty())
        fail(open.back(), "this " + std::string(tokens_[open.back()].text) + " is never closed");
    for (std::size_t i = 1; i < size(); ++i)
        if (tokens_[i].is("<") && is_identifier(i - 1)) closing_[i] = closing_angle(i);
}

bool Source::closes_another(std::size_t index) const {
    return std::find(closing_.begin(), closing_.end(), index) != closing_.end();
}

// `a < b` and `f<b>(c)` start alike: it is a template argument list when a > closes it before anything that cannot
// be in one, and what follows can come after one.
std::size_t Source::closing_angle(std::size_t open) const {
    const bool parameters = tokens_[open - 1].is("template");
    int depth = 0;
    for (std::size_t i = open; i < size(); i = (tokens_[i].is("<") || closing_[i] == kNone ? i : closing_[i]) + 1) {
        const Token& token = tokens_[i];
        if (token.is("<")) {
            if (i != open && !is_identifier(i - 1)) return kNone;
            ++depth;
        } else if (token.is(">") || token.is(">>")) {
            // `i < n >> 1`: a >> closes one list only where it closes the list around it as well.
            if (token.is(">>") && depth == 1 && !closes_another(i)) return kNone;
            depth -= token.is(">>") ? 2 : 1;
            if (depth > 0) continue;
            const bool fits = parameters || is_identifier(i + 1) || is(i + 1, "(") || is(i + 1, "::") ||
                              is(i + 1, "{") || is(i + 1, ">") || is(i + 1, ">>") || is(i + 1, ",") ||
                              is(i + 1, ")") || is(i + 1, "*") || is(i + 1, "&") || is(i + 1, "&&") || is(i + 1, ";");
            return fits ? i : kNone;
        } else if (token.is(";") || token.is(")") || token.is("]") || token.is("{") || token.is("}") ||
                   token.is("?") || token.is("||")) {
            return kNone;
        } else if (!parameters && (token.is("&&") || token.is("=") || token.is("+=") || token.is("-="))) {
            return kNone;
        }
    }
    return kNone;
}

std::string Source::text_of(std::size_t first, std::size_t last) const {
    std::string result;
    for (std::size_t i = first; i <= last; ++i) {
        if (i > first && tokens_[i].offset > tokens_[i - 1].end()) result += ' ';
        result += tokens_[i].text;
    }
    return result;
}

std::optional<Span> included_file(const Source& source, const Directive& directive, const std::string& path) {
    const std::string_view name = quoted_include(source, directive);
    if (name.empty()) return std::nullopt;
    const auto beside = (std::filesystem::path(source.path()).parent_path() / name).lexically_normal();
    if (beside.string() != path) return std::nullopt;
    const auto begin = static_cast<std::size_t>(name.data() - source.text().data());
    return Span{begin, begin + name.size()};
}

}  // namespace lanewise::annotate
