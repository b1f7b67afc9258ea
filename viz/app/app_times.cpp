// The view of all times, and measuring them anew.
#include "viz/app/app.hpp"

namespace lanewise::viz {

void App::adopt_sizes() {
    const auto sizes = loader_.sizes();
    if (!sizes || sizes == measured_sizes_) return;
    measured_sizes_ = sizes;
    presentation_.sizes = *sizes;
    times_.show = TimingFullView::Show::time;
}

void App::measure_sizes(std::size_t what) {
    const MeasureState state = loader_.sizes_state();
    if (what == 0 || (what == 2 && state.running)) {
        loader_.cancel_sizes();
        return;
    }
    if (view_ != View::roofline) view_ = View::timings;   // where it says how far it is, or why it cannot
    loader_.begin_sizes();
}

Intent App::draw_times(const Look& look, const Rect& body) {
    const Pane pane(look, "times", body, look.colors().panel, Pane::Scroll::vertical);
    turn(pane);
    const timing::TimingTable& over_sizes =
        presentation_.sizes.rows.empty() ? presentation_.timings : presentation_.sizes;
    const MeasureState state = loader_.sizes_state();
    again_ |= state.running;   // the seconds that are left
    return times_.draw(pane, over_sizes, presentation_.shapes,
                       shown_[0] ? shown_[0]->trace().header.variant : names_[0], state, view_ == View::roofline);
}

}  // namespace lanewise::viz
