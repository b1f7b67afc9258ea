// Where stb is headers alone, its code is compiled here, once.
#ifdef LANEWISE_STB_HEADER_ONLY
#define STB_TRUETYPE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#include <stb_truetype.h>
#endif

namespace lanewise::viz {
// Keeps the translation unit from being empty.
extern const int kStbCompiled;
const int kStbCompiled = 1;
}  // namespace lanewise::viz
