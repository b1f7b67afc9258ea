#include "common/terminal/keys.hpp"

#include <cctype>

namespace lanewise::terminal {
namespace {

using player::Key;

KeyPress press_of(char c) {
    if (c == '\t') return {Key::tab, false};
    if (c == ' ') return {Key::space, false};
    if (c == '=') return {player::letter('+'), false};   // + without Shift
    if (c == '_') return {player::letter('-'), false};
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte)) return {player::letter(static_cast<char>(std::toupper(byte))), std::isupper(byte) != 0};
    if (std::isgraph(byte)) return {player::letter(c), false};
    return {};
}

// "[1;2C": what follows Esc, in the forms of xterm, rxvt, the Linux console and tmux.
KeyPress press_of_sequence(std::string_view sequence) {
    if (sequence == "[Z") return {Key::tab, true};
    const char last = sequence.back();
    const std::size_t semicolon = sequence.find(';');
    const bool shift = (semicolon != sequence.npos && sequence.substr(semicolon + 1, 1) == "2") ||
                       (last >= 'a' && last <= 'd');  // rxvt
    switch (last) {
        case 'A': case 'a': return {Key::up, shift};
        case 'B': case 'b': return {Key::down, shift};
        case 'C': case 'c': return {Key::right, shift};
        case 'D': case 'd': return {Key::left, shift};
        case 'H': return {Key::home, shift};
        case 'F': return {Key::end, shift};
        case '~': {
            const char number = sequence.size() > 1 ? sequence[1] : '0';
            const bool alone = sequence.size() == 3 || (sequence.size() > 3 && sequence[2] == ';');
            if (alone && (number == '1' || number == '7')) return {Key::home, shift};
            if (alone && (number == '4' || number == '8')) return {Key::end, shift};
            return {};
        }
        default: return {};
    }
}

}  // namespace

std::vector<KeyPress> KeyDecoder::feed(std::string_view bytes) {
    std::vector<KeyPress> keys;
    const auto add = [&](const KeyPress& press) {
        if (press.key != Key::none) keys.push_back(press);
    };
    rest_ += bytes;
    while (!rest_.empty()) {
        if (rest_[0] != '\033') {
            add(press_of(rest_[0]));
            rest_.erase(0, 1);
            continue;
        }
        if (rest_.size() == 1) break;   // more may come
        if (rest_[1] != '[' && rest_[1] != 'O') {
            add({Key::escape, false});
            rest_.erase(0, 1);
            continue;
        }
        std::size_t end = 2;   // a sequence ends at its first letter or ~
        while (end < rest_.size() && static_cast<unsigned char>(rest_[end]) < 0x40 && rest_[end] != '\033') ++end;
        if (end == rest_.size() && rest_.size() < 16) break;
        if (end < rest_.size() && rest_[end] != '\033') add(press_of_sequence(std::string_view(rest_).substr(1, end)));
        rest_.erase(0, end < rest_.size() && rest_[end] != '\033' ? end + 1 : end);
    }
    return keys;
}

std::vector<KeyPress> KeyDecoder::settle() {
    const bool escape = !rest_.empty();
    rest_.clear();
    return escape ? std::vector<KeyPress>{{Key::escape, false}} : std::vector<KeyPress>{};
}

}  // namespace lanewise::terminal
