#include "common/worker/library.hpp"

#include <csignal>
#include <exception>
#include <span>

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include "common/base/error.hpp"
#include "common/worker/message_fields.hpp"

namespace lanewise::worker {

template <class A>
void fields(A& a, TypeInfo& t) {
    a(t.name, t.size, t.is_pointer, t.is_written, t.is_class, t.element, t.entry_bytes);
}
template <class A>
void fields(A& a, VariableInfo& v) {
    a(v.name, v.place, v.type);
}
template <class A>
void fields(A& a, ArgumentBytes& b) {
    a(b.number, b.bytes);
}
template <class A>
void fields(A& a, MemoryInfo& m) {
    a(m.number, m.type);
}
template <class A>
void fields(A& a, LibraryContents& c) {
    a(c.file.build, c.file.entries, c.file.statements, c.file.shared_names, c.file.constant_names, c.file.file,
      c.file.architecture, c.types, c.arguments, c.variables, c.memory);
}

namespace {

// "… [with T = const float*]" -> "const float*"
std::string type_name(const char* pretty) {
    const std::string text = pretty ? pretty : "";
    const std::size_t at = text.find("T = ");
    if (at == text.npos || text.back() != ']') return text;
    std::string name = text.substr(at + 4, text.size() - at - 5);
    for (std::size_t space; (space = name.find("kernels_")) != name.npos;) {  // the wrapper's namespace
        const std::size_t end = name.find("::", space);
        if (end == name.npos) break;
        name.erase(space, end + 2 - space);
    }
    return name;
}

TypeInfo info_of(const prelude::RawType& raw) {
    return {type_name(raw.name), raw.size, raw.is_pointer, raw.is_written, raw.is_class, raw.element, raw.entry_bytes};
}

LibraryContents contents_of(const LoadedLibrary& library) {
    LibraryContents contents;
    contents.file = launch::import_file(launch::Build::emulated_traced, library.raw.file);
    for (auto& entry : contents.file.entries)
        entry.entry.address =
            reinterpret_cast<const void*>(reinterpret_cast<std::uint64_t>(entry.entry.address) - library.base);
    for (std::size_t i = 0; i < contents.file.entries.size(); ++i) {
        auto& types = contents.types.emplace_back();
        for (std::size_t p = 0; p < contents.file.entries[i].parameters.size(); ++p)
            types.push_back(info_of(library.raw.types[i][p]));
    }
    for (std::uint32_t i = 0; i < library.raw.argument_count; ++i) {
        const auto& raw = library.raw.arguments[i];
        const auto* bytes = static_cast<const std::byte*>(raw.bytes);
        contents.arguments.push_back({raw.number, {bytes, bytes + raw.size}});
    }
    for (std::uint32_t i = 0; i < library.raw.variable_count; ++i) {
        const auto& raw = library.raw.variables[i];
        contents.variables.push_back(
            {raw.name, reinterpret_cast<std::uint64_t>(raw.address) - library.base, info_of(raw.type)});
    }
    for (std::uint32_t i = 0; library.raw.memory && i < prelude::kMostMemory; ++i)
        if (library.raw.memory[i].name) contents.memory.push_back({i, info_of(library.raw.memory[i])});
    return contents;
}

// What a worker does for describe_library(). It answers with a sentence or with the contents.
void serve_description(int socket, const void*) {
    std::vector<std::byte> bytes;
    if (!receive_message(socket, bytes)) return;
    const rlimit memory{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_DATA, &memory);
    Packer pack;
    try {
        const LoadedLibrary library = load_library({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        LibraryContents contents = contents_of(library);
        pack(std::string(), contents);
    } catch (const std::exception& error) {
        pack(std::string(error.what()));
    }
    send_message(socket, pack.bytes());
}

}  // namespace

LoadedLibrary load_library(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(fmt::format("the compiled kernels could not be loaded: {}.", dlerror()));
    void* symbol = dlsym(handle, prelude::kLibraryFunction);
    Dl_info info{};
    if (!symbol || !dladdr(symbol, &info))
        throw Error(fmt::format("the compiled kernels could not be loaded: {} is no library of kernels.", path));
    LoadedLibrary library{reinterpret_cast<std::uint64_t>(info.dli_fbase), {}};
    reinterpret_cast<prelude::LibraryFunction>(symbol)(&library.raw);
    return library;
}

LibraryContents describe_library(Pool& pool, const std::string& path, double seconds) {
    const Child child = pool.make(serve_description, nullptr);
    send_message(child.socket(), std::as_bytes(std::span(path)));
    pollfd answer{child.socket(), POLLIN, 0};
    if (poll(&answer, 1, static_cast<int>(seconds * 1000)) == 0)
        throw Error(
            fmt::format("The code outside of kernels, which sets up variables, was still running after {:.3g} s and "
                        "was stopped: a kernel file's variables should be constants or set by kernels.",
                        seconds));
    std::vector<std::byte> bytes;
    if (!receive_message(child.socket(), bytes))
        throw Error(
            "The code outside of kernels, which sets up variables, ended the process it ran in: a kernel file's "
            "variables should be constants or set by kernels.");
    Unpacker unpack(bytes);
    std::string failure;
    unpack(failure);
    if (!failure.empty()) throw Error(failure);
    LibraryContents contents;
    unpack(contents);
    return contents;
}

}  // namespace lanewise::worker
