// Plain data as bytes and back, between a program and the worker that was forked from it: the same build on both sides.
// A type is packed as it lies in memory where that can be, else by fields(), which names its members once for both
// ways.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace lanewise::worker {

class Packer {
public:
    template <class... T>
    void operator()(const T&... values) {
        (put(values), ...);
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    template <class T>
    void put(const T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) add(&value, sizeof value);
        else fields(*this, const_cast<T&>(value));
    }
    void put(const std::string& text) {
        put(text.size());
        add(text.data(), text.size());
    }
    template <class T>
    void put(const std::vector<T>& list) {
        put(list.size());
        if constexpr (std::is_trivially_copyable_v<T>) add(list.data(), list.size() * sizeof(T));
        else
            for (const T& one : list) put(one);
    }
    template <class T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    void put(const std::vector<bool>& list) {
        put(list.size());
        for (const bool one : list) put(one);
    }
    void add(const void* from, std::size_t count) {
        const auto* begin = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), begin, begin + count);
    }
    std::vector<std::byte> bytes_;
};

// Throws std::out_of_range where there are too few bytes.
class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <class... T>
    void operator()(T&... values) {
        (get(values), ...);
    }

private:
    template <class T>
    void get(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>)
            std::memcpy(static_cast<void*>(&value), take(sizeof value), sizeof value);
        else fields(*this, value);
    }
    void get(std::string& text) {
        const std::size_t count = size(1);
        text.assign(reinterpret_cast<const char*>(take(count)), count);
    }
    template <class T>
    void get(std::vector<T>& list) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            list.resize(size(sizeof(T)));
            if (!list.empty()) std::memcpy(static_cast<void*>(list.data()), take(list.size() * sizeof(T)),
                                           list.size() * sizeof(T));
        } else {
            list.resize(size(1));
            for (T& one : list) get(one);
        }
    }
    template <class T>
    void get(std::optional<T>& value) {
        bool is_there = false;
        get(is_there);
        value.reset();
        if (is_there) get(value.emplace());
    }
    void get(std::vector<bool>& list) {
        list.resize(size(1));
        for (std::size_t i = 0; i < list.size(); ++i) list[i] = *take(1) != std::byte{0};
    }
    // How many there are, each of at least `bytes`.
    std::size_t size(std::size_t bytes) {
        std::size_t count = 0;
        get(count);
        if (count > bytes_.size() / bytes) throw std::out_of_range("packed data");
        return count;
    }
    const std::byte* take(std::size_t count) {
        if (count > bytes_.size()) throw std::out_of_range("packed data");
        const std::byte* at = bytes_.data();
        bytes_ = bytes_.subspan(count);
        return at;
    }
    std::span<const std::byte> bytes_;
};

}  // namespace lanewise::worker
