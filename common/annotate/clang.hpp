// libclang's C interface with owners for what it hands out.
#pragma once

#include <clang-c/Index.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace lanewise::annotate {

struct DisposeIndex {
    void operator()(CXIndex index) const { clang_disposeIndex(index); }
};
struct DisposeUnit {
    void operator()(CXTranslationUnit unit) const { clang_disposeTranslationUnit(unit); }
};
using ClangIndex = std::unique_ptr<void, DisposeIndex>;
using ClangUnit = std::unique_ptr<std::remove_pointer_t<CXTranslationUnit>, DisposeUnit>;

inline std::string taken(CXString string) {
    const char* text = clang_getCString(string);
    std::string result = text ? text : "";
    clang_disposeString(string);
    return result;
}

inline std::vector<CXCursor> children(CXCursor cursor) {
    std::vector<CXCursor> result;
    clang_visitChildren(
        cursor,
        [](CXCursor child, CXCursor, CXClientData data) {
            static_cast<std::vector<CXCursor>*>(data)->push_back(child);
            return CXChildVisit_Continue;
        },
        &result);
    return result;
}

}  // namespace lanewise::annotate
