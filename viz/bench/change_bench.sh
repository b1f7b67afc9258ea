#!/bin/sh
# How long a change in the run bar takes to be on the screen, from the frame that takes its key to the end of the frame that
# shows the new run, and the longest frame on the way. Real keys; the window is on a virtual display, which Mesa draws on
# the processor, and the run is emulated. The field is the TABS-th of the bar (0: the first). BACKEND=gpu runs the kernels
# on the GPU; with NVIDIA's OpenGL (__GLX_VENDOR_LIBRARY_NAME=nvidia) the GPU draws, too.
#   [BACKEND=gpu] viz/bench/change_bench.sh build/lessons/05_warp_shuffle [TABS VALUE VALUE [FLAG…]]
# Without values: n (the first field of most lessons), 33 and 64. Exits 77 where Xvfb or xdotool is absent.
set -u
lesson=${1:?the program of a lesson, such as build/lessons/05_warp_shuffle}
shift
tabs=0 one=33 other=64
if [ $# -ge 3 ]; then tabs=$1 one=$2 other=$3; shift 3; fi
fail() { echo "$1" >&2; cat "$work"/err.log >&2 2>/dev/null; exit 1; }

# shellcheck source=viz/platform/display.testing.sh
. "$(dirname "$0")/../platform/display.testing.sh"
start_display 1600x900
export LANEWISE_PRINT_STATE=frames
case ${BACKEND:-cpu} in gpu) where='traced run' ;; *) where=emulator ;; esac
open_window "Lanewise .* ($where)" --size 1600x900 "$@"
# The first run is shown: CUDA has started, where that runs it.
for _ in $(seq 100); do
    awk '$1 == "frame" && NF >= 8 && $7 != "(nil)" { shown = 1 } END { exit !shown }' "$work/out.log" && break
    sleep 0.2
done
sleep 2
xdotool key slash
for _ in $(seq "$tabs"); do xdotool key Tab; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
    for value in "$one" "$other"; do
        sleep 0.3
        xdotool key ctrl+a
        xdotool type "$value"
        sleep 0.3
        xdotool key Return
        sleep 0.6
    done
done
xdotool key Escape ctrl+q
wait_for_end
kill -0 "$window" 2>/dev/null || window=
# frame END MS CPU_MS ALL_BEFORE ALL_AFTER RUN STATE…: ALL is the processor time of all threads; the state has the change as soon as it is asked for, RUN once it is shown.
awk '
    $1 != "frame" || NF < 8 { next }
    { run = $7; asked = ""; for (i = 8; i <= NF; ++i) if ($i ~ /^run=/) for (; i <= NF; ++i) asked = asked " " $i
      began = $2 - $3 / 1000 }
    asked != last_asked && seen { since = began; from_run = last_run; all = $5; longest = cpu = 0; waits = 1 }
    waits { if ($3 > longest) longest = $3; if ($4 > cpu) cpu = $4 }
    waits && run != from_run { print ($2 - since) * 1000, longest, cpu, $6 - all; waits = 0 }
    { last_asked = asked; last_run = run; seen = 1 }
    { if ($3 > worst) worst = $3; if ($4 > worst_cpu) worst_cpu = $4 }
' "$work/out.log" >"$work/changes"
[ -s "$work/changes" ] || fail "no change was shown: $(tail -n 3 "$work/out.log")"
column() { cut -d' ' -f"$1" "$work/changes" | sort -n; }
middle() { awk '{ v[NR] = $1 } END { printf "least %.0f, median %.0f, worst %.0f", v[1], v[int((NR + 1) / 2)], v[NR] }'; }
grep '^drawn by' "$work/out.log"
echo "$(wc -l <"$work/changes") changes: on the screen after $(column 1 | middle) ms"
echo "processor time of all threads until then: $(column 4 | middle) ms"
echo "longest frame on the way: $(column 2 | middle) ms, of the processor $(column 3 | middle) ms"
