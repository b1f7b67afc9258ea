// A reader of XML for tests: what is not well-formed is an error, what is in it comes back in order.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::viz::testing {

struct XmlElement {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;   // directly within it
};

class XmlReader {
public:
    // All elements, as they begin. Throws std::runtime_error that says what is wrong and where.
    static std::vector<XmlElement> read(std::string_view document) {
        XmlReader reader(document);
        reader.document();
        return std::move(reader.elements_);
    }

private:
    explicit XmlReader(std::string_view document) : rest_(document), size_(document.size()) {}

    void document() {
        if (take("<?xml ")) {
            const std::size_t end = rest_.find("?>");
            if (end == rest_.npos) fail("the declaration has no end");
            rest_.remove_prefix(end + 2);
        }
        std::vector<std::size_t> open;
        bool had_root = false;
        while (true) {
            const std::string sentence = content();
            if (!open.empty()) elements_[open.back()].text += sentence;
            else if (sentence.find_first_not_of(" \n\t\r") != sentence.npos) fail("text stands outside the root");
            if (rest_.empty()) break;
            if (take("</")) {
                const std::string closed = name();
                if (open.empty() || elements_[open.back()].name != closed) fail("</" + closed + "> closes nothing");
                need(">");
                open.pop_back();
                continue;
            }
            need("<");
            if (open.empty() && had_root) fail("there is a second root");
            had_root = true;
            elements_.push_back({name(), {}, {}});
            if (attributes(elements_.back())) open.push_back(elements_.size() - 1);
        }
        if (!open.empty()) fail("<" + elements_[open.back()].name + "> is not closed");
        if (!had_root) fail("there is no element");
    }

    // Up to the end of the tag; true where the element continues.
    bool attributes(XmlElement& element) {
        while (true) {
            const bool apart = space();
            if (take("/>")) return false;
            if (take(">")) return true;
            if (!apart) fail("attributes stand too close");
            const std::string key = name();
            need("=");
            if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) fail("a value is not quoted");
            const char quote = rest_.front();
            rest_.remove_prefix(1);
            std::string value;
            while (!rest_.empty() && rest_.front() != quote) value += letter();
            need(std::string_view(&quote, 1));
            if (!element.attributes.emplace(key, value).second) fail(key + " is given twice");
        }
    }

    std::string content() {
        std::string text;
        while (!rest_.empty() && rest_.front() != '<') text += letter();
        return text;
    }

    // One byte, or what an entity stands for.
    std::string letter() {
        if (rest_.front() == '<') fail("< stands within a value");
        for (const auto& [entity, meaning] :
             {std::pair{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}})
            if (take(entity)) return meaning;
        if (rest_.front() == '&') fail("an entity is not known");
        if (static_cast<unsigned char>(rest_.front()) < 0x20 &&
            !std::isspace(static_cast<unsigned char>(rest_.front())))
            fail("a control character");
        const std::string one(1, rest_.front());
        rest_.remove_prefix(1);
        return one;
    }

    std::string name() {
        std::size_t n = 0;
        while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '-' ||
                                    rest_[n] == '_' || rest_[n] == ':'))
            ++n;
        if (n == 0 || std::isdigit(static_cast<unsigned char>(rest_.front()))) fail("a name is missing");
        const std::string found(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return found;
    }

    bool space() {
        const std::size_t before = rest_.size();
        while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
        return rest_.size() < before;
    }
    bool take(std::string_view what) {
        if (!rest_.starts_with(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }
    void need(std::string_view what) {
        if (!take(what)) fail(std::string(what) + " is missing");
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + " at byte " + std::to_string(size_ - rest_.size()) + ": " +
                                 std::string(rest_.substr(0, 60)));
    }

    std::string_view rest_;
    std::size_t size_;
    std::vector<XmlElement> elements_;
};

}  // namespace lanewise::viz::testing
