// What one step did, drawn between the row before it and the row after it.

function lit(stage, lane) { return stage.lane >= 0 && lane === stage.lane; }

// Values travel along lines of their own colour; the looked-at lane's line is the accent's.
function line(stage, d, id, isLit, dashed) {
  const p = stage.places, dim = stage.lane >= 0 && !isLit;
  const color = isLit ? 'var(--accent)' : id >= 0 ? css(colorOf(stage.run, stage.w, id)) : 'var(--quiet)';
  return make('path', {class: 'arc', d, pathLength: dashed ? undefined : 1, stroke: color, 'stroke-width': p.px(isLit ? 2.6 : 1.5).toFixed(1), opacity: dim ? 0.4 : 0.9,
    style: dashed ? `stroke-dasharray: ${p.px(3)} ${p.px(3)}; animation: none` : undefined});
}

function head(stage, u, v, color) {
  const p = stage.places, points = [[-3.4, -5], [3.4, -5], [0, 1.5]].map(([a, b]) => p.at(u + p.px(a), v + p.px(b)).map(n => n.toFixed(1)).join(',')).join(' ');
  return make('polygon', {points, fill: color});
}

function label(stage, u, v, text, attributes = {}) {
  const [x, y] = stage.places.at(u, v);
  return make('text', {x: x.toFixed(1), y: y.toFixed(1), class: 'lane-number', 'dominant-baseline': 'central', 'font-size': stage.places.px(11).toFixed(1), ...attributes}, text);
}

function drawShuffle(stage, part, v0, v1) {
  const p = stage.places, group = make('g'), above = stage.rows[stage.present].values;
  const order = part.source.map((s, l) => [s, l]).filter(([s]) => s >= 0).sort((a, b) => lit(stage, a[1]) - lit(stage, b[1]));
  // The lane's own value, where it is joined to what comes.
  if (stage.lane >= 0 && has(part.active, stage.lane) && part.source[stage.lane] !== stage.lane)
    group.append(make('path', {class: 'arc', d: p.path([p.u(stage.lane), v0], [p.u(stage.lane), v1 - p.px(5)]), stroke: 'var(--focus)', 'stroke-width': p.px(1.6), pathLength: 1}));
  for (const [source, reader] of order) {
    const kept = has(part.keep || 0, reader), undefined_ = has(part.undefined || 0, reader), mine = lit(stage, reader);
    group.append(line(stage, p.curve(p.u(source), v0, p.u(reader), v1 - p.px(5)), above[source], mine, kept || undefined_));
    const color = undefined_ ? 'var(--warning)' : mine ? 'var(--accent)' : above[source] >= 0 ? css(colorOf(stage.run, stage.w, above[source])) : 'var(--quiet)';
    if (!kept) group.append(head(stage, p.u(reader), v1, color));
    if (undefined_) group.append(label(stage, p.u(reader), v1 - p.px(14), '?', {style: 'fill: var(--warning); font-weight: 700'}));
  }
  if (stage.lane >= 0 && part.source[stage.lane] >= 0) {
    const row = stage.rows[stage.present];
    group.append(make('rect', {...p.box(p.u(part.source[stage.lane]), (row.v0 + row.v1) / 2, p.cell + p.px(3), row.v1 - row.v0 + p.px(4)), rx: p.px(5), fill: 'none', stroke: 'var(--accent)', 'stroke-width': p.px(2)}));
  }
  return group;
}

// All lanes give, one value comes back.
function drawReduce(stage, part, v0, v1) {
  const p = stage.places, group = make('g'), lanes = lanesOf(part.active), above = stage.rows[stage.present].values;
  const u = lanes.reduce((sum, l) => sum + p.u(l), 0) / Math.max(lanes.length, 1), v = (v0 + v1) / 2;
  const received = part.rows.find(row => row.label === 'received');
  for (const l of lanes) {
    group.append(line(stage, p.curve(p.u(l), v0, u, v - p.px(9)), above[l], lit(stage, l)));
    group.append(line(stage, p.curve(u, v + p.px(9), p.u(l), v1 - p.px(5)), received ? received.values[l] : -1, lit(stage, l)));
    group.append(head(stage, p.u(l), v1, 'var(--quiet)'));
  }
  const id = received ? received.values[lanes[0]] : -1, text = part.op.replace('reduce_', '') + (id >= 0 ? ' ' + textOf(stage.run, id) : '');
  const width = p.px(20 + 7.4 * text.length), [x, y] = p.at(u, v);
  group.append(make('rect', {x: x - width / 2, y: y - p.px(11), width, height: p.px(22), rx: p.px(11), fill: 'var(--raised)', stroke: 'var(--shuffle)', 'stroke-width': p.px(1.4)}, make('title', {}, captionOf(stage.run, part))));
  group.append(make('text', {x, y, class: 'number', fill: 'var(--strong)', style: 'fill: var(--strong)'}, text));
  return group;
}

