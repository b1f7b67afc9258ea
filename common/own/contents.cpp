#include "common/own/contents.hpp"

#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/lesson/inputs.hpp"
#include "common/own/npy.hpp"

namespace lanewise::own {

namespace fs = std::filesystem;

namespace {

Bytes bytes_of(const std::vector<double>& values, Element element) {
    const auto size = static_cast<std::size_t>(element_size(element));
    Bytes bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = element_from_double(element, values[i]);
        std::memcpy(bytes.data() + i * size, &bits, size);
    }
    return bytes;
}

// `count` numbers as the fill says, in double.
std::vector<double> generated(const Fill& fill, std::uint64_t count, Element element, std::uint64_t seed) {
    std::vector<double> values;
    const auto& n = fill.numbers;
    if (fill.kind == "fill") return std::vector<double>(count, n[0].value);
    if (fill.kind == "ones") return std::vector<double>(count, 1.0);
    if (fill.kind == "zeros") return std::vector<double>(count, 0.0);
    if (fill.kind == "list") {
        for (const Number& number : n) values.push_back(number.value);
        return values;
    }
    lesson::Inputs inputs;
    inputs.n = count;
    inputs.seed = seed;
    inputs.kind = fill.kind;
    values = inputs.part(0, count);
    if (fill.kind == "ramp" && !n.empty()) {
        const double step = n.size() > 1 ? n[1].value : 1;
        for (double& value : values) value = n[0].value + value * step;
    } else if (fill.kind == "random" && !n.empty()) {
        const double high = n.size() > 1 ? n[1].value : n[0].value, low = n.size() > 1 ? n[0].value : 0;
        for (double& value : values) value = low + (value + 1) / 2 * (high - low);
        if (!is_float(element))
            for (double& value : values) value = static_cast<double>(static_cast<std::int64_t>(value));
    } else if (!is_float(element)) {  // as Inputs::values makes integers
        const double scale = fill.kind == "random" ? 1000.0 : 1.0;
        for (double& value : values) value = static_cast<double>(static_cast<std::int64_t>(value * scale));
    }
    return values;
}

fs::path found(const std::string& name, const fs::path& folder) {
    const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : folder / name;
    std::error_code none;
    if (!fs::is_regular_file(path, none)) throw Error(fmt::format("there is no file {}.", path.string()));
    return path;
}

bool is_text(const fs::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".txt" || ending == ".csv" || ending == ".dat" || ending.empty();
}

void check_bytes(std::uint64_t count, const EntryType& type, const std::string& what, std::uint64_t taken = 0) {
    const auto size = static_cast<std::uint64_t>(element_size(type.element)) * type.per_entry;
    const std::string others =
        taken ? fmt::format(" beside the {:.1f} GB of the others", static_cast<double>(taken) / (1u << 30)) : "";
    if (count > (kMostBytes - std::min(taken, kMostBytes)) / size)
        throw Error(fmt::format(
            "{}: {} elements of {} bytes are {:.1f} GB{}, and all arguments together may have {} GB: give fewer.", what,
            count, size, static_cast<double>(count) * static_cast<double>(size) / (1u << 30), others,
            kMostBytes >> 30));
}

Contents file_contents(const Fill& fill, const EntryType& type, const fs::path& folder) {
    const fs::path path = found(fill.path, folder);
    Contents contents;
    if (path.extension() == ".npy") {
        NpyArray array = read_npy(path, kMostBytes);
        contents.bytes = array.element == type.element ? std::move(array.bytes)
                                                       : bytes_of(numbers_of(array.bytes, array.element), type.element);
    } else if (is_text(path) && !type.is_class) {
        contents.bytes = bytes_of(lesson::read_numbers(path.string()), type.element);
    } else {
        check_bytes(fs::file_size(path) / static_cast<std::uint64_t>(element_size(type.element)),
                    {type.element, 1, false, ""}, fill.path);
        std::ifstream file(path, std::ios::binary);
        contents.bytes.resize(fs::file_size(path));
        file.read(reinterpret_cast<char*>(contents.bytes.data()), static_cast<std::streamsize>(contents.bytes.size()));
    }
    const auto entry = static_cast<std::uint64_t>(element_size(type.element)) * type.per_entry;
    const std::uint64_t there = contents.bytes.size() / entry;
    if (fill.count > there)
        throw Error(
            fmt::format("{} holds {} elements ({}), and {} are asked for.", fill.path, there, type.name, fill.count));
    if (fill.count == 0 && contents.bytes.size() % entry != 0)
        throw Error(fmt::format("{} holds {} bytes, which are no whole number of elements of {} bytes ({}).", fill.path,
                                contents.bytes.size(), entry, type.name));
    contents.bytes.resize((fill.count ? fill.count : there) * entry);
    contents.count = contents.bytes.size() / static_cast<std::uint64_t>(element_size(type.element));
    return contents;
}

}  // namespace

std::vector<double> numbers_of(std::span<const std::byte> bytes, Element element) {
    const auto size = static_cast<std::size_t>(element_size(element));
    std::vector<double> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * size, size);
        values[i] = element_to_double(element, bits);
    }
    return values;
}

Contents make_contents(const Fill& fill, const EntryType& type, const fs::path& folder, std::uint64_t seed,
                       std::uint64_t taken) {
    if (fill.kind == "file") return file_contents(fill, type, folder);
    check_bytes(fill.count, type, fill.kind, taken);
    Contents contents;
    contents.count = fill.count * type.per_entry;
    contents.is_zero = fill.kind == "zeros";
    contents.is_undefined = fill.kind == "uninitialized";
    if (contents.is_zero || contents.is_undefined) return contents;
    if (type.is_class)
        throw Error(
            fmt::format("{} is a structure: its memory may be zeros(n), uninitialized(n) or a raw file.", type.name));
    contents.bytes = bytes_of(generated(fill, contents.count, type.element, seed), type.element);
    return contents;
}

std::vector<double> expected_numbers(const Fill& fill, Element element, const fs::path& folder) {
    if (fill.kind != "file") return generated(fill, fill.count, element, 1);
    const fs::path path = found(fill.path, folder);
    if (path.extension() == ".npy") {
        const NpyArray array = read_npy(path, kMostBytes);
        return numbers_of(array.bytes, array.element);
    }
    if (is_text(path)) return lesson::read_numbers(path.string());
    return numbers_of(file_contents(fill, {element, 1, false, ""}, folder).bytes, element);
}

}  // namespace lanewise::own
