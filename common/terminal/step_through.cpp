#include <chrono>
#include <cstdlib>
#include <optional>

#include "common/terminal/keys.hpp"
#include "common/terminal/stepper.hpp"
#include "common/terminal/terminal.hpp"

namespace lanewise::terminal {
namespace {

constexpr float kEscapeWait = 0.05f;   // seconds: then it was the key, not the beginning of a sequence

Depth depth_for(int color) {
    const char* more = std::getenv("COLORTERM");
    const char* term = std::getenv("TERM");
    if (color < 0) return Depth::none;
    if (color == 0) return depth_of(std::getenv("NO_COLOR"), more, term);
    const Depth found = depth_of(nullptr, more, term);
    return found == Depth::none ? Depth::palette : found;
}

}  // namespace

void step_through(const Request& request) {
    const Depth depth = depth_for(request.color);
    Terminal::require();   // first: what runs long should not end in "there is no terminal"
    Stepper stepper(request);
    Terminal terminal;
    KeyDecoder keys;
    std::optional<Screen> last;
    auto time = std::chrono::steady_clock::now();
    for (bool going = true, ended = false; going && !ended;) {
        if (terminal.must_redraw()) last.reset();
        const auto size = terminal.size();
        Screen next = stepper.draw(size.columns, size.rows);
        terminal.write(next.sequences(last ? &*last : nullptr, depth));
        last = std::move(next);
        const float wait = keys.waits() ? kEscapeWait : stepper.until_change();
        const std::string bytes = terminal.read(wait, ended);
        const auto now = std::chrono::steady_clock::now();
        stepper.advance(std::chrono::duration<float>(now - time).count());
        time = now;
        const auto apply = [&](const std::vector<KeyPress>& presses) {
            for (const KeyPress& press : presses)
                if (const auto intent = player::intent_of_key(press.key, press.shift, player::Surface::terminal))
                    going = going && stepper.apply(*intent);
        };
        if (bytes.empty()) apply(keys.settle());
        // One by one: from the key that opens a line on, they are what is typed in it.
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            if (!stepper.typing()) {
                apply(keys.feed(bytes.substr(at, 1)));
                continue;
            }
            if (bytes[at] == '\x1b' && at + 1 < bytes.size()) break;   // an arrow or the like: nothing here
            stepper.type(bytes.substr(at, 1));
        }
    }
}

}  // namespace lanewise::terminal
