#include "viz/widgets/code_text.hpp"

#include <algorithm>

namespace lanewise::viz {

std::vector<CodePiece> wrap_code(std::string_view line, int columns) {
    std::vector<CodePiece> pieces;
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
    const int indent = std::min(static_cast<int>(own) + 4, std::max(columns / 2, 0));
    std::size_t begin = 0;
    do {
        const int start = pieces.empty() ? 0 : indent;
        const auto room = static_cast<std::size_t>(std::max(columns - start, 8));
        std::size_t size = std::min(line.size() - begin, room);
        if (begin + size < line.size()) {
            // Break at the last space that leaves something on this piece.
            const std::size_t space = line.rfind(' ', begin + size);
            const std::size_t least = pieces.empty() ? own + 1 : begin + 1;
            if (space != std::string_view::npos && space > least) size = space - begin;
        }
        pieces.push_back({begin, size, start});
        begin += size;
        while (begin < line.size() && line[begin] == ' ') ++begin;
    } while (begin < line.size());
    return pieces;
}

void code_piece(const Brush& brush, Face face, Point at, const CodeLine& line, const CodePiece& piece) {
    const Theme& colors = brush.colors();
    const float advance = (*brush.look.fonts)[face].digit;
    const float origin = at.x + static_cast<float>(piece.indent) * advance;
    for (const Token& token : line.tokens) {
        const std::size_t begin = std::max(token.begin, piece.begin);
        const std::size_t end = std::min(token.begin + token.size, piece.begin + piece.size);
        if (begin >= end) continue;
        Color color = colors.text;
        switch (token.kind) {
            case TokenKind::keyword: color = colors.keyword; break;
            case TokenKind::intrinsic: color = colors.intrinsic; break;
            case TokenKind::literal: color = colors.literal; break;
            case TokenKind::comment: color = colors.comment; break;
            case TokenKind::plain: break;
        }
        text(brush, face, {origin + static_cast<float>(begin - piece.begin) * advance, at.y}, color,
             std::string_view(line.text).substr(begin, end - begin));
    }
}

}  // namespace lanewise::viz
