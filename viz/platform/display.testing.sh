# Sourced by the tests that drive a lesson's window: a display and a home of its own, which go when the test ends.
# Exits 77 (skipped) where Xvfb or xdotool is absent. The test says how it fails: fail SENTENCE.
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

# start_display WIDTHxHEIGHT. Xvfb chooses a free display and prints its number when ready. Without -noreset it starts
# anew whenever the last window closes, and refuses connections just then.
start_display() {
    Xvfb -displayfd 3 -screen 0 "$1x24" -nolisten tcp -noreset 3>"$work/display" 2>"$work/xvfb.log" &
    server=$!
    for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
    [ -s "$work/display" ] || fail "Xvfb did not start"
    DISPLAY=:$(cat "$work/display")
    # Its own home: no user's settings are read or changed.
    export DISPLAY LANEWISE_PRINT_STATE=1 HOME="$work" XDG_CONFIG_HOME="$work/config"
}

# The number of a window whose title matches; nothing where there is none.
find_window() { xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1; }

# open_window TITLE ARGUMENT… : starts $lesson on the emulator, or on $BACKEND, and waits for its window; $window is the process, $id the
# window. Its output goes to $work/out.log and err.log.
open_window() {
    title=$1
    shift
    # There, because the menu saves files where the program was started.
    program=$(readlink -f "$lesson")
    (cd "$work" && exec "$program" --backend "${BACKEND:-cpu}" "$@") >"$work/out.log" 2>"$work/err.log" &
    window=$!
    id=
    for _ in $(seq 1500); do
        id=$(find_window "$title")
        [ -n "$id" ] && break
        kill -0 "$window" 2>/dev/null || fail "the window closed before anything was done"
        sleep 0.02
    done
    [ -n "$id" ] || fail "no window appeared"
    xdotool windowfocus --sync "$id" 2>/dev/null
}

# Until the program has ended, or ten seconds.
wait_for_end() { for _ in $(seq 100); do kill -0 "$window" 2>/dev/null || break; sleep 0.1; done; }

sanitizer_spoke() { grep -q "Sanitizer\|runtime error" "$work/err.log"; }
