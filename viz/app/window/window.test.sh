#!/bin/sh
# The window under Xvfb with real keys and a real mouse: through the steps, the views, the menu and the cards; resized to
# nothing and back; its choices kept for the next window; no work while nothing happens.
#   viz/app/window/window.test.sh build/lessons/05_warp_shuffle
# Exits 77 (skipped) where Xvfb or xdotool is absent.
set -u
lesson=${1:?the lesson\'s program}
fail() { echo "$1"; cat "$work"/*.log 2>/dev/null; exit 1; }

# shellcheck source=viz/platform/display.testing.sh
. "$(dirname "$0")/../../platform/display.testing.sh"
start_display 1400x900
# Where lanes are on the stage of a window of 1280x800.
lane_5=366:340 lane_28=830:340
variants="--variant warp_sum_xor,warp_sum_down"

# run DOING… : opens the window, does that, closes it, leaves the state in $state. A key by its name; click:X:Y;
# drag:X:Y:X:Y; size:W:H; wait:SECONDS; text:TEXT; idle: fails where the processor works although nothing happens.
run() {
    # The title shows when the run is there.
    # shellcheck disable=SC2086
    open_window 'Lanewise .* emulator' $variants
    for doing in "$@"; do
        what=${doing%%:*} rest=${doing#*:}
        case $what in
            click) xdotool mousemove --window "$id" "${rest%:*}" "${rest#*:}" sleep 0.15 click 1 ;;
            drag)
                x0=${rest%%:*} rest=${rest#*:} y0=${rest%%:*} rest=${rest#*:}
                xdotool mousemove --window "$id" "$x0" "$y0" sleep 0.2 mousedown 1 sleep 0.2 \
                    mousemove --window "$id" "${rest%:*}" "${rest#*:}" sleep 0.2 mouseup 1 ;;
            size) xdotool windowsize "$id" "${rest%:*}" "${rest#*:}" ;;
            wait) sleep "$rest" ;;
            text) xdotool type --delay 20 "$rest" ;;
            idle) check_idle ;;
            *) xdotool key --delay 30 "$doing" ;;
        esac
        sleep 0.25
    done
    xdotool key ctrl+q
    wait_for_end
    kill -0 "$window" 2>/dev/null && fail "the window did not close"
    wait "$window"; status=$?
    window=
    [ "$status" -eq 0 ] || fail "the window ended with status $status"
    state=$(tail -n 1 "$work/out.log")
    ! sanitizer_spoke || fail "a sanitizer complained"
}

# Ticks of 10 ms that the program ran, in user and system mode (proc(5), fields 14 and 15; the name has no blanks).
ticks() { awk '{ print $14 + $15 }' "/proc/$window/stat"; }

# Nothing moves: a frame now and then would be a hundred ticks in two seconds.
check_idle() {
    sleep 1.5
    before=$(ticks)
    sleep 2
    after=$(ticks)
    [ $((after - before)) -le 4 ] || fail "the window did nothing for two seconds and took $((after - before)) ticks of 10 ms"
    echo "ok: idle: $((after - before)) ticks of 10 ms in 2 s"
}

expect() {
    case "$state" in
        $1) echo "ok: $2: $state" ;;
        *) fail "$2: expected $1, got $state" ;;
    esac
}

# attempt PATTERN WHAT DOING…: run, then expect. Where frames are slow a card may not be open yet when its text is typed: up
# to three times.
attempt() {
    pattern=$1 meaning=$2
    shift 2
    for _ in 1 2 3; do
        run "$@"
        # shellcheck disable=SC2254
        case "$state" in $pattern) break ;; esac
    done
    expect "$pattern" "$meaning"
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
run idle Right
expect "variant=warp_sum_xor step=2 of=*" "nothing to do, then a step"
run size:1:1 wait:0.5 size:1280:800 wait:0.5 Right
expect "variant=warp_sum_xor step=2 of=*" "resized to nothing and back"

# Views, one after the other; Escape leads back.
run r Right Escape b Escape v Right Escape u Escape t t m m m i i z z Z Z a a f f l l s s k k h Escape question Escape Next Next Prior \
    F10 Escape F10 F10 w g P Escape p Escape Home Right
expect "variant=warp_sum_xor step=2 of=*" "every view, and back"

# Typing a file's name is not pressing keys; what is no trace is a sentence, and the window continues.
printf 'no trace\n' >"$work/broken.ndjson"
"$lesson" --backend cpu --variant warp_sum_down --save-trace "$work/down.ndjson" >/dev/null || fail "no trace was saved"
run o "text:$work/none" Return Escape Right
expect "variant=warp_sum_xor step=2 of=*" "a file that is not there"
run o "text:$work/broken.ndjson" Return wait:0.5 Right
expect "variant=warp_sum_xor step=2 of=*" "a file that is no trace"
run o "text:$work/dow" Tab Return wait:1 Right
expect "variant=file:*down.ndjson step=*" "a trace, its name completed"

# The run bar: n is 33, then a lane's own number; one key back; the other keys stay what they were.
attempt "*compare= run=--n 33" "n changed to 33" wait:0.5 slash wait:0.3 "text:33" Return wait:0.7 Escape
attempt "variant=warp_sum_xor step=2 of=* compare=" "one key undoes it" \
    slash wait:0.3 "text:33" Return wait:0.7 Escape comma wait:0.5 Right
attempt "variant=warp_sum_xor step=2 of=* compare=" "what does not run is not kept" \
    slash wait:0.3 "text:0" Return wait:0.5 Escape Right
attempt "*compare= run=--values 0,1,2,3,4,99.5,6,7,*" "a value typed into lane 5" \
    size:1280:800 wait:0.5 Right "click:$lane_5" Return wait:0.5 "text:99.5" Return wait:0.7

# An exam of one warp's sum by keys and mouse: its first answers are right, the second of them asked by
# the lesson's text; the fourth is wrong; it is remembered. Up to three times, as attempt().
answers="$XDG_CONFIG_HOME/lanewise/answers.tsv"
for _ in 1 2 3; do
    rm -f "$answers"
    run size:1280:800 wait:0.8 q q wait:0.5 "text:4" Return wait:0.5 Return wait:0.5 "text:21" Return wait:0.6 \
        "click:$lane_28" wait:0.6 "text:1" Return wait:0.8
    case "$state" in *exam=3/4) break ;; esac
done
expect "*exam=3/4" "an exam, scored"
grep -q "^answer	[0-9a-z_]*	warp_sum_xor	value_after	2	12	1	40	wrong" "$answers" ||
    fail "the answer was not kept: $(cat "$answers")"
[ "$(wc -l <"$answers")" = 4 ] || fail "not four answers were kept"

# The lesson from start to end, each of its variants to its last step: by keys alone, then by the mouse alone (its tabs, the
# button of the last step, a link of the text).
at_the_end() {
    expect "variant=$1 *" "$2"
    [ -n "$(echo "$state" | sed -n '/step=\([0-9]*\) of=\1 /p')" ] || fail "$2: not at the last step: $state"
}
variants=
run size:1280:800 wait:0.8 End Tab End Tab End Tab End Tab wait:0.3 End Tab wait:0.3 End Tab wait:0.3 End Tab wait:0.3 j Return Escape End
at_the_end block_sum_every_warp "the lesson by keys alone"
end=170:695
run size:1280:800 wait:0.8 click:184:317 click:1100:760 "click:$end" click:91:62 "click:$end" click:145:62 "click:$end" click:191:62 \
    "click:$end" click:267:62 wait:0.3 "click:$end" click:377:62 wait:0.3 "click:$end" click:480:62 wait:0.3 "click:$end" \
    click:575:62 wait:0.3 "click:$end"
at_the_end block_sum_every_warp "the lesson by the mouse alone"
variants="--variant warp_sum_xor,warp_sum_down"
# Buttons are reached by keys: the menu's, then the tabs.
run semicolon semicolon semicolon Return wait:0.3
expect "variant=warp_sum_down *" "a tab, chosen among the buttons"

# A splitter is dragged and a panel hidden; the next window has them so.
run d k size:1280:800 wait:0.5 "drag:236:400:300:400" wait:1
grep -q '"theme": "light"' "$XDG_CONFIG_HOME/lanewise/settings.json" || fail "the theme was not kept: $(cat "$XDG_CONFIG_HOME/lanewise/settings.json")"
grep -q '"show_timeline": false' "$XDG_CONFIG_HOME/lanewise/settings.json" || fail "the hidden panel was not kept"
grep -q 'down.ndjson' "$XDG_CONFIG_HOME/lanewise/settings.json" || fail "the file was not kept"
grep -Eq '"text": [1-9]' "$XDG_CONFIG_HOME/lanewise/settings.json" || fail "the edge was not kept: $(cat "$XDG_CONFIG_HOME/lanewise/settings.json")"
run d k
printf '{"theme": ' >"$XDG_CONFIG_HOME/lanewise/settings.json"
run Right
expect "variant=warp_sum_xor step=2 of=*" "with broken settings"
grep -q "settings.json" "$work/err.log" || fail "nothing was said of the broken settings"
echo "all keys did what they say"
