// Stands in for C's header in emulated builds: a lane whose assertion fails calls the emulator, which ends the launch.
// No guard: NDEBUG is looked at each time, as C has it.
#include "common/prelude/emulated/emulated_runtime.hpp"

#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...) \
    (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0) : ::lanewise_emulated::assert_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