// What each lane says, and what they receive.
function drawVote(stage, part, v0, v1) {
  const p = stage.places, group = make('g'), lanes = lanesOf(part.active), run = stage.run;
  const bar = v0 + (v1 - v0) * 0.56;
  for (const l of lanes) {
    const v = v0 + p.px(16), [x, y] = p.at(p.u(l), v), r = Math.min(p.px(6), p.cell * 0.3);
    group.append(make('path', {class: 'arc', d: p.path([p.u(l), v0 + p.px(2)], [p.u(l), bar]), stroke: 'var(--vote)', 'stroke-width': p.px(lit(stage, l) ? 2 : 1), opacity: 0.7, pathLength: 1}));
    if (part.says !== undefined) {
      const yes = has(part.says, l);
      group.append(make('circle', {cx: x, cy: y, r, fill: yes ? 'var(--vote)' : 'var(--ground)', stroke: 'var(--vote)', 'stroke-width': p.px(1.4)}, make('title', {}, `lane ${l} says ${yes ? 'yes' : 'no'}`)));
    }
  }
  if (!lanes.length) return group;
  const from = p.u(lanes[0]) - p.cell * 0.4, to = p.u(lanes[lanes.length - 1]) + p.cell * 0.4;
  group.append(make('rect', {...p.box((from + to) / 2, bar, to - from, p.px(4)), rx: 2, fill: 'var(--vote)'}));
  if (!p.tall) group.append(label(stage, (p.u0 + p.end()) / 2, bar + p.px(16), captionOf(run, part), {style: 'fill: var(--text)'}));
  return group;
}

function drawBarrier(stage, part, v0, v1) {
  const p = stage.places, group = make('g'), v = (v0 + v1) / 2 - p.px(p.tall ? 0 : 6), kind = stage.run.steps[stage.k].kind;
  for (const l of lanesOf(part.active)) {
    const open = kind === 'fence';
    group.append(make('rect', {...p.box(p.u(l), v, p.cell + (open ? -p.px(4) : 0.5), p.px(open ? 2 : 6)), fill: 'var(--barrier)', opacity: stage.lane >= 0 && !lit(stage, l) ? 0.55 : 1}));
    group.append(make('path', {class: 'arc', d: p.path([p.u(l), v0], [p.u(l), open ? v1 : v - p.px(4)]), stroke: lit(stage, l) ? 'var(--accent)' : 'var(--barrier)', 'stroke-width': p.px(1), opacity: 0.6, pathLength: 1}));
  }
  if (!p.tall) group.append(label(stage, (p.u0 + p.end()) / 2, v + p.px(22), captionOf(stage.run, part), {style: 'fill: var(--text)'}));
  return group;
}

// --- memory ---

const kWordHeight = 24, kMostLines = 4;

// The words that a step reads and those that it writes: {array, index, shared, lanes, ids, op}, by place in memory.
function wordsOf(part) {
  const sides = {read: new Map(), write: new Map()};
  for (const record of part.memory || []) {
    const side = record.op === 'load' ? sides.read : sides.write;
    record.index.forEach((index, l) => {
      if (!has(record.lanes, l)) return;
      const key = record.array + '\u0001' + index;
      if (!side.has(key)) side.set(key, {array: record.array, index, shared: record.shared, lanes: [], ids: record.values.slice(l * record.elements, (l + 1) * record.elements), op: record.op});
      side.get(key).lanes.push(l);
    });
  }
  const sorted = side => [...side.values()].sort((a, b) => a.array < b.array ? -1 : a.array > b.array ? 1 : a.index - b.index);
  return {read: sorted(sides.read), write: sorted(sides.write)};
}

const linesOf = words => Math.min(Math.max(1, ...words.map(word => word.ids.length)), kMostLines);
const kRowGap = 20;

// Rows of at most as many words as there are lanes, in the order of memory.
function wordRows(words, lanes) {
  const rows = [];
  for (let at = 0; at < words.length; at += lanes) rows.push(words.slice(at, at + lanes));
  return rows;
}

