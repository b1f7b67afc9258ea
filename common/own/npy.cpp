#include "common/own/npy.hpp"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::own {
namespace {

// What comes after 'key': in the header, a dictionary as Python writes it.
std::string field(const std::string& header, const std::string& key) {
    const std::size_t at = header.find("'" + key + "'");
    if (at == header.npos) return {};
    const std::size_t begin = header.find_first_not_of(" :", at + key.size() + 2);
    if (begin == header.npos) return {};
    const char first = header[begin];
    const std::size_t end = first == '('    ? header.find(')', begin)
                            : first == '\'' ? header.find('\'', begin + 1)
                                            : header.find(',', begin);
    return end == header.npos ? std::string() : header.substr(begin, end - begin);
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path, std::size_t most_bytes) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(fmt::format("{}: this file cannot be read.", path.string()));
    std::string start(10, '\0');
    file.read(start.data(), 10);
    if (file.gcount() != 10 || start.substr(0, 6) != "\x93NUMPY")
        throw Error(fmt::format("{}: this is no .npy file; numpy.save writes one.", path.string()));
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
    std::size_t length = byte(8) + 256 * byte(9);
    if (byte(6) >= 2) {
        std::string more(2, '\0');
        file.read(more.data(), 2);
        start += more;
        length += (byte(10) << 16) + (byte(11) << 24);
    }
    if (length > (std::size_t{1} << 20))
        throw Error(fmt::format("{}: this .npy file's header is too long.", path.string()));
    std::string header(length, '\0');
    file.read(header.data(), static_cast<std::streamsize>(length));
    const std::string type = field(header, "descr"), order = field(header, "fortran_order"),
                      shape = field(header, "shape");
    if (type.size() < 3 || shape.empty())
        throw Error(fmt::format("{}: this .npy file's header is not whole.", path.string()));
    static constexpr std::pair<const char*, Element> kTypes[] = {
        {"f2", Element::f16}, {"f4", Element::f32}, {"f8", Element::f64}, {"i1", Element::i8},
        {"i2", Element::i16}, {"i4", Element::i32}, {"i8", Element::i64}, {"u1", Element::u8},
        {"u2", Element::u16}, {"u4", Element::u32}, {"u8", Element::u64}, {"b1", Element::u8}};
    NpyArray array;
    bool known = false;
    for (const auto& [name, element] : kTypes)
        if (type.substr(2) == name && type[1] != '>') array.element = element, known = true;
    if (!known)
        throw Error(
            fmt::format("{}: its numbers are '{}', which no kernel takes here; save it as float32 or another type of "
                        "1 to 8 bytes.",
                        path.string(), type.substr(1)));
    if (order.starts_with("True"))
        throw Error(fmt::format("{}: its columns come first (fortran_order); save numpy.ascontiguousarray of it.",
                                path.string()));
    std::uint64_t count = 1;
    for (std::size_t at = 1; at < shape.size();) {
        std::uint64_t side = 0;
        const auto [end, bad] = std::from_chars(shape.data() + at, shape.data() + shape.size(), side);
        if (bad == std::errc{} && __builtin_mul_overflow(count, side, &count)) count = ~std::uint64_t{0};
        at = shape.find_first_of("0123456789",
                                 bad == std::errc{} ? static_cast<std::size_t>(end - shape.data()) : at + 1);
    }
    const auto size = static_cast<std::uint64_t>(element_size(array.element));
    if (count > most_bytes / size)
        throw Error(fmt::format("{}: it holds {} numbers, more than the {} MB a run may have.", path.string(), count,
                                most_bytes >> 20));
    array.bytes.resize(count * size);
    file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
    if (static_cast<std::size_t>(file.gcount()) != array.bytes.size())
        throw Error(fmt::format("{}: this .npy file is cut short: {} of {} bytes are there.", path.string(),
                                file.gcount(), array.bytes.size()));
    return array;
}

}  // namespace lanewise::own
