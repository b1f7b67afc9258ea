#!/bin/sh
# The window under Xvfb with real keys: to the end, back, Tab, compare, close.
#   viz/app/window.test.sh build/lessons/05_warp_shuffle
# Exits 77 (skipped) where Xvfb or xdotool is absent.
set -u
lesson=${1:?the lesson\'s program}
for tool in Xvfb xdotool; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
server= ; window=
finish() {
    [ -n "$window" ] && kill "$window" 2>/dev/null
    [ -n "$server" ] && kill "$server" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
fail() { echo "$1"; cat "$work"/*.log 2>/dev/null; exit 1; }

# Xvfb chooses a free display and tells its number once it is ready. Without -noreset it starts anew whenever the last
# window closes, and refuses whoever comes just then.
Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp -noreset 3>"$work/display" 2>"$work/xvfb.log" &
server=$!
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || fail "Xvfb did not start"
DISPLAY=:$(cat "$work/display")
export DISPLAY LANEWISE_PRINT_STATE=1

# run KEYS… : opens the window, presses the keys, closes it, leaves the state in $state
run() {
    "$lesson" --backend cpu --variant warp_sum_xor,warp_sum_down >"$work/out.log" 2>"$work/err.log" &
    window=$!
    id=
    for _ in $(seq 200); do
        # The title tells when the run is there.
        id=$(xdotool search --onlyvisible --name 'Lanewise .* emulator' 2>/dev/null | head -n 1)
        [ -n "$id" ] && break
        kill -0 "$window" 2>/dev/null || fail "the window closed before a key was pressed"
        sleep 0.1
    done
    [ -n "$id" ] || fail "no window appeared"
    xdotool windowfocus --sync "$id" 2>/dev/null
    for key in "$@"; do
        xdotool key --delay 30 "$key"
        sleep 0.25
    done
    xdotool key ctrl+q
    for _ in $(seq 100); do kill -0 "$window" 2>/dev/null || break; sleep 0.1; done
    kill -0 "$window" 2>/dev/null && fail "the window did not close"
    wait "$window"; status=$?
    window=
    [ "$status" -eq 0 ] || fail "the window ended with status $status"
    state=$(tail -n 1 "$work/out.log")
    ! grep -q "Sanitizer" "$work/err.log" || fail "a sanitizer complained"
}

expect() {
    case "$state" in
        $1) echo "ok: $2: $state" ;;
        *) fail "$2: expected $1, got $state" ;;
    esac
}

run Right Right
expect "variant=warp_sum_xor step=3 of=*" "two steps forward"
last=${state#*of=}; last=${last%% *}
run End
expect "variant=warp_sum_xor step=$last of=$last *" "to the end"
run End Left Left Home Right
expect "variant=warp_sum_xor step=2 of=*" "to the end, and back"
run Right Tab
expect "variant=warp_sum_down step=2 of=*" "the next variant"
run c Right
expect "variant=warp_sum_xor step=2 of=* compare=warp_sum_down" "two variants beside each other"
run question Escape Right
expect "variant=warp_sum_xor step=2 of=*" "the overlay opens and closes"
run Home space
expect "variant=warp_sum_xor *" "playing"
echo "all keys did what they say"