// At scale 1: of one row, and of all with what is between them.
const rowLength = (row, tall) => tall ? 48 : kWordHeight + (linesOf(row) - 1) * 13;
const rowsLength = (rows, tall) => rows.reduce((sum, row, i) => sum + rowLength(row, tall) + (i ? (tall ? 5 : kRowGap) : 0), 0);

function memoryLength(part, lanes) {
  const {read, write} = wordsOf(part), reads = rowsLength(wordRows(read, lanes)), writes = rowsLength(wordRows(write, lanes));
  return 46 + (reads ? reads + 46 : 0) + (writes ? writes + 46 : 0) - (reads && writes ? 20 : 0);
}

// In the order of memory; under the lanes that touch them where that keeps the order.
function spread(stage, words, size) {
  const p = stage.places, wish = words.map(word => word.lanes.reduce((sum, l) => sum + p.u(l), 0) / word.lanes.length);
  const low = Math.min(...wish), high = Math.max(...wish), ordered = wish.every((u, i) => i === 0 || u >= wish[i - 1]);
  const places = ordered ? wish.slice() : words.map((_, i) => words.length === 1 ? low : low + (high - low) * i / (words.length - 1));
  const least = p.u0 + size / 2, most = p.end() - size / 2;
  for (let i = 0; i < places.length; ++i) places[i] = Math.max(places[i], i === 0 ? least : places[i - 1] + size);
  for (let i = places.length - 1; i >= 0; --i) places[i] = Math.min(places[i], i === places.length - 1 ? most : places[i + 1] - size);
  return places;
}

function drawWords(stage, words, v, length) {
  const p = stage.places, run = stage.run, group = make('g');
  if (!words.length) return {group, places: []};
  const size = Math.min(p.cell, (p.end() - p.u0) / words.length), places = spread(stage, words, size);
  const named = size >= p.px(p.tall ? 14 : 25);
  words.forEach((word, i) => {
    const isLit = stage.lane >= 0 && word.lanes.includes(stage.lane), dim = stage.lane >= 0 && !isLit;
    const own = `color-mix(in srgb, ${css(colorOf(run, stage.w, word.ids[0]))} 68%, var(--strong))`;
    const box = p.box(places[i], v, size - p.px(1), length);
    const cell = make('g', {opacity: dim ? 0.6 : 1, 'data-word': `${word.array}[${word.index}]`}, make('title', {}, `${word.array}[${word.index}]` + (word.op.startsWith('atomic') ? ` ${word.op}` : ` = ${word.ids.map(id => textOf(run, id)).join(', ')}`) + `; ${word.lanes.length === 1 ? 'lane' : 'lanes'} ${word.lanes.join(', ')}`),
      make('rect', {...box, fill: 'var(--ground)', stroke: isLit ? 'var(--accent)' : own, 'stroke-width': p.px(isLit ? 2.4 : 1.6), rx: word.shared ? p.px(5) : 0}));
    // A narrow screen has room for the place of a vector, not for its values: they are written next to it.
    const packed = p.tall && word.ids.length > 1;
    if (packed) cell.append(label(stage, places[i], v, `[${word.index}…${word.index + word.ids.length - 1}]`, {'font-size': Math.min(p.px(10), length / (0.62 * (4 + 2 * String(word.index + word.ids.length).length))).toFixed(1)}));
    // Many lanes' atomics on one word: no one's operand is the word's value.
    const joined = word.op.startsWith('atomic') && word.lanes.length > 1;
    if (joined) cell.append(label(stage, places[i], v, `${word.lanes.length}×`, {style: 'fill: var(--text); font-weight: 600'}));
    const count = packed || joined ? 0 : Math.min(word.ids.length, kMostLines);
    for (let e = 0; e < count; ++e) {
      const more = e === kMostLines - 1 && word.ids.length > kMostLines;
      const at = p.tall ? v : v + p.px((e - (count - 1) / 2) * 13), across = p.tall ? places[i] + (e - (count - 1) / 2) * Math.min(p.px(11), size / count) : places[i];
      if (more) cell.append(label(stage, across, at, `+${word.ids.length - e}`, {'font-size': p.px(9)}));
      else cell.append(...number(p, run, word.ids[e], across, at, p.tall ? size / count : size - p.px(2), p.tall ? length : p.px(count > 1 ? 13 : 20), 'var(--text)'));
    }
    if (named && !p.tall) cell.append(label(stage, places[i], v - length / 2 - p.px(6), String(word.index), {'font-size': p.px(9).toFixed(1)}));
    group.append(cell);
  });
  if (!p.tall && !p.bare) {
    const arrays = [...new Set(words.map(word => word.array))];
    const ranges = arrays.map(array => { const of = words.filter(word => word.array === array); const a = of[0].index, b = of[of.length - 1].index + of[of.length - 1].ids.length - 1; return array + (a === b ? `[${a}]` : `[${a}…${b}]`); }).join(' ');
    const kind = words[0].op === 'load' ? 'reads' : words[0].op === 'store' ? 'writes' : words[0].op.replace('_', ' ');
    const x = p.end() + p.px(14), short = ranges.length > 15 ? ranges.slice(0, 14) + '…' : ranges;
    group.append(make('g', {}, make('title', {}, `${words[0].shared ? 'shared' : 'global'} ${ranges}`),
      make('text', {x, y: v - p.px(5), class: 'tiny', 'font-size': p.px(10.5)}, `${kind} ${words[0].shared ? 'shared' : 'global'}`),
      make('text', {x, y: v + p.px(8), class: 'tiny', 'font-size': p.px(10.5), style: 'fill: var(--text)'}, short)));
  }
  return {group, places};
}

