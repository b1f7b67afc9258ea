#!/usr/bin/env bash
# What lessons/run says and does, tried in a copy with lessons of our own and with a PATH that lacks tools. Installs
# and builds nothing: cmake and the lessons' programs are stand-ins.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

mkdir -p "$work/tree/lessons" "$work/bin"
cp "$here/run" "$work/tree/lessons/run"
for name in 05_warp_shuffle 06_grid_stride 07_vectorized 12_dot_product _template; do
  mkdir "$work/tree/lessons/$name"
  touch "$work/tree/lessons/$name/CMakeLists.txt"
  title=${name#*_}
  printf '# Title of %s\n\nText.\n\n## Goal\n' "${title//_/ }" >"$work/tree/lessons/$name/lesson.md"
done

# A build that is there already: programs that print their arguments.
mkdir -p "$work/tree/build/lessons"
touch "$work/tree/build/build.ninja"
for name in 05_warp_shuffle 06_grid_stride 07_vectorized 12_dot_product _template check; do
  printf '#!/bin/sh\necho "%s:" "$@"\nexit "${LESSON_STATUS:-0}"\n' "$name" >"$work/tree/build/lessons/$name"
  chmod +x "$work/tree/build/lessons/$name"
done

# The tools the script itself uses, and stand-ins for those it looks for.
for tool in bash env sh dirname basename sed awk sort cat printf id mktemp tail rm mkdir tee tput; do
  path=$(command -v "$tool") && [ -x "$path" ] && ln -s "$path" "$work/bin/$tool"
done
for tool in g++ cmake ninja pkg-config Xvfb xdotool; do
  printf '#!/bin/sh\necho "$0 $*" >>"%s/calls"\nexit "${BUILD_STATUS:-0}"\n' "$work" >"$work/bin/$tool"
  chmod +x "$work/bin/$tool"
done

# run STATUS ARGUMENTS…: leaves what was said in $out and $err.
run() {
  local expected=$1 status=0
  shift
  case_name="run $*"
  PATH=$work/bin "$work/tree/lessons/run" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
  [ "$status" -eq "$expected" ] || fail "exit status $status instead of $expected"
}
fail() {
  printf '%s: %s\n  stdout: %s\n  stderr: %s\n' "$case_name" "$1" "$out" "$err"
  failures=$((failures + 1))
}
expect_out() { [[ $out == *"$1"* ]] || fail "stdout lacks '$1'"; }
expect_err() { [[ $err == *"$1"* ]] || fail "stderr lacks '$1'"; }

run 0
expect_out "05_warp_shuffle  Title of warp shuffle"
expect_out "12_dot_product  Title of dot product"
[ "$(printf '%s\n' "$out" | wc -l)" -eq 4 ] || fail "not a line for each lesson"

# Names, when all that is needed is there (the headers are those of this machine; without them there is nothing to try).
run_is_complete() { PATH=$work/bin "$work/tree/lessons/run" --no-install 5 >/dev/null 2>&1; }
if run_is_complete; then
  for name in 05_warp_shuffle 05 5 005 shuffle warp lessons/05_warp_shuffle/; do
    run 0 "$name"
    [ "$out" = "05_warp_shuffle:" ] || fail "did not run 05_warp_shuffle"
    [ -z "$err" ] || fail "said something on stderr"
  done
  run 0 _template
  expect_out "_template:"
  run 0 5 --text --variant "a b"
  expect_out "05_warp_shuffle: --text --variant a b"
  run 0 --start
  expect_out "05_warp_shuffle: --start"
  run 0 --record h200
  expect_out "05_warp_shuffle: --record $work/tree/assets/recorded/h200"
  expect_out "12_dot_product: --record $work/tree/assets/recorded/h200"
  expect_out "05_warp_shuffle: --costs --record $work/tree/assets/recorded/h200"
  expect_err "12_dot_product: recorded in "
  LESSON_STATUS=2 run 2 --record h200
  expect_err "Recording 05_warp_shuffle failed"
  [[ $out != *06_grid_stride* ]] || fail "went on after a failure"
  run 2 --record a/b
  expect_err "give a folder's name"
  run 2 --record
  expect_err "as in --record h200"
  run 2 --record --ladder
  expect_err "as in --record h200"
  run 2 --start 5
  expect_err "takes nothing after it"
  run 0 check "a b.cu" --text
  expect_out "check: a b.cu --text"
  run 0 edit mine.cu
  expect_out "check: mine.cu --edit"
  run 0 edit shuffle --step 3
  expect_out "05_warp_shuffle: --step 3 --edit"
  run 2 edit
  expect_err "edit needs a lesson or a CUDA file"
  LESSON_STATUS=3 run 3 5 --open broken.ndjson
  BUILD_STATUS=1 run 1 5
  expect_err "Building failed"
  [ -z "$out" ] || fail "ran a lesson that did not build"
fi

run 2 warp_shufle
expect_err "there is no lesson 'warp_shufle'; did you mean 05_warp_shuffle?"
run 2 dot_prodct
expect_err "did you mean 12_dot_product?"
run 2 vectorised
expect_err "did you mean 07_vectorized?"
run 2 99
expect_err "there is no lesson '99'; ./lessons/run lists the lessons."
run 2 something_else_entirely
expect_err "./lessons/run lists the lessons."
run 2 0
run 2 r
expect_err "'r' could be any of these"
expect_err "06_grid_stride"
run 2 --tets
expect_err "unknown option '--tets'"
run 2 ""
expect_err "name is empty"
run 2 ../lessons

# A tool that is not there: first where there is no apt-get either.
rm "$work/bin/ninja"
run 2 5
expect_err "neither Debian nor Ubuntu"
expect_err "ninja-build"
ln -s /bin/false "$work/bin/apt-get"
run 1 --no-install 5
expect_err "ninja-build"
expect_err "runs the build"
expect_err "apt-get install -y --no-install-recommends"
[ -z "$out" ] || fail "said it on stdout"
run 1 5 --no-install
expect_err "apt-get update"
run 1 --test --no-install
expect_err "ninja-build"

if [ "$failures" -gt 0 ]; then
  echo "$failures expectations of lessons/run did not hold"
  exit 1
fi
echo "lessons/run does what it says"
