// Of a non-maximum suppression: the boxes with what became of them, the matrix of bits, and the row that decides.

const boxes = {
  answers: new Map(),   // of the reader: by variant and row, true for yes

  fate(all, at, k) {
    const box = all.list[at], by = when => when >= 0 && when <= k;
    if (!by(box.placed)) return 'unplaced';
    if (by(box.stored)) return box.lives ? 'kept' : 'removed';
    if (by(box.turn)) return box.livesAtTurn && !by(box.crossed) ? 'kept' : 'removed';
    return by(box.crossed) ? 'crossed' : 'open';
  },
  made(all, row, column) {
    let at = row + 1;
    for (const [step, count] of all.made[row]) { at += count; if (column < at) return step; }
    return -1;
  },
  isSet: (all, row, column) => all.set[row].includes(column),
  acts(all, row, k, w) {
    const box = all.list[row];
    return box.turn === k || box.read === k || (box.worker === w && all.made[row].some(([step]) => step === k));
  },
  colors: {unplaced: 'faint', open: 'text', kept: 'good', crossed: 'warning', removed: 'quiet'},
  color(fate) { return `var(--${this.colors[fate]})`; },
  fatesWidth: (all, px) => px(104 + 6.4 * all.list[all.list.length - 1].name.length),   // "suppressed by F" beside a row
  last: (list, k) => { let found = ''; for (const [step, text] of list) if (step <= k) found = text; return found; },

  // `height`: of the place next to the lanes; 0 where it is below them.
  drawn(run, k, w, width, height, scale) {
    const all = run.boxes;
    if (!all) return [];
    const caption = (all.captions.find(([step]) => step === k) || [0, 'This step changes no box and no bit.'])[1];
    return [make('p', {class: 'quietly'}, this.last(all.counts, k) + (all.note ? ` · ${all.note}` : '')), make('p', {}, caption),
      this.picture(run, k, w, width, height > 0 ? height - 96 * scale : 300 * scale, scale), ...this.question(run, k)];
  },

  question(run, k) {
    const all = run.boxes, open = all.questions.find(each => each.asked <= k && k < each.answered), key = each => `${run.variant} ${each.c}`;
    const last = all.questions.filter(each => each.answered <= k).reduce((a, b) => !a || b.answered > a.answered ? b : a, undefined);
    const rows = [];
    if (open) rows.push(make('p', {class: 'predict'}, make('b', {}, 'Predict '), open.text, ...[['Yes', true], ['No', false]].map(([name, lives]) =>
      make('button', {type: 'button', onclick: () => { this.answers.set(key(open), lives); app.goToStep(run, open.answered); }}, name))));
    if (last) rows.push(make('p', {class: 'quietly answer'}, (this.answers.has(key(last)) ? (this.answers.get(key(last)) === last.lives ? 'Right. ' : 'Not so. ') : '') + last.answer));
    return rows;
  },

  picture(run, k, w, width, room, scale) {
    const all = run.boxes, px = n => n * scale, wide = width > px(560), n = all.list.length;
    const names = px(all.list[n - 1].name.length * 8 + 12), fates = this.fatesWidth(all, px), matrixWidth = wide ? width * 0.56 : width;
    const cell = Math.min((matrixWidth - names - fates) / n, px(26), wide ? (room - px(28)) / (n + 1) : 1e9), tall = px(18) + cell * (n + 1) + px(10);
    const plane = {x: px(4), y: px(6), width: (wide ? width - matrixWidth - px(14) : width) - px(8), height: wide ? Math.max(tall, room) - px(12) : Math.max(Math.min(room - tall - px(20), px(340)), px(160))};
    const height = wide ? plane.height + px(12) : plane.height + tall + px(20);
    const svg = make('svg', {width: width.toFixed(0), height: height.toFixed(0), viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, role: 'img', class: 'boxes-picture', 'aria-label': `${this.last(all.counts, k)}`});
    svg.append(this.plane(run, k, w, plane, px), this.matrix(run, k, w, {x: wide ? width - matrixWidth : 0, y: wide ? 0 : plane.height + px(16)}, names, cell, px));
    return svg;
  },

  plane(run, k, w, where, px) {
    const all = run.boxes, group = make('g', {class: 'plane'}), seen = all.list.map((box, i) => i).filter(i => all.list[i].corners && this.fate(all, i, k) !== 'unplaced');
    if (!seen.length) return make('text', {x: where.x, y: where.y + px(20), class: 'tiny'}, 'no box has its place in the order yet');
    const corners = all.list.filter(box => box.corners).map(box => box.corners), low = i => Math.min(...corners.map(c => Math.min(c[i], c[i + 2]))), high = i => Math.max(...corners.map(c => Math.max(c[i], c[i + 2])));
    const zoom = Math.min(where.width / Math.max(high(0) - low(0), 1e-6), where.height / Math.max(high(1) - low(1), 1e-6), px(8));
    const x = v => where.x + where.width / 2 + (v - (low(0) + high(0)) / 2) * zoom, y = v => where.y + where.height / 2 + (v - (low(1) + high(1)) / 2) * zoom;
    const weight = i => (this.acts(all, i, k, w) ? 8 : 0) + ({kept: 4, open: 2, crossed: 1}[this.fate(all, i, k)] || 0), taken = [];
    for (const i of seen.sort((a, b) => weight(a) - weight(b))) {
      const [x1, y1, x2, y2] = all.list[i].corners, fate = this.fate(all, i, k), color = this.color(fate), now = this.acts(all, i, k, w);
      const place = {x: x(x1).toFixed(1), y: y(y1).toFixed(1), width: Math.max((x2 - x1) * zoom, 0).toFixed(1), height: Math.max((y2 - y1) * zoom, 0).toFixed(1)};
      const each = make('g', {'data-box': i, 'data-fate': fate}, make('title', {}, this.title(all, i, fate)));
      if (now) each.append(make('rect', {...place, fill: 'none', stroke: 'var(--accent)', 'stroke-width': px(6), opacity: 0.7}));
      each.append(make('rect', {...place, fill: fate === 'kept' ? color : 'transparent', 'fill-opacity': 0.12, stroke: color, 'stroke-width': px(fate === 'kept' ? 2.4 : 1.2), 'stroke-dasharray': fate === 'crossed' || fate === 'removed' ? `${px(4)} ${px(4)}` : undefined}));
      group.append(each);
    }
    for (const i of seen.slice().reverse()) {
      const [x1, y1, x2] = all.list[i].corners, name = all.list[i].name, wide = px(7.4 * name.length + 2);
      const at = [[x(x1) + px(3), y(y1) + px(13)], [x(x2) - wide, y(y1) + px(13)]].find(([u, v]) => taken.every(([a, b]) => Math.abs(a - u) > wide || Math.abs(b - v) > px(13)));
      if (!at) continue;
      taken.push(at);
      group.append(make('text', {x: at[0].toFixed(1), y: at[1].toFixed(1), class: 'box-name', 'font-size': px(12).toFixed(1), style: `fill: ${this.color(this.fate(all, i, k))}`, 'pointer-events': 'none'}, name));
    }
    return group;
  },
  title: (all, i, fate) => all.list[i].text + ' · ' + {open: 'undecided', kept: 'kept', crossed: 'suppressed', removed: 'suppressed'}[fate] + ((fate === 'crossed' || fate === 'removed') && all.list[i].by >= 0 ? ` by ${all.list[all.list[i].by].name}` : ''),

  matrix(run, k, w, at, names, cell, px) {
    const all = run.boxes, n = all.list.length, x0 = at.x + names, y0 = at.y + px(18), group = make('g', {class: 'matrix'}), gap = Math.min(px(1), cell / 6);
    const label = (u, v, text, color, anchor) => group.append(make('text', {x: u.toFixed(1), y: v.toFixed(1), 'font-size': px(10.5).toFixed(1), 'text-anchor': anchor, 'dominant-baseline': 'central', style: `fill: ${color}`}, text));
    const square = (row, column, attributes) => make('rect', {x: (x0 + column * cell + gap).toFixed(1), y: (y0 + row * cell + gap).toFixed(1), width: Math.max(cell - 2 * gap, 0.5).toFixed(1), height: Math.max(cell - 2 * gap, 0.5).toFixed(1), ...attributes});
    const each = cell >= px(9) * all.list[n - 1].name.length ? 1 : cell * 4 >= px(24) ? 4 : 8;
    for (let row = 0; row < n; ++row) {
      const box = all.list[row], fate = this.fate(all, row, k), color = this.color(fate), now = this.acts(all, row, k, w), v = y0 + (row + 0.5) * cell;
      if (now) group.append(make('rect', {x: at.x, y: y0 + row * cell, width: names + n * cell + this.fatesWidth(all, px) - px(4), height: cell, fill: 'var(--accent-ground)'}));
      if (row % each === 0) label(x0 + (row + 0.5) * cell, at.y + px(9), box.name, 'var(--quiet)', 'middle');
      if (cell >= px(10) || row % 8 === 0) label(x0 - px(5), v, box.name, now ? 'var(--accent)' : color, 'end');
      group.append(square(row, row, {fill: color, opacity: fate === 'kept' ? 0.9 : 0.28}));
      const gone = fate === 'removed' && !all.racing, ink = gone ? 'var(--quiet)' : box.read >= 0 && box.read <= k ? 'var(--warning)' : 'var(--vote)';
      for (let column = row + 1; column < n; ++column) {
        const made = this.made(all, row, column), set = this.isSet(all, row, column), known = made >= 0 && made <= k;
        if (!known || (!set && cell < px(8))) continue;
        const bit = square(row, column, set ? (gone ? {fill: 'none', stroke: ink, 'stroke-width': px(1.2)} : {fill: ink}) : {fill: 'none', stroke: 'var(--faint)', 'stroke-width': px(0.8)});
        bit.dataset.bit = `${row} ${column} ${set ? 1 : 0}`;
        bit.append(make('title', {}, `${box.name} and ${all.list[column].name}${set ? '' : ' do not'} overlap by more than the threshold`));
        group.append(bit);
      }
      if (cell >= px(11)) label(x0 + n * cell + px(8), v, fate === 'kept' ? 'kept' : fate === 'crossed' || fate === 'removed' ? `${all.racing && box.livesAtTurn ? 'too late, by' : 'suppressed by'} ${box.by >= 0 ? all.list[box.by].name : '?'}` : '', now ? 'var(--accent)' : color, 'start');
    }
    const v = y0 + n * cell + px(5);
    group.append(make('rect', {x: x0, y: v, width: n * cell, height: cell, fill: 'var(--raised)'}));
    all.list.forEach((box, i) => { if (box.crossed >= 0 && box.crossed <= k) group.append(make('rect', {x: (x0 + i * cell + gap).toFixed(1), y: (v + gap).toFixed(1), width: Math.max(cell - 2 * gap, 0.5).toFixed(1), height: Math.max(cell - 2 * gap, 0.5).toFixed(1), fill: 'var(--warning)', 'data-removed': i})); });
    label(x0 + n * cell + px(8), v + cell / 2, 'suppressed', 'var(--quiet)', 'start');
    return group;
  },
};
