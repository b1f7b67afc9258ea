#include "common/own/program_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/own/contents.hpp"

namespace lanewise::own {

namespace {

constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 26;  // of a launch: some minutes

EntryType entry_type(const worker::TypeInfo& type, const std::string& name) {
    EntryType result{Element::u8, 1, type.is_class, name};
    if (type.element >= 0) {
        result.element = static_cast<Element>(type.element);
        result.per_entry = type.entry_bytes / static_cast<std::uint64_t>(element_size(result.element));
    } else if (type.entry_bytes > 0) {
        result.element = type.entry_bytes % 4 == 0 ? Element::u32 : Element::u8;
        result.per_entry = type.entry_bytes / static_cast<std::uint64_t>(element_size(result.element));
    }
    return result;
}

// "const float*" -> "float"
std::string pointee_name(std::string name) {
    while (!name.empty() && (name.back() == '*' || name.back() == ' ')) name.pop_back();
    if (name.starts_with("const ")) name.erase(0, 6);
    return name;
}

// Puts buffers and launches of one program together.
class Maker {
public:
    explicit Maker(const Compiled& compiled) : compiled_(compiled) {}

    void add(const VariableSpec& variable) {
        const auto& all = compiled_.library.variables;
        const auto info = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == variable.name; });
        if (info == all.end())
            fail_at(variable.line, variable.at, fmt::format("there is no variable '{}'.", variable.name));
        const EntryType type = entry_type(info->type, info->type.name);
        const auto* fill = std::get_if<Fill>(&variable.value);
        std::vector<std::byte> bytes;
        if (const auto* number = std::get_if<Number>(&variable.value)) {
            const Contents contents =
                place(variable, [&] { return make_contents({"list", 1, {*number}, {}}, type, compiled_.folder, 1); });
            bytes.assign(contents.bytes.begin(), contents.bytes.end());
        } else if (fill) {
            const Contents contents =
                place(variable, [&] { return make_contents(*fill, type, compiled_.folder, ++seed_); });
            bytes.assign(contents.bytes.begin(), contents.bytes.end());
            bytes.resize(contents.count * static_cast<std::uint64_t>(element_size(type.element)));
        } else {
            fail_at(variable.line, variable.at,
                    "a variable is given a number, a list, a fill such as ramp(16), or a file.");
        }
        if (bytes.size() > info->type.size)
            fail_at(variable.line, variable.at,
                    fmt::format("{} has {} bytes, and this is {}.", variable.name, info->type.size, bytes.size()));
        plan.variables.push_back({variable.name, info->place, std::move(bytes)});
    }

    void add(const Launch& launch) {
        const std::size_t index = compiled_.needs.instances.at(&launch);
        const auto& entry = compiled_.library.file.entries[index];
        const auto& types = compiled_.library.types[index];
        const auto found = compiled_.names.find(launch.kernel);
        const std::vector<std::string> names =
            found == compiled_.names.end() ? std::vector<std::string>() : found->second;
        if (launch.arguments.size() != types.size())
            fail_at(launch.line, launch.at,
                    fmt::format("{} takes {} argument{}, and {} {} given: {}", launch.kernel, types.size(),
                                types.size() == 1 ? "" : "s", launch.arguments.size(),
                                launch.arguments.size() == 1 ? "is" : "are", signature(entry, types, names)));
        launch::LaunchSpec spec;
        spec.kernel = entry.name;
        spec.arguments = entry.arguments;
        check_extents(launch);
        const auto side = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
        spec.grid = {side(launch.grid.x), side(launch.grid.y), side(launch.grid.z)};
        spec.block = {side(launch.block.x), side(launch.block.y), side(launch.block.z), side(launch.shared_bytes)};
        for (std::size_t i = 0; i < types.size(); ++i) {
            const std::string name =
                i < names.size() && !names[i].empty() ? names[i] : fmt::format("argument {}", i + 1);
            spec.values.push_back(argument(launch, launch.arguments[i], types[i], name));
        }
        plan.launches.push_back(std::move(spec));
    }

    launch::Plan plan;

private:
    template <class Make>
    Contents place(const VariableSpec& variable, Make make) {
        try {
            return make();
        } catch (const Error& error) {
            fail_at(variable.line, variable.at, error.what());
        }
    }

