#include "common/annotate/syntax/configurations.hpp"

#include <algorithm>

namespace lanewise::annotate {
namespace {

bool hidden_by(const std::vector<Span>& spans, std::size_t offset) {
    return std::any_of(spans.begin(), spans.end(), [&](const Span& span) { return span.holds(offset); });
}

// `#if WHATEVER` and `#ifdef WHATEVER` become `#if 1` or `#if 0`; `#elif WHATEVER` likewise.
void force(std::string& text, const Directive& directive, bool on) {
    if (directive.name == "else") return;
    const bool first = directive.name.starts_with("if");
    const std::size_t name = directive.rest - directive.name.size();
    blank(text, {name, directive.span.end});
    const std::string forced = std::string(first ? "if " : "elif ") + (on ? "1" : "0");
    text.replace(name, forced.size(), forced);
}

// The last > of a launch that begins at token `i`; kNone where it is none.
std::size_t end_of_launch(const Source& source, std::size_t i) {
    for (std::size_t k = i + 2; k + 1 < source.size() && !source.is(k, ";"); ++k)
        if (source.is(k, ">>") && source.is(k + 1, ">")) return k + 1;
    return kNone;
}

std::size_t end_of_asm(const Source& source, std::size_t i) {
    while (i + 1 < source.size() && source.is_identifier(i)) ++i;
    int depth = 0;
    for (; i < source.size(); ++i) {
        depth += source.is(i, "(") ? 1 : source.is(i, ")") ? -1 : 0;
        if (depth == 0) return source.is(i, ")") ? i : kNone;
    }
    return kNone;
}

}  // namespace

void blank(std::string& text, Span span) {
    const auto ends_line = [&](std::size_t i) { return i < text.size() && (text[i] == '\n' || text[i] == '\r'); };
    for (std::size_t i = span.begin; i < span.end && i < text.size(); ++i)
        if (!ends_line(i) && (text[i] != '\\' || !ends_line(i + 1))) text[i] = ' ';
}

std::vector<Chain> chains_of(const Source& source) {
    std::vector<Chain> chains;
    std::vector<std::size_t> open;
    for (const Directive& directive : source.directives()) {
        if (directive.name.starts_with("if")) {
            open.push_back(chains.size());
            chains.emplace_back();
        } else if (open.empty() || !(directive.name.starts_with("el") || directive.name == "endif")) {
            continue;
        } else {
            chains[open.back()].branches.back().body.end = directive.span.begin;
        }
        if (directive.name == "endif") open.pop_back();
        else chains[open.back()].branches.push_back({&directive, {directive.span.end, source.text().size()}, false});
    }
    return chains;
}

bool choose_next(std::vector<Chain>& chains, const std::vector<Span>& hidden) {
    bool more = false;
    for (Chain& chain : chains) {
        chain.chosen = chain.branches.size();
        for (std::size_t k = 0; k < chain.branches.size(); ++k) {
            if (hidden_by(hidden, chain.branches[k].body.begin)) continue;
            chain.branches[k].shown = true;
            chain.chosen = k;
        }
    }
    for (Chain& chain : chains) {
        for (std::size_t k = 0; k < chain.branches.size(); ++k) {
            if (chain.branches[k].shown) continue;
            chain.chosen = k;
            chain.forced = more = true;
            break;
        }
    }
    return more;
}

std::string text_for_parser(const Source& source, const std::vector<Chain>& chains) {
    std::string text = source.text();
    for (const Chain& chain : chains)
        if (chain.forced)
            for (std::size_t k = 0; k < chain.branches.size(); ++k)
                force(text, *chain.branches[k].directive, k == chain.chosen);
    for (std::size_t i = 0; i < source.size(); ++i) {
        std::size_t last = kNone;
        if (source.is(i, "<<") && source.is(i + 1, "<") && source[i + 1].offset == source[i].end())
            last = end_of_launch(source, i);
        if (source.is(i, "asm") || source.is(i, "__asm__") || source.is(i, "__asm")) last = end_of_asm(source, i);
        if (last != kNone) blank(text, {source[i].offset, source[last].end()});
    }
    return text;
}

std::vector<Span> without(const std::vector<Span>& wide, const std::vector<Span>& narrow) {
    std::vector<Span> result;
    for (Span span : wide) {
        for (const Span& hole : narrow) {
            if (hole.end <= span.begin || hole.begin >= span.end) continue;
            if (hole.begin > span.begin) result.push_back({span.begin, hole.begin});
            span.begin = std::min(hole.end, span.end);
        }
        if (span.begin < span.end) result.push_back(span);
    }
    return result;
}

}  // namespace lanewise::annotate
