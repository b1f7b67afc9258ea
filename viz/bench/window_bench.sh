#!/bin/sh
# How long a lesson's window takes to show its first step, and what it costs the processor while nothing happens and while
# it plays. The window opens on a virtual display, which Mesa draws on the processor, and the run is emulated.
#   viz/bench/window_bench.sh build/lessons/05_warp_shuffle [WIDTHxHEIGHT]
# Exits 77 where Xvfb or xdotool is absent.
set -u
lesson=${1:?the program of a lesson, such as build/lessons/05_warp_shuffle}
size=${2:-1920x1080}
fail() { echo "$1" >&2; cat "$work"/err.log >&2 2>/dev/null; exit 1; }

# shellcheck source=viz/platform/display.testing.sh
. "$(dirname "$0")/../platform/display.testing.sh"
start_display "$size"

milliseconds() { date +%s%3N; }
# Ticks of 10 ms that the program ran, in user and system mode (proc(5), fields 14 and 15; the name has no blanks).
ticks() { awk '{ print $14 + $15 }' "/proc/$window/stat"; }
# share SECONDS: percent of one core in that time.
share() { before=$(ticks); sleep "$1"; after=$(ticks); echo $(((after - before) / $1)); }
close() { xdotool key ctrl+q; wait_for_end; kill -0 "$window" 2>/dev/null && fail "the window did not close"; window=; }

# Its title shows that the run is there and drawn.
for _ in 1 2 3 4 5; do
    began=$(milliseconds)
    open_window 'Lanewise .* emulator' --size "$size" 2>/dev/null
    echo $(($(milliseconds) - began)) >>"$work/first"
    close
done
open_window 'Lanewise .* emulator' --size "$size"
sleep 2
idle=$(share 5)
xdotool key Home space
sleep 0.5
playing=$(share 5)
close
sort -n "$work/first" | awk '{ ms[NR] = $1 } END { printf "first step drawn: %d ms after the start, median of %d (%d to %d)\n", ms[int((NR + 1) / 2)], NR, ms[1], ms[NR] }'
echo "idle: $idle % of one core; playing: $playing %"
