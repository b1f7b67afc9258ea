'use strict';
// The run's facts as the page was given them, made quick to ask. Nothing here is computed that a lesson's program did
// not say: the script looks up, places and draws.

// A page may hold several runs to choose from: the address says which is shown.
const page = JSON.parse(document.getElementById('facts').textContent);
const documents = [page, ...(page.others || [])];
const facts = documents.find(each => each.runs[0].variant === new URLSearchParams(location.hash.slice(1)).get('variant')) || page;
const kHole = '\u0001';

function unfold(run, folded) {
  if (!folded) return '';
  let at = 1;
  return run.templates[folded[0]].split(kHole).map((piece, i, all) => i + 1 < all.length ? piece + folded[at++] : piece).join('');
}

const lanesOf = mask => { const lanes = []; for (let l = 0; l < 32; ++l) if (mask >>> l & 1) lanes.push(l); return lanes; };
const has = (mask, lane) => (mask >>> lane & 1) === 1;

// What every warp holds after each step, from what changes: run.held[k + 1][w], k = -1 before the first.
for (const run of facts.runs) {
  run.held = [run.start];
  for (const step of run.steps) {
    const row = run.held[run.held.length - 1].slice();
    for (const now of step.now || []) row[now.w] = now;
    run.held.push(row);
    step.byWarp = new Map(step.parts.map(part => [part.w, part]));
  }
  for (const warp of run.warps) {
    warp.place_of = new Map();
    for (let i = 0; i < warp.places.length; i += 2) warp.place_of.set(warp.places[i], warp.places[i + 1] / 1000);
  }
}

const holdAt = (run, k, w) => run.held[k + 1][w];
const partAt = (run, k, w) => run.steps[k] && run.steps[k].byWarp.get(w);
const textOf = (run, id) => id < 0 ? '' : run.values[id][0];
const hexOf = (run, id) => id >= 0 && run.values[id].length > 1 ? '0x' + run.values[id][1] : '';
// What is said under the lanes.
const captionOf = (run, part) => part.caption === undefined ? '' : run.texts[part.caption];
const isValue = (run, id) => id >= 0 && run.values[id].length > 1;

// The longest form that fits in so many columns: one line, or one for each part of a value.
function cellText(run, id, room) {
  const value = run.values[id];
  if (value.length < 4) return [value[0]];
  const rooms = [7, 6, 5, 4];
  if (value[0].length <= room) return [value[0]];
  let at = rooms.findIndex(r => r <= room);
  if (at < 0) at = rooms.length - 1;
  return value[3 + at].split('\n');
}

// Viridis in samples, straight lines between.
const kViridis = facts.viridis;

function viridis(t) {
  const place = Math.min(Math.max(t, 0), 1) * (kViridis.length - 1), below = Math.min(Math.floor(place), kViridis.length - 2);
  return kViridis[below].map((c, i) => Math.round(c + (kViridis[below + 1][i] - c) * (place - below)));
}
const css = rgb => `rgb(${rgb.join(',')})`;

function luminance(rgb) {
  const [r, g, b] = rgb.map(c => { const s = c / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
// Black or white, whichever reads better.
const textOn = rgb => 1.05 / (luminance(rgb) + 0.05) >= (luminance(rgb) + 0.05) / 0.05 ? '#fff' : '#000';

// A value's place in its warp, by its rank there, as the program says; of one that no lane holds that of the next
// larger one.
function placeOf(run, w, id) {
  const warp = run.warps[w], known = warp.place_of.get(id);
  if (known !== undefined) return known;
  warp.ranked = warp.ranked || [...warp.place_of].map(([each, place]) => [Number(textOf(run, each)), place])
    .filter(([value]) => !Number.isNaN(value)).sort((a, b) => a[0] - b[0]);
  const value = Number(textOf(run, id));
  if (Number.isNaN(value) || warp.ranked.length < 2) return 0.35;
  const larger = warp.ranked.find(each => each[0] >= value);
  return larger ? larger[1] : 1;
}
const colorOf = (run, w, id) => viridis(0.06 + 0.94 * placeOf(run, w, id));

const kKinds = {shuffle: 'shuffle', reduce: 'shuffle', load: 'access', store: 'access', warp_barrier: 'barrier', block_barrier: 'barrier',
  atomic: 'atomic', vote: 'vote', active_mask: 'vote', fence: 'barrier'};
const kindColor = kind => `var(--${kKinds[kind]})`;

// HTML and SVG elements: make('g', {class: 'x'}, child, 'text').
const kSvg = new Set(['svg', 'g', 'rect', 'path', 'line', 'circle', 'text', 'title', 'polygon']);
function make(name, attributes = {}, ...children) {
  const it = kSvg.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) it.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) it.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== '') it.append(child);
  return it;
}
