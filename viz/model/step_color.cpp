#include "viz/model/step_color.hpp"

namespace lanewise::viz {

Color step_color(const Theme& theme, StepKind kind) {
    switch (kind) {
        case StepKind::shuffle:
        case StepKind::reduce: return theme.step_shuffle;
        case StepKind::vote:
        case StepKind::active_mask: return theme.step_vote;
        case StepKind::warp_barrier:
        case StepKind::block_barrier: return theme.step_barrier;
        case StepKind::atomic: return theme.step_atomic;
        case StepKind::load:
        case StepKind::store:
        case StepKind::fence: break;
    }
    return theme.step_access;
}

}  // namespace lanewise::viz