function drawMemory(stage, part, v0, v1) {
  const p = stage.places, {read, write} = wordsOf(part), group = make('g'), lines = make('g'), words = make('g'), above = stage.rows[stage.present].values;
  const reads = wordRows(read, p.lanes), writes = wordRows(write, p.lanes), px = p.px, both = reads.length && writes.length;
  const readsLong = px(rowsLength(reads, p.tall)), writesLong = px(rowsLength(writes, p.tall));
  // Reads are under the row before, writes over the row after; where there is only one kind, near the middle.
  const readFrom = both ? v0 + px(p.tall ? 4 : 24) : (v0 + v1 - readsLong) / 2 - px(p.tall ? 10 : 6);
  const writeFrom = both ? v1 - px(p.tall ? 4 : 24) - writesLong : (v0 + v1 - writesLong) / 2 + px(p.tall ? 10 : 8);
  const joint = (readFrom + readsLong + writeFrom - px(p.tall ? 0 : 12)) / 2;
  // Where a lane's formula hides no words.
  if (!both && writes.length === 1 && write.length === 1) stage.avoid = spread(stage, write, p.cell)[0];
  stage.joint = both ? joint : stage.avoid !== undefined ? writeFrom + writesLong / 2 : reads.length ? (readFrom + readsLong + v1) / 2 - px(6) : (v0 + writeFrom) / 2 - px(6);
  let v = readFrom;
  for (const row of reads) {
    const long = px(rowLength(row, p.tall)), drawn = drawWords(stage, row, v + long / 2, long);
    row.forEach((word, i) => word.lanes.forEach(l => {
      lines.append(line(stage, p.curve(drawn.places[i], v + long, p.u(l), both ? joint : v1 - px(5)), word.ids[0], lit(stage, l)));
      const color = lit(stage, l) ? 'var(--accent)' : css(colorOf(stage.run, stage.w, word.ids[0]));
      if (!both) { lines.append(head(stage, p.u(l), v1, color)); return; }
      const [cx, cy] = p.at(p.u(l), joint);
      lines.append(make('circle', {cx, cy, r: px(2.6), fill: lit(stage, l) ? 'var(--accent)' : 'var(--quiet)'}));
    }));
    words.append(drawn.group);
    v += long + px(p.tall ? 5 : kRowGap);
  }
  v = writeFrom;
  for (const row of writes) {
    const long = px(rowLength(row, p.tall)), drawn = drawWords(stage, row, v + long / 2, long), to = v - px(p.tall ? 4 : 13);
    row.forEach((word, i) => word.lanes.forEach(l => {
      lines.append(line(stage, p.curve(p.u(l), both ? joint : v0, drawn.places[i], to), word.op === 'store' ? word.ids[0] : above[l], lit(stage, l)));
      lines.append(head(stage, drawn.places[i], to + px(3), lit(stage, l) ? 'var(--accent)' : 'var(--quiet)'));
    }));
    words.append(drawn.group);
    v += long + px(p.tall ? 5 : kRowGap);
  }
  // Lines pass behind the words of other rows.
  group.append(lines, words);
  return group;
}
