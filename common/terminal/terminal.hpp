// The terminal itself: its alternate screen and raw keys, given back however the program ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanewise::terminal {

// While it lives, the terminal shows the alternate screen without a cursor and hands over each key. Its end gives the
// terminal back as it was; so do Ctrl-C, a hang-up, a crash (then the signal goes on), and Ctrl-Z until the program
// continues. One at a time.
class Terminal {
public:
    // Throws Error where stdin or stdout is no terminal.
    static void require();
    Terminal();   // the same
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    struct Size {
        int columns = 80;
        int rows = 24;
        bool operator==(const Size&) const = default;
    };
    Size size() const;

    void write(std::string_view bytes) const;

    // Bytes of the keyboard; empty where `seconds` passed (negative: no end) or a signal came (the size changed, the
    // program continues after Ctrl-Z). Sets `ended` where there will be no more.
    std::string read(float seconds, bool& ended) const;

    // Was the screen lost since the last call (Ctrl-Z), so that all of it must be drawn again?
    bool must_redraw() const;
};

// Columns of the terminal that stdout is, at least 60 and at most `most`; `most` where it is none.
std::size_t columns_of_stdout(std::size_t most);

}  // namespace lanewise::terminal
