#!/bin/sh
# page_sizes.test.sh PROGRAM ["WIDTH HEIGHT"]: the page of all variants of a lesson in a headless Chromium at the sizes of a phone, upright
# and sideways, and of a laptop: the controls are in sight, nothing scrolls sideways, an address opens its step, and the
# tabs, the text and the memory are there. Exit status 77 where there is no Chromium (CHROMIUM names another).
set -eu
program=$1
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || { echo "no Chromium"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" --backend cpu --export "$folder/page.html" > "$folder/output" 2>&1 || { cat "$folder/output"; exit 1; }
# The second of the lesson's variants that run here: the page has no others.
for variants in $("$program" --list | awk 'NR > 2 { print $1 }'); do
  "$program" --text --variant "$variants" --step 1 >/dev/null 2>&1 && break
done

# What the page says of itself, once it is drawn.
cat > "$folder/probe.html" <<'PROBE'
<script>
setTimeout(() => {
  const box = document.querySelector('#play').getBoundingClientRect();
  const stage = document.querySelector('.scroll').getBoundingClientRect(), boxes = document.querySelector('.boxes');
  const first = !boxes || boxes.getBoundingClientRect().top >= stage.top || boxes.getBoundingClientRect().left >= stage.right;
  const report = {stage: first && (innerHeight < 600 || stage.height >= 300),
    controls: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
    sideways: document.documentElement.scrollWidth > innerWidth + 1, place: document.querySelector('#place').textContent,
    variant: facts.runs[0].variant, address: location.hash, tabs: document.querySelectorAll('#tabs button').length,
    text: document.querySelector('#lesson-text').textContent.length, terms: document.querySelectorAll('#lesson-text .term').length,
    memory: document.querySelectorAll('.bank-row').length,
    plain: [...document.querySelectorAll('.bank-row i')].filter(word => !/^[?]?$/.test(word.textContent) && !word.style.background).length, size: innerWidth + 'x' + innerHeight};
  parent.postMessage(Object.entries(report).map(([k, v]) => `${k}=${v}`).join(' '), '*');
}, 300);
</script>
PROBE
awk -v probe="$folder/probe.html" '/<\/body>/ { while ((getline line < probe) > 0) print line } { print }' \
  "$folder/page.html" > "$folder/probed.html"

# In a frame, since a window has a least width of its own.
frame() { # WIDTH HEIGHT HASH
  cat > "$folder/frame.html" <<FRAME
<body style="margin: 0"><iframe src="probed.html#$3" width="$1" height="$2" style="border: 0"></iframe><script>
addEventListener('message', event => document.body.append(Object.assign(document.createElement('pre'), {id: 'report', textContent: event.data})));
</script></body>
FRAME
}

failures=0
expect() { # REPORT PATTERN WHAT
  case "$1" in
    *"$2"*) ;;
    *) echo "$3: $2 is missing in: $1"; failures=$((failures + 1)) ;;
  esac
}
if [ $# -gt 1 ]; then set -- "$2"; else set -- "390 844" "844 390" "1440 900"; fi
for size in "$@"; do
  for step in 1 2; do
    frame $size "variant=$variants&amp;step=$step"
    report=$(timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$folder/profile" \
      --window-size=1500,1000 --virtual-time-budget=3000 --dump-dom "file://$folder/frame.html" 2> /dev/null | grep -o '<pre id="report">[^<]*' || true)
    report="$report "
    expect "$report" "controls=true" "$size"
    expect "$report" "sideways=false" "$size"
    expect "$report" "stage=true" "$size, the lanes come first, and have room"
    expect "$report" "place=step $step of" "$size, a shared address"
    expect "$report" "variant=$variants " "$size, a shared address"
    expect "$report" "step=$step" "$size, the address follows"
    case "$report" in *"tabs=0 "* | *"tabs=1 "* | *"text=0 "* | *"terms=0 "*) echo "$size: $report"; failures=$((failures + 1)) ;; esac
    [ $step = 1 ] && case "$report" in *"memory=0 "*) echo "$size: no memory in: $report"; failures=$((failures + 1)) ;; esac
  done
done
# Of several warps (two levels): words that the shown warp never holds have their value's colour, too.
several=$("$program" --list | awk '$1 ~ /two_level$/ { print $1; exit }')
if [ -n "$several" ]; then
  frame 1440 900 "variant=$several&amp;step=1"
  report=$(timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$folder/profile" \
    --window-size=1500,1000 --virtual-time-budget=3000 --dump-dom "file://$folder/frame.html" 2> /dev/null | grep -o '<pre id="report">[^<]*' || true)
  expect "$report " "variant=$several " "a block of several warps"
  expect "$report " "plain=0 " "the colours of $several's memory"
fi
[ $failures = 0 ] && echo "$# size(s) without a fault"
exit $((failures > 0))
