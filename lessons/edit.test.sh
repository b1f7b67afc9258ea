#!/usr/bin/env bash
# edit.test.sh CHECK_PROGRAM DISPLAY_SCRIPT: a kernel file is edited while a window shows it. Each save is seen, a typo
# stands at its line while the last good run stays, five saves in a second end in the last, an endless loop is stopped, and
# memory does not grow. `edit.test.sh … times` prints how long a save takes to be seen.
set -u
program=$(readlink -f "$1") lesson=$1
fail() { echo "edit.test.sh: $1"; [ -f "${work:-/nowhere}/out.log" ] && tail -n 5 "$work/out.log" "$work/err.log"; exit 1; }
. "$2"
cache=${XDG_CACHE_HOME:-$HOME/.cache}
start_display 1280x800
export XDG_CACHE_HOME=$cache TMPDIR=$work
file=$work/sum.cu
text() {
    cat <<END
// run: block_sum<<<2, 64>>>(in = random(128), out = zeros(1), 128)
// expect: out[0] ~ sum(in)
__global__ void block_sum(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0.0f;   // $1
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync($2, value, offset);
    $3
    if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}
END
}
# A save that is whole at once, so that it is one save on a busy machine too: another file takes the place of this one, as
# many editors do it. The five quick ones below are written in place.
save() { text "$@" >"$work/new" && mv "$work/new" "$file"; }
now() { date +%s%N; }
# wait_for PATTERN: until a line of what the window prints has it, that was not there before.
seen=0
wait_for() {
    for _ in $(seq 3000); do
        if tail -n +$((seen + 1)) "$work/out.log" | grep -q "$1"; then seen=$(wc -l <"$work/out.log"); return; fi
        kill -0 "$window" 2>/dev/null || fail "the window closed while '$1' was waited for"
        sleep 0.01
    done
    fail "'$1' did not come"
}
memory() { awk '/VmRSS/ {print $2}' "/proc/$window/status"; }

# A file that does not compile yet: it is said at its line, and the window opens once it does.
text typo 0xffffffffu "value = valeu;" >"$file"
(cd "$work" && exec "$program" "$file" --edit) >"$work/out.log" 2>"$work/err.log" &
window=$!
for _ in $(seq 3000); do
    grep -q "the window opens then" "$work/err.log" && break
    kill -0 "$window" 2>/dev/null || fail "the program ended where the file did not compile"
    sleep 0.01
done
grep -q "sum.cu:7: .*valeu" "$work/err.log" || fail "what is wrong with the file was not said"
save first 0xffffffffu ""
wait_for "shown=1 saved=1 problem=none"

save second 0xffffffffu ""
wait_for "shown=2 saved=2 problem=none"

# A typo: at its line, and the last good run stays.
save third 0xffffffffu "value = valeu;"
wait_for "shown=2 saved=3 problem=7"
save fourth 0x0000ffffu ""
wait_for "shown=4 saved=4 problem=none"
# Gone, and there again.
rm "$file"
wait_for "problem=0"
save fifth 0xffffffffu ""
wait_for "shown=5 saved=5 problem=none"

# Five saves in a second: the last is shown, and what came before it is not waited for.
for i in 1 2 3 4 5; do text "quick $i" 0xffffffffu "" >"$file"; sleep 0.15; done
settled() {
    for _ in $(seq 300); do
        sleep 0.1
        last=$(tail -n 1 "$work/out.log")
        version=${last#*saved=} version=${version%% *}
        [ "$last" = "shown=$version saved=$version problem=none" ] || continue
        sleep 0.6
        [ "$last" = "$(tail -n 1 "$work/out.log")" ] && { seen=$(wc -l <"$work/out.log"); return; }
    done
    fail "the last of five saves is not shown"
}
settled
[ "$version" -gt 5 ] || fail "five saves were not seen"

# An endless loop is stopped, and shown as far as it came.
save loop 0xffffffffu "while (n > 0) atomicAdd(out, 0.0f);"
wait_for "shown=$((version + 1)) "
save after 0xffffffffu ""
wait_for "shown=$((version + 2)) saved=$((version + 2)) problem=none"
version=$((version + 2))

# One that computes and waits for nothing runs until its time is up, or until the next save.
save loop 0xffffffffu "while (n > 0) n |= 1;"
wait_for "shown=$version saved=$((version + 1)) problem=none"
sleep 0.8
save mended 0xffffffffu ""
wait_for "shown=$((version + 2)) saved=$((version + 2)) problem=none"
grep -q "shown=$((version + 1)) " "$work/out.log" && fail "a save did not stop the run before it"
version=$((version + 2))

count=${EDITS:-12}
before=$(memory)
times=()
for i in $(seq "$count"); do
    began=$(now)
    save "edit $i" 0xffffffffu ""
    wait_for "shown=$((version + i)) saved=$((version + i)) problem=none"
    times+=($((($(now) - began) / 1000000)))
done
after=$(memory)
[ $((after - before)) -lt 40000 ] || fail "$count edits took $((after - before)) KB of memory"
[ -z "$(find "$work" -maxdepth 1 -name 'lanewise-*' | sed -n 3p)" ] || fail "compiled files are left behind"
[ -z "$(find "$work" -maxdepth 1 -name 'cc*')" ] || fail "files of a compiler that was stopped are left behind"
if [ "${3:-}" = times ]; then
    printf '%s\n' "${times[@]}" | sort -n | awk '{a[NR]=$1} END {print "median", a[int((NR+1)/2)], "ms; least", a[1], "most", a[NR]}'
    echo "memory: $before KB before, $after KB after $count edits"
fi
id=$(find_window sum.cu)
xdotool windowfocus --sync "$id" 2>/dev/null
[ -n "${SHOT:-}" ] && { xdotool key --window "$id" shift+s; sleep 1; import -window root "$SHOT"; }
[ -n "${SHOT:-}" ] && { xdotool key --window "$id" shift+s; text typo 0xffffffffu "value = valeu;" >"$file"; sleep 2; import -window root "${SHOT%.png}-typo.png"; }
xdotool key --window "$id" ctrl+q
wait_for_end
kill -0 "$window" 2>/dev/null && fail "the window did not close"
exit 0