    static void check_extents(const Launch& launch) {
        const auto over = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return a > kMostThreads || b > kMostThreads || c > kMostThreads || a * b > kMostThreads ||
                   a * b * c > kMostThreads;
        };
        const bool grid = over(launch.grid.x, launch.grid.y, launch.grid.z);
        const std::uint64_t threads = launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 1024
                                          ? 1025
                                          : launch.block.x * launch.block.y * launch.block.z;
        if (threads > 1024)
            fail_at(launch.line, launch.at,
                    fmt::format("a block of {} threads: CUDA allows up to 1024.",
                                fmt::join({launch.block.x, launch.block.y, launch.block.z}, " x ")));
        if (grid || launch.grid.x * launch.grid.y * launch.grid.z * threads > kMostThreads)
            fail_at(
                launch.line, launch.at,
                fmt::format(
                    "{} blocks of {} threads are more than the {} threads that the emulator runs in a launch: give a "
                    "smaller grid; what a kernel does wrong mostly shows in a few blocks.",
                    fmt::join({launch.grid.x, launch.grid.y, launch.grid.z}, " x "), threads, kMostThreads));
    }

    launch::Argument argument(const Launch& launch, const ArgumentSpec& given, const worker::TypeInfo& type,
                              const std::string& name) {
        const auto fail = [&](const std::string& wanted) {
            fail_at(launch.line, given.at, fmt::format("{} of {} is {}: {}", name, launch.kernel, type.name, wanted));
        };
        if (type.size > launch::kMaxArgumentBytes)
            fail(fmt::format("it has {} bytes, and an argument may have {}.", type.size, launch::kMaxArgumentBytes));
        launch::Argument result{false, 0, 0, type.size, {}, {}};
        if (type.is_pointer) {
            if (std::holds_alternative<Null>(given.value)) return result;
            if (const auto* use = std::get_if<BufferUse>(&given.value)) return buffer(launch, given, *use, type, name);
            const auto* fill = std::get_if<Fill>(&given.value);
            if (!fill) fail("give it memory, such as random(1024) or zeros(1), a file, a buffer's name, or null.");
            const std::string buffer_name = given.name.empty() ? name : given.name;
            if (find(buffer_name)) {
                if (!given.name.empty())
                    fail_at(launch.line, given.at,
                            fmt::format("there is a buffer '{}' already; use its name alone.", buffer_name));
                return make(launch, given, *fill, type, fmt::format("{} {}", buffer_name, plan.buffers.size()));
            }
            return make(launch, given, *fill, type, buffer_name);
        }
        if (std::holds_alternative<Fill>(given.value)) fail("it takes a value and no memory; give a number.");
        if (std::holds_alternative<Null>(given.value)) fail("it is no pointer; give a number.");
        if (const auto* use = std::get_if<BufferUse>(&given.value))
            fail(fmt::format("it takes a number, or C++ in braces, and not '{}'.", use->name));
        if (std::holds_alternative<Code>(given.value)) {
            const std::uint32_t number = compiled_.needs.arguments.at(&given);
            for (const auto& made : compiled_.library.arguments)
                if (made.number == number && made.bytes.size() == type.size)
                    std::copy(made.bytes.begin(), made.bytes.end(), result.value.begin());
            for (const MemoryInCode& memory : std::get<Code>(given.value).memory)
                point_to(launch, memory, result, name);
            return result;
        }
        const Number& number = std::get<Number>(given.value);
        if (type.element < 0 ||
            type.entry_bytes != static_cast<std::uint32_t>(element_size(static_cast<Element>(type.element))))
            fail("give its fields in braces, as in {1, 2.5f} or {.n = 1}.");
        const auto element = static_cast<Element>(type.element);
        std::uint64_t bits = element_from_double(element, number.value);
        if (!is_float(element)) {
            if (!number.is_whole) fail(fmt::format("{} is no whole number.", number.value));
            bits = static_cast<std::uint64_t>(number.whole);
            const int size = element_size(element);
            const bool is_unsigned = element == Element::u8 || element == Element::u16 || element == Element::u32;
            const std::int64_t most = size == 8 ? std::numeric_limits<std::int64_t>::max()
                                                : (std::int64_t{1} << (8 * size - (is_unsigned ? 0 : 1))) - 1;
            const std::int64_t least = size == 8     ? std::numeric_limits<std::int64_t>::min()
                                       : is_unsigned ? 0
                                                     : -most - 1;
            if (number.whole < least || number.whole > most)
                fail(fmt::format("{} does not fit; it takes {} to {}.", number.whole, least, most));
        }
        std::memcpy(result.value.data(), &bits, type.size);
        return result;
    }

    // Where the library put a mark into a structure, the address of memory shall be.
    void point_to(const Launch& launch, const MemoryInCode& memory, launch::Argument& argument,
                  const std::string& parameter) {
        const auto number = compiled_.needs.memory.find(&memory);
        if (number == compiled_.needs.memory.end()) return;  // an enumerator
        const auto made = std::find_if(compiled_.library.memory.begin(), compiled_.library.memory.end(),
                                       [&](const auto& m) { return m.number == number->second; });
        if (made == compiled_.library.memory.end()) return;
        const std::uint64_t mark = prelude::kMemoryMark + number->second;
        for (std::uint32_t at = 0; at + sizeof mark <= argument.size; at += sizeof mark) {
            if (std::memcmp(argument.value.data() + at, &mark, sizeof mark) != 0) continue;
            std::memset(argument.value.data() + at, 0, sizeof mark);
            ArgumentSpec given{memory.name, {}, memory.at};
            launch::Argument pointer;
            if (const auto* use = std::get_if<BufferUse>(&memory.value)) {
                pointer = buffer(launch, given, *use, made->type, parameter);
            } else {
                std::string name = memory.name.empty() ? parameter : memory.name;
                if (find(name)) name += fmt::format(" {}", plan.buffers.size());
                pointer = make(launch, given, std::get<Fill>(memory.value), made->type, name);
            }
            argument.pointers.push_back({at, pointer.buffer, pointer.offset_bytes});
        }
    }

    const std::size_t* find(const std::string& name) const {
        const auto at = by_name_.find(name);
        return at == by_name_.end() ? nullptr : &at->second;
    }

    launch::Argument buffer(const Launch& launch, const ArgumentSpec& given, const BufferUse& use,
                            const worker::TypeInfo& type, const std::string& parameter) {
        const std::size_t* index = find(use.name);
        if (!index) {
            std::vector<std::string> names;
            for (const auto& b : plan.buffers) names.push_back(b.name);
            fail_at(launch.line, given.at,
                    fmt::format("there is no buffer '{}'{}; make it with {} = zeros(n) or another fill.", use.name,
                                names.empty()
                                    ? ""
                                    : fmt::format(" ({} there)", names.size() == 1
                                                                     ? names[0] + " is"
                                                                     : fmt::format("{} are", fmt::join(names, ", "))),
                                use.name));
        }
        const launch::BufferSpec& spec = plan.buffers[*index];
        const EntryType entry = entry_type(type, pointee_name(type.name));
        const auto size =
            static_cast<std::int64_t>(element_size(entry.element)) * static_cast<std::int64_t>(entry.per_entry);
        const std::int64_t offset = use.first * size;
        if (offset < 0 || static_cast<std::uint64_t>(offset) > spec.bytes())
            fail_at(launch.line, given.at,
                    fmt::format("{} of {}: {} has {} elements, so it cannot begin at number {}.", parameter,
                                launch.kernel, use.name, spec.count, use.first));
        return {true, *index, static_cast<std::uint64_t>(offset), sizeof(void*), {}, {}};
    }

    launch::Argument make(const Launch& launch, const ArgumentSpec& given, const Fill& fill,
                          const worker::TypeInfo& type, const std::string& name) {
        const EntryType entry = entry_type(type, pointee_name(type.name));
        Contents contents;
        try {
            if (fill.kind == "random" || fill.kind == "mean" || fill.kind == "cancel" || fill.kind == "huge") ++seed_;
            contents = make_contents(fill, entry, compiled_.folder, std::max<std::uint64_t>(1, seed_), bytes_);
        } catch (const Error& error) {
            fail_at(launch.line, given.at, error.what());
        }
        launch::BufferSpec spec;
        spec.name = name;
        spec.element = entry.element;
        spec.count = contents.count;
        spec.role = contents.is_undefined ? launch::BufferRole::scratch
                    : contents.is_zero    ? launch::BufferRole::output
                                          : launch::BufferRole::input;
        spec.added_to = contents.is_zero;
        spec.contents = std::move(contents.bytes);
        bytes_ += spec.bytes();
        if (bytes_ > kMostBytes)
            fail_at(
                launch.line, given.at,
                fmt::format("with this one all arguments take {:.1f} GB, and they may have {} GB: give fewer elements.",
                            static_cast<double>(bytes_) / (1u << 30), kMostBytes >> 30));
        by_name_[name] = plan.buffers.size();
        plan.buffers.push_back(std::move(spec));
        return {true, plan.buffers.size() - 1, 0, sizeof(void*), {}, {}};
    }

    const Compiled& compiled_;
    std::map<std::string, std::size_t> by_name_;
    std::uint64_t bytes_ = 0, seed_ = 0;
};

}  // namespace

