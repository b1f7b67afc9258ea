#include "viz/platform/gui.hpp"

#include <GL/gl.h>

namespace lanewise::viz {

void Gui::draw(const Theme& theme) const {
    const auto part = [&](int shift) { return static_cast<float>((theme.ground >> shift) & 0xff) / 255; };
    glClearColor(part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT), 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace lanewise::viz
