// Display and OpenGL drivers leave a few kilobytes behind when they are unloaded, and LeakSanitizer can then name no
// module for them. Kept loaded until the process ends, what they hold stays reachable and our own leaks stand out.
#pragma once

namespace lanewise::viz {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kUnloadDrivers = false;
#else
inline constexpr bool kUnloadDrivers = true;
#endif

}  // namespace lanewise::viz