std::string signature(const launch::BuiltEntry& entry, const std::vector<worker::TypeInfo>& types,
                      const std::vector<std::string>& names) {
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < types.size(); ++i)
        parameters.push_back(i < names.size() && !names[i].empty() ? types[i].name + " " + names[i] : types[i].name);
    return fmt::format("{}{}({})", entry.name, entry.arguments.empty() ? "" : "<" + entry.arguments + ">",
                       fmt::join(parameters, ", "));
}

namespace {

// The buffers that a launch gives names to.
void note_buffers(const Launch& launch, std::set<std::string>& names) {
    for (const ArgumentSpec& argument : launch.arguments) {
        if (!argument.name.empty()) names.insert(argument.name);
        if (const auto* code = std::get_if<Code>(&argument.value))
            for (const MemoryInCode& memory : code->memory)
                if (!memory.name.empty()) names.insert(memory.name);
    }
}

// What the compiler gets to read: a mark for each piece of memory.
std::string text_of(const Code& code, const std::set<std::string>& buffers, Needs& needs) {
    std::string text;
    auto memory = code.memory.begin();
    for (const char c : code.text) {
        if (c != Code::kMemoryHere || memory == code.memory.end()) {
            text += c;
            continue;
        }
        const auto* use = std::get_if<BufferUse>(&memory->value);
        if (use && !buffers.contains(use->name)) {
            text += memory->text;
        } else {
            const auto number = static_cast<std::uint32_t>(needs.memory.size());
            needs.memory[&*memory] = number;
            text += fmt::format("::lanewise_emulated::Memory<{}>{{}}", number);
        }
        ++memory;
    }
    return text;
}

}  // namespace

