// Text from a file, fit to be shown: a terminal obeys control characters, and a window has no picture for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanewise {

// `text` with U+FFFD in place of each control character and of each byte that is not UTF-8.
inline std::string plain_text(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::size_t length = byte < 0x80                  ? 1
                                   : byte >= 0xc2 && byte < 0xe0 ? 2
                                   : byte >= 0xe0 && byte < 0xf0 ? 3
                                   : byte >= 0xf0 && byte < 0xf5 ? 4
                                                                 : 0;
        bool whole = length > 0 && at + length <= text.size();
        for (std::size_t k = 1; whole && k < length; ++k)
            whole = (static_cast<unsigned char>(text[at + k]) & 0xc0) == 0x80;
        // U+0000…U+001F, U+007F, and U+0080…U+009F, which some terminals obey, too.
        const bool control = whole && (byte < 0x20 || byte == 0x7f ||
                                       (byte == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0));
        if (whole && !control) plain.append(text.substr(at, length));
        else plain += "\uFFFD";
        at += whole ? length : 1;
    }
    return plain;
}

}  // namespace lanewise
