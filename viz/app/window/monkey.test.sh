#!/bin/sh
# Random keys, clicks, drags, wheel turns and sizes on a lesson's window under Xvfb, for a while.
#   viz/app/window/monkey.test.sh build-sanitize/lessons/05_warp_shuffle [SECONDS [SEED]]
# Fails where the program ends by itself or a sanitizer speaks. Exits 77 (skipped) where Xvfb or xdotool is absent. For
# ten minutes under the sanitizers: cmake --preset sanitize, then 600 seconds of it.
set -u
lesson=${1:?the lesson\'s program}
seconds=${2:-8}
seed=${3:-$(date +%s)}
fail() { echo "seed $seed, after $actions actions: $1"; tail -n 80 "$work"/*.log 2>/dev/null; exit 1; }
actions=0

# shellcheck source=viz/platform/display.testing.sh
. "$(dirname "$0")/../../platform/display.testing.sh"
start_display 1500x1000
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 ASAN_OPTIONS=detect_leaks=0

# A line of xdotool for each action; awk's numbers come from the seed, so that a failure can be had again.
awk -v seed="$seed" -v count=$((seconds * 40)) '
function below(n) { return int(rand() * n) }
BEGIN {
    srand(seed)
    keys = "space Left Right Up Down Home End Tab shift+Tab shift+Left shift+Right plus minus 1 2 3 4 5 6 7 8 9 question F10 Return "\
           "Escape a b c d e f g h i k l m o p r s t v w x y z shift+c shift+w shift+g shift+z BackSpace slash period comma numbersign q ctrl+z ctrl+a Page_Down"
    n = split(keys, key, " ")
    for (i = 0; i < count; ++i) {
        what = below(100)
        if (what < 50) print "key " key[1 + below(n)]
        else if (what < 66) print "mousemove --window WINDOW " below(1400) " " below(900)
        else if (what < 80) print "mousemove --window WINDOW " below(1400) " " below(900) " click 1"
        else if (what < 88) print "mousemove --window WINDOW " below(1400) " " below(900) " mousedown 1 mousemove --window WINDOW " below(1400) " " below(900) " mouseup 1"
        else if (what < 93) print "click " (4 + below(2))
        else if (what < 96) print "click --repeat 2 1"
        else if (what < 98) print "windowsize WINDOW " 1 + below(1500) " " 1 + below(1000)
        else if (what < 99) print "windowsize WINDOW 1280 800"
        else print "type --delay 5 some/text"
    }
}' >"$work/actions"

open_window 'Lanewise .*'
ends=$(( $(date +%s) + seconds ))
while read -r action; do
    [ "$(date +%s)" -lt "$ends" ] || break
    # "next lesson" and the like put another program in its place, under the same number: only its window is new.
    if ! kill -0 "$window" 2>/dev/null; then
        wait "$window"; status=$?
        [ "$status" -eq 0 ] || fail "the program ended with status $status"
        open_window 'Lanewise .*'
    fi
    # shellcheck disable=SC2086
    if ! xdotool $(printf '%s' "$action" | sed "s/WINDOW/$id/g") >/dev/null 2>&1; then
        found=$(find_window 'Lanewise .*')
        [ -n "$found" ] && id=$found
    fi
    actions=$((actions + 1))
    sanitizer_spoke && fail "a sanitizer complained"
done <"$work/actions"
sleep 0.3
if kill -0 "$window" 2>/dev/null; then
    xdotool windowfocus "$id" key ctrl+q 2>/dev/null
    wait_for_end
    if kill -0 "$window" 2>/dev/null; then kill "$window"; fi
fi
wait "$window"; status=$?
window=
[ "$status" -eq 0 ] || [ "$status" -eq 143 ] || fail "the program ended with status $status"
sanitizer_spoke && fail "a sanitizer complained"
echo "$actions random actions in $seconds s (seed $seed) did no harm"