Needs needs_of(const std::vector<Program>& programs, const std::filesystem::path& file) {
    Needs needs;
    needs.request.file = file;
    std::set<std::string> buffers;
    for (const Program& program : programs)
        for (const Launch& launch : program.launches) note_buffers(launch, buffers);
    const auto add = [&](const Launch& launch) {
        auto& all = needs.request.instances;
        const compile::Instance wanted{launch.kernel, launch.template_arguments, 32, launch.line.line};
        auto at = std::find_if(all.begin(), all.end(), [&](const compile::Instance& i) {
            return i.name == wanted.name && i.arguments == wanted.arguments;
        });
        if (at == all.end()) at = all.insert(all.end(), wanted);
        needs.instances[&launch] = static_cast<std::size_t>(at - all.begin());
        for (std::size_t i = 0; i < launch.arguments.size(); ++i)
            if (const auto* code = std::get_if<Code>(&launch.arguments[i].value)) {
                needs.arguments[&launch.arguments[i]] = static_cast<std::uint32_t>(needs.request.arguments.size());
                needs.request.arguments.push_back(
                    {wanted, static_cast<unsigned>(i), text_of(*code, buffers, needs), launch.line.line});
            }
    };
    for (const Program& program : programs) {
        for (const VariableSpec& variable : program.variables)
            if (auto& names = needs.request.variables;
                std::find(names.begin(), names.end(), variable.name) == names.end())
                names.push_back(variable.name);
        for (const Launch& launch : program.launches) add(launch);
        for (const Expectation& expectation : program.expectations)
            if (const auto* launch = std::get_if<Launch>(&expectation.right)) add(*launch);
    }
    return needs;
}

launch::Plan make_launches(const std::vector<VariableSpec>& variables, const std::vector<const Launch*>& launches,
                           const Compiled& compiled) {
    Maker maker(compiled);
    for (const VariableSpec& variable : variables) maker.add(variable);
    for (const Launch* launch : launches) maker.add(*launch);
    return std::move(maker.plan);
}

}  // namespace lanewise::own
