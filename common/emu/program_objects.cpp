#include "common/emu/program_objects.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

namespace lanewise::emu {

namespace {

// Each build of a kernel file is in a namespace of its own, named so by the wrappers (common/annotate/wrappers.cpp).
constexpr std::string_view kNamespace = "kernels_";

bool is_of_kernels(std::string_view mangled) {
    const std::size_t at = mangled.find(kNamespace);
    return mangled.starts_with("_Z") && at != mangled.npos && std::isdigit(static_cast<unsigned char>(mangled[at - 1]));
}

// "kernels_x_emulated::f(int)::own" -> "own"
std::string short_name(const char* mangled) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> whole(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                            &std::free);
    const std::string name = status == 0 ? whole.get() : mangled;
    const std::size_t last = name.rfind("::");
    return last == std::string::npos ? name : name.substr(last + 2);
}

struct Reader {
    int file;
    Elf* elf;
    explicit Reader(const char* path) : file(open(path, O_RDONLY | O_CLOEXEC)) {
        elf_version(EV_CURRENT);
        elf = file < 0 ? nullptr : elf_begin(file, ELF_C_READ_MMAP, nullptr);
    }
    ~Reader() {
        elf_end(elf);
        if (file >= 0) close(file);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    template <class Each>
    void sections_of(std::uint32_t type, Each each) const {
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) && header.sh_type == type && header.sh_entsize != 0)
                if (Elf_Data* data = elf_getdata(section, nullptr)) each(header, data);
        }
    }
};

}  // namespace

void ProgramObjects::read(const char* path, const void* base) {
    const Reader reader(path);
    std::size_t parts = 0;
    if (!reader.elf || elf_getphdrnum(reader.elf, &parts) != 0) return;
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        GElf_Phdr part;
        if (!gelf_getphdr(reader.elf, static_cast<int>(i), &part) || part.p_type != PT_LOAD) continue;
        lowest = std::min(lowest, part.p_vaddr & ~std::uint64_t{0xfff});
        highest = std::max(highest, part.p_vaddr + part.p_memsz);
    }
    const std::uint64_t moved = reinterpret_cast<std::uint64_t>(base) - lowest;
    begin_ = static_cast<const std::byte*>(base);
    end_ = reinterpret_cast<const std::byte*>(moved + highest);
    reader.sections_of(SHT_SYMTAB, [&](const GElf_Shdr& table, Elf_Data* data) {
        for (std::size_t i = 0; i < table.sh_size / table.sh_entsize; ++i) {
            GElf_Sym symbol;
            GElf_Shdr home;
            if (!gelf_getsym(data, static_cast<int>(i), &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
                continue;
            const char* name = elf_strptr(reader.elf, table.sh_link, symbol.st_name);
            if (!name || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF || !is_of_kernels(name)) continue;
            Elf_Scn* section = elf_getscn(reader.elf, symbol.st_shndx);
            if (!section || !gelf_getshdr(section, &home) || !(home.sh_flags & SHF_WRITE)) continue;
            ProgramObject object{short_name(name), reinterpret_cast<std::byte*>(moved + symbol.st_value),
                                 symbol.st_size, {}};
            const Elf_Data* held = home.sh_type == SHT_NOBITS ? nullptr : elf_getdata(section, nullptr);
            const std::uint64_t at = symbol.st_value - home.sh_addr;
            if (held && at + symbol.st_size <= held->d_size) {
                const auto* bytes = static_cast<const std::byte*>(held->d_buf) + at;
                object.initial.assign(bytes, bytes + symbol.st_size);
            }
            objects_.push_back(std::move(object));
        }
    });
    std::sort(objects_.begin(), objects_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    // An address that a variable holds from the start was moved with the program.
    reader.sections_of(SHT_RELA, [&](const GElf_Shdr& table, Elf_Data* data) {
        for (std::size_t i = 0; i < table.sh_size / table.sh_entsize; ++i) {
            GElf_Rela change;
            if (!gelf_getrela(data, static_cast<int>(i), &change) || change.r_offset < lowest) continue;
            const auto* place = reinterpret_cast<const std::byte*>(moved + change.r_offset);
            const ProgramObject* object = find(place);
            if (!object || object->initial.empty() || GELF_R_SYM(change.r_info) != 0) continue;
            const std::uint64_t value = moved + static_cast<std::uint64_t>(change.r_addend);
            auto& initial = objects_[static_cast<std::size_t>(object - objects_.data())].initial;
            std::memcpy(initial.data() + (place - object->begin), &value, sizeof value);
        }
    });
}

std::shared_ptr<const ProgramObjects> ProgramObjects::of(const void* code) {
    Dl_info info{}, self{};
    if (!dladdr(code, &info) || !info.dli_fname) return std::make_shared<const ProgramObjects>();
    const auto read_from = [](const char* path, const void* base) {
        auto objects = std::make_shared<ProgramObjects>();
        objects->read(path, base);
        return std::shared_ptr<const ProgramObjects>(std::move(objects));
    };
    const bool own = dladdr(reinterpret_cast<const void*>(&is_of_kernels), &self) && self.dli_fbase == info.dli_fbase;
    if (!own) return read_from(info.dli_fname, info.dli_fbase);
    // The program itself does not change while it runs, and is named as it was called, which need not be a path.
    static const auto program = read_from("/proc/self/exe", self.dli_fbase);
    return program;
}

void ProgramObjects::reset() const {
    for (const ProgramObject& object : objects_) {
        if (object.initial.empty()) std::memset(object.begin, 0, object.bytes);
        else std::memcpy(object.begin, object.initial.data(), object.bytes);
    }
}

const ProgramObject* ProgramObjects::find(const void* address) const {
    const auto after =
        std::upper_bound(objects_.begin(), objects_.end(), static_cast<const std::byte*>(address),
                         [](const std::byte* at, const ProgramObject& object) { return at < object.begin; });
    if (after == objects_.begin()) return nullptr;
    const ProgramObject& object = *std::prev(after);
    return address < object.begin + object.bytes ? &object : nullptr;
}

}  // namespace lanewise::emu
