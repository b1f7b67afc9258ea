#include "common/emu/source_lines.hpp"

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace lanewise::emu {

namespace {

bool is_kernel_text(const char* file) {
    if (!file) return false;
    const std::string_view path(file);
    return path.find("/common/prelude/") == path.npos && !path.starts_with("/usr/");
}

// Text that lanes run, and no part of what calls them or is called by them.
bool is_lanes_text(const char* file) {
    if (!is_kernel_text(file) || file[0] != '/') return false;   // a system library's text has no place here
    const std::string_view path(file);
    return !path.ends_with(".cpp") && !path.ends_with(".inc") && !path.ends_with(".c");
}

struct Free {
    void operator()(Dwarf_Die* dies) const { std::free(dies); }
};

// Is a function, or an inlined copy of one, given an address?
bool is_given_address(Dwarf_Die* function) {
    Dwarf_Die child;
    for (int more = dwarf_child(function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
        Dwarf_Attribute attribute;
        Dwarf_Die named, type;
        if (!dwarf_formref_die(dwarf_attr_integrate(&child, DW_AT_type, &attribute), &named)) continue;
        if (dwarf_peel_type(&named, &type) != 0) continue;
        const int tag = dwarf_tag(&type);
        if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
            return true;
    }
    return false;
}

// The call that brought inlined code here, out of the prelude and into the kernel's text. `reader`: only where that
// code is of the function of this name, which reads what it is given; that comes from the caller of functions that are
// given values alone, as `widened(in[i])`.
SourcePlace outer_call(Dwarf_Die* unit, Dwarf_Addr address, const char* reader = nullptr) {
    // Of inlined code dwarf_getscopes() continues with where it was written; dwarf_getscopes_die() with who called it.
    Dwarf_Die* innermost = nullptr;
    const bool any = dwarf_getscopes(unit, address, &innermost) > 0;
    const std::unique_ptr<Dwarf_Die, Free> written(innermost);
    Dwarf_Die* raw = nullptr;
    const int count = any ? dwarf_getscopes_die(innermost, &raw) : 0;
    const std::unique_ptr<Dwarf_Die, Free> scopes(raw);
    Dwarf_Files* files = nullptr;
    if (count <= 0 || dwarf_getsrcfiles(unit, &files, nullptr) != 0) return {};
    if (const char* name = dwarf_diename(&raw[0]); reader && (!name || std::string_view(name) != reader)) return {};
    for (int i = 0; i < count; ++i) {
        if (dwarf_tag(&raw[i]) != DW_TAG_inlined_subroutine) continue;
        Dwarf_Attribute attribute;
        Dwarf_Word file = 0, line = 0, column = 0;
        if (dwarf_formudata(dwarf_attr(&raw[i], DW_AT_call_file, &attribute), &file) != 0) continue;
        if (!is_kernel_text(dwarf_filesrc(files, file, nullptr, nullptr))) continue;
        int around = i + 1;   // the function that calls
        while (around < count && dwarf_tag(&raw[around]) == DW_TAG_lexical_block) ++around;
        const bool is_inlined = around < count && dwarf_tag(&raw[around]) == DW_TAG_inlined_subroutine;
        if (reader && is_inlined && !is_given_address(&raw[around])) continue;
        if (dwarf_formudata(dwarf_attr(&raw[i], DW_AT_call_line, &attribute), &line) != 0) continue;
        dwarf_formudata(dwarf_attr(&raw[i], DW_AT_call_column, &attribute), &column);
        return {static_cast<int>(line), static_cast<int>(column)};
    }
    return {};
}

}  // namespace

struct SourceLines::Reader {
    Dwfl_Callbacks callbacks{};
    Dwfl* dwfl = nullptr;
    std::unordered_map<const void*, Dwfl_Module*> modules;  // by load address

    Dwfl_Module* library = nullptr;                         // that another process loaded
    Dwarf_Addr library_begin = 0, library_end = 0;

    explicit Reader(const Library& loaded) {
        callbacks.find_elf = dwfl_build_id_find_elf;
        callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
        dwfl = dwfl_begin(&callbacks);
        if (loaded.base == 0) return;
        dwfl_report_begin_add(dwfl);
        library = dwfl_report_elf(dwfl, loaded.path.c_str(), loaded.path.c_str(), -1, loaded.base, false);
        dwfl_report_end(dwfl, nullptr, nullptr);
        if (library)
            dwfl_module_info(library, nullptr, &library_begin, &library_end, nullptr, nullptr, nullptr, nullptr);
    }
    ~Reader() { dwfl_end(dwfl); }

    Dwfl_Module* module_of(const void* address) {
        const auto place = reinterpret_cast<Dwarf_Addr>(address);
        if (library && place >= library_begin && place <= library_end) return library;
        Dl_info info{};
        if (!dladdr(address, &info) || !info.dli_fname) return nullptr;
        const auto known = modules.find(info.dli_fbase);
        if (known != modules.end()) return known->second;
        // The program itself is named as it was called, which need not be a path from here.
        const char* path = info.dli_fname;
        Dl_info self{};
        if (dladdr(reinterpret_cast<const void*>(&is_kernel_text), &self) && self.dli_fbase == info.dli_fbase)
            path = "/proc/self/exe";
        dwfl_report_begin_add(dwfl);
        Dwfl_Module* module = dwfl_report_elf(dwfl, path, path, -1, reinterpret_cast<GElf_Addr>(info.dli_fbase), false);
        dwfl_report_end(dwfl, nullptr, nullptr);
        modules[info.dli_fbase] = module;
        return module;
    }

    std::vector<CodeRange> unit_of(const void* code) {
        Dwfl_Module* module = module_of(code);
        Dwarf_Addr bias = 0;
        Dwarf_Die* unit = module ? dwfl_module_addrdie(module, reinterpret_cast<Dwarf_Addr>(code), &bias) : nullptr;
        std::vector<CodeRange> ranges;
        Dwarf_Addr base = 0, begin = 0, end = 0;
        for (std::ptrdiff_t at = 0; unit && (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
            ranges.push_back({begin + bias, end + bias});
        return ranges;
    }

    int line_of_function(const void* code, std::string_view name) {
        struct Wanted {
            std::string_view name;
            int line = 0;
        } wanted{name};
        Dwfl_Module* module = module_of(code);
        Dwarf_Addr bias = 0;
        Dwarf_Die* unit = module ? dwfl_module_addrdie(module, reinterpret_cast<Dwarf_Addr>(code), &bias) : nullptr;
        const auto look = [](Dwarf_Die* function, void* to) -> int {
            auto& want = *static_cast<Wanted*>(to);
            const char* here = dwarf_diename(function);
            const std::string_view bare =
                here ? std::string_view(here).substr(0, std::string_view(here).find('<')) : "";
            if (bare != want.name || !is_lanes_text(dwarf_decl_file(function))) return DWARF_CB_OK;
            dwarf_decl_line(function, &want.line);
            return DWARF_CB_ABORT;
        };
        if (unit) dwarf_getfuncs(unit, look, &wanted, 0);
        return wanted.line;
    }

    SourcePlace find(const void* return_address, bool (*is_wanted)(const char*) = is_kernel_text) {
        Dwfl_Module* module = module_of(return_address);
        if (!module) return {};
        const Dwarf_Addr address = reinterpret_cast<Dwarf_Addr>(return_address) - 1;  // inside the call
        // GCC gives the hook's call no line where the prelude's value() of 16 bits is what reads: the read has one.
        if (is_wanted == is_kernel_text)
            if (const SourcePlace read = value_read_at(module, address + 1); read.line != 0) return read;
        Dwfl_Line* found = dwfl_module_getsrc(module, address);
        int line = 0, column = 0;
        const char* file = found ? dwfl_lineinfo(found, nullptr, &line, &column, nullptr, nullptr) : nullptr;
        if (is_wanted(file)) return {line, column};
        if (is_kernel_text(file)) return {};
        Dwarf_Addr bias = 0;
        Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
        return unit ? outer_call(unit, address - bias) : SourcePlace{};
    }

    // Where the kernel reads a value of 16 bits, if the code at this address is the read itself.
    static SourcePlace value_read_at(Dwfl_Module* module, Dwarf_Addr address) {
        Dwfl_Line* found = dwfl_module_getsrc(module, address);
        const char* file = found ? dwfl_lineinfo(found, nullptr, nullptr, nullptr, nullptr, nullptr) : nullptr;
        if (!file || !std::string_view(file).ends_with("emulated_half_types.inc")) return {};
        Dwarf_Addr bias = 0;
        Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
        return unit ? outer_call(unit, address - bias, "value") : SourcePlace{};
    }
};

SourceLines::SourceLines() = default;
SourceLines::~SourceLines() = default;

void SourceLines::library_at(const std::string& path, std::uint64_t base) {
    if (library_.path == path && library_.base == base) return;
    library_ = {path, base};
    reader_.reset();
    known_.clear();
}

SourceLines::Reader& SourceLines::reader() {
    if (!reader_) reader_ = std::make_unique<Reader>(library_);
    return *reader_;
}

SourcePlace SourceLines::find(const void* return_address) {
    const auto known = known_.find(return_address);
    if (known != known_.end()) return known->second;
    return known_[return_address] = reader().find(return_address);
}

SourcePlace SourceLines::find_kernel(const void* return_address) {
    const SourcePlace place = reader().find(return_address, is_lanes_text);
    if (place.line != 0) return place;
    // A jump that closes a loop may have no line of its own: the one before it.
    constexpr int kReach = 64;
    const auto unit = unit_of(return_address);
    const auto address = reinterpret_cast<std::uint64_t>(return_address);
    for (const CodeRange& range : unit)
        for (int back = 1; back < kReach && address > range.begin + back && address <= range.end; ++back)
            if (const auto before = reader().find(static_cast<const std::byte*>(return_address) - back, is_lanes_text);
                before.line != 0)
                return before;
    return {};
}

int SourceLines::line_of_function(const void* in_unit, std::string_view name) {
    return reader().line_of_function(in_unit, name);
}

std::vector<CodeRange> SourceLines::unit_of(const void* address) { return reader().unit_of(address); }

}  // namespace lanewise::emu
