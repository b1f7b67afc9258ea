#include "viz/widgets/markdown.hpp"

#include <md4c.h>

namespace lanewise::viz {
namespace {

// Builds blocks from md4c's callbacks.
struct Reader {
    struct List {
        bool ordered = false;
        int next = 1;
    };
    std::vector<TextBlock> blocks;
    std::vector<List> lists;
    std::vector<Span> styles{Span{}};
    int quotes = 0;
    bool in_item = false;     // the next paragraph belongs to the item
    bool in_cell = false;
    bool in_header = false;

    TextBlock& open(BlockKind kind, int level = 0) {
        TextBlock block;
        block.kind = kind;
        block.level = level;
        block.quoted = quotes > 0;
        blocks.push_back(std::move(block));
        return blocks.back();
    }

    void add(std::string_view text) {
        if (blocks.empty()) open(BlockKind::paragraph);
        TextBlock& block = blocks.back();
        std::vector<Span>& spans = in_cell && !block.cells.empty() ? block.cells.back() : block.spans;
        Span span = styles.back();
        const bool same = !spans.empty() && spans.back().strong == span.strong && spans.back().code == span.code &&
                          spans.back().emphasis == span.emphasis && spans.back().link == span.link;
        if (same) {
            spans.back().text += text;
            return;
        }
        span.text = text;
        spans.push_back(std::move(span));
    }

    void enter(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_H:
                open(BlockKind::heading, static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level));
                break;
            case MD_BLOCK_P:
                if (!in_item) open(BlockKind::paragraph);
                in_item = false;
                break;
            case MD_BLOCK_CODE: open(BlockKind::code); break;
            case MD_BLOCK_HR: open(BlockKind::rule); break;
            case MD_BLOCK_QUOTE: ++quotes; break;
            case MD_BLOCK_UL: lists.push_back({false, 1}); break;
            case MD_BLOCK_OL:
                lists.push_back({true, static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)});
                break;
            case MD_BLOCK_LI: {
                TextBlock& item = open(BlockKind::item, static_cast<int>(lists.size()) - 1);
                if (!lists.empty() && lists.back().ordered) item.number = lists.back().next++;
                in_item = true;
                break;
            }
            case MD_BLOCK_THEAD: in_header = true; break;
            case MD_BLOCK_TR: open(BlockKind::table_row).header = in_header; break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                blocks.back().cells.emplace_back();
                in_cell = true;
                break;
            default: break;
        }
    }

    void leave(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_QUOTE: --quotes; break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL: lists.pop_back(); break;
            case MD_BLOCK_LI: in_item = false; break;
            case MD_BLOCK_THEAD: in_header = false; break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD: in_cell = false; break;
            default: break;
        }
    }

    void enter_span(MD_SPANTYPE type, void* detail) {
        Span style = styles.back();
        switch (type) {
            case MD_SPAN_STRONG: style.strong = true; break;
            case MD_SPAN_EM: style.emphasis = true; break;
            case MD_SPAN_CODE: style.code = true; break;
            case MD_SPAN_A: {
                const auto* link = static_cast<MD_SPAN_A_DETAIL*>(detail);
                style.link.assign(link->href.text, link->href.size);
                break;
            }
            default: break;
        }
        styles.push_back(std::move(style));
    }

    void text(MD_TEXTTYPE type, std::string_view text) {
        switch (type) {
            case MD_TEXT_BR: add("\n"); break;
            case MD_TEXT_SOFTBR: add(" "); break;
            case MD_TEXT_NULLCHAR: break;
            case MD_TEXT_ENTITY: add(entity(text)); break;
            default: add(text); break;
        }
    }

    static std::string_view entity(std::string_view name) {
        if (name == "&lt;") return "<";
        if (name == "&gt;") return ">";
        if (name == "&amp;") return "&";
        if (name == "&quot;") return "\"";
        if (name == "&nbsp;") return " ";
        return name;
    }
};

Reader& reader(void* user) { return *static_cast<Reader*>(user); }

}  // namespace

std::vector<TextBlock> read_markdown(std::string_view text) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        reader(user).enter(type, detail);
        return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { reader(user).leave(type); return 0; };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
        reader(user).enter_span(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE, void*, void* user) { reader(user).styles.pop_back(); return 0; };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* piece, MD_SIZE size, void* user) {
        reader(user).text(type, {piece, size});
        return 0;
    };
    Reader result;
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &result);
    return std::move(result.blocks);
}

}  // namespace lanewise::viz
