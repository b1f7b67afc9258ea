// A kernel file as tokens. Comments and preprocessor directives (with their continuation lines) are not tokens, so
// that nothing in them is ever rewritten; every token knows where it is, so that a rewrite keeps lines in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::annotate {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// An identifier may be a keyword; a literal is a string or a character.
enum class TokenKind : std::uint8_t { identifier, number, literal, sign };

struct Token {
    TokenKind kind = TokenKind::sign;
    std::string_view text;
    std::size_t offset = 0;
    int line = 1;

    std::size_t end() const { return offset + text.size(); }
    bool is(std::string_view other) const { return kind != TokenKind::literal && text == other; }
};

// A #define, with its continuation lines.
struct Macro {
    std::string_view text;  // from the # on
    std::size_t offset = 0;
};

// Bytes [begin, end) of a text.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool holds(std::size_t offset) const { return offset >= begin && offset < end; }
};

// A preprocessor directive, with its continuation lines.
struct Directive {
    std::string_view name;  // "if", "include"
    Span span;              // from the # to the end of its last line
    std::size_t rest = 0;   // where what follows the name begins
};

// Where `name` is in `text` as an identifier of its own, from `from` on; npos when it is not.
std::size_t find_identifier(std::string_view text, std::string_view name, std::size_t from);

// The text, its tokens, and which bracket closes which. Angle brackets count where they read as template arguments.
class Source {
public:
    // `first_line` is what the text's first line counts as. Throws Error with `path` and the line where a comment or a
    // literal is left open.
    // kLenient: a literal without an end, as in the prose of an #if 0, is left to the parser.
    enum Mode : std::uint8_t { kStrict, kLenient };
    Source(std::string path, std::string text, int first_line = 1, Mode mode = kStrict);
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    // Leaves out the tokens that a conditional directive hides, and finds the brackets' partners among the others.
    // Throws Error with the line of a bracket that has none.
    void hide(const std::vector<Span>& spans);
    // An Error that names the file and the line of token `index`.
    [[noreturn]] void fail(std::size_t index, const std::string& sentence) const;

    const std::string& path() const { return path_; }
    int first_line() const { return first_line_; }
    const std::string& text() const { return text_; }
    std::size_t size() const { return tokens_.size(); }
    const Token& operator[](std::size_t index) const { return tokens_[index]; }

    // Does token `index` exist and read `text`?
    bool is(std::size_t index, std::string_view text) const { return index < size() && tokens_[index].is(text); }
    bool is_identifier(std::size_t index) const {
        return index < size() && tokens_[index].kind == TokenKind::identifier;
    }

    // The token that closes the bracket at `index`; kNone where `index` opens nothing.
    std::size_t closing(std::size_t index) const { return closing_[index]; }
    // The next token on the same level: past the whole group where `index` opens one.
    std::size_t next(std::size_t index) const { return (closing_[index] == kNone ? index : closing_[index]) + 1; }

    // The first token at `offset` or after it; size() where there is none.
    std::size_t token_from(std::size_t offset) const;
    // The last token that ends at `offset` or before it; kNone where there is none.
    std::size_t token_until(std::size_t offset) const;

    // The text from token `first` to token `last`, both included, each run of white space made one space.
    std::string text_of(std::size_t first, std::size_t last) const;

    // The `#include <…>` directives of the file, as written, in order.
    const std::vector<std::string>& system_includes() const { return system_includes_; }
    const std::vector<Macro>& macros() const { return macros_; }
    // All of them, those of hidden parts too.
    const std::vector<Directive>& directives() const { return directives_; }

private:
    friend class Tokenizer;
    void match_brackets();
    bool closes_another(std::size_t index) const;
    std::size_t closing_angle(std::size_t open) const;

    std::string path_;
    std::string text_;
    int first_line_ = 1;
    Mode mode_ = kStrict;
    std::vector<Token> tokens_;
    std::vector<std::size_t> closing_;
    std::vector<std::string> system_includes_;
    std::vector<Macro> macros_;
    std::vector<Directive> directives_;
};

// Where the name is in an #include "…" of `source` that means the file of this path; nothing for any other
// directive.
std::optional<Span> included_file(const Source& source, const Directive& directive, const std::string& path);

}  // namespace lanewise::annotate
