#!/usr/bin/env bash
# check.test.sh LESSON_PROGRAM CHECK_PROGRAM KERNELS README: README's example is clean, makes a page, and is not clean without
# its barrier. Lesson 05's kernels, compiled while the program runs, leave the traces
# of the copies that are built in, byte for byte but for the header and the footer, which counts it in.
set -eu
set -- "$1" "$(readlink -f "$2")" "$3" "$4"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
records() { sed '1d;$d' "$1"; }
# same VARIANT RUN
same() {
    "$1" --backend cpu --variant "$3" --save-trace "$work/a" >/dev/null
    "$2" "$kernels" --run "$3: $4" --save-trace "$work/b" >/dev/null
    [ "$(wc -l <"$work/a")" -gt 3 ] || { echo "$3: the trace is empty"; exit 1; }
    cmp <(records "$work/a") <(records "$work/b") || { echo "$3: the traces differ"; exit 1; }
}
kernels=$3
same "$1" "$2" warp_sum_xor 'warp_sum_xor<32><<<1, 32>>>(in = ramp(32), out = zeros(1), lanes = zeros(32), 32)'
same "$1" "$2" block_sum_two_level "$("$1" --list | awk '$1 == "block_sum_two_level" {n = $2; b = $3}
    END {printf "block_sum_two_level<%d><<<%d, %d>>>(in = ramp(%d), out = zeros(1), %d)", b, (n + b - 1) / b, b, n, n}')"

sed -n '/^```cuda$/,/^```$/{/^```/d;p}' "$4" >"$work/sum.cu"
grep -q __syncthreads "$work/sum.cu" || { echo "README has no example"; exit 1; }
(cd "$work" && "$2" sum.cu --export sum.html >said) || { cat "$work/said"; echo "README's example is not clean"; exit 1; }
grep -q block_sum "$work/sum.html"
sed '/__syncthreads/d' "$work/sum.cu" >"$work/wrong.cu"
if "$2" "$work/wrong.cu" >"$work/said"; then echo "a missing barrier was not found"; exit 1; fi
grep -q "wrong.cu:[0-9]*: finding: race" "$work/said"
