// The stage: one warp's lanes, row by row, and between two rows what a step did. Wide screens have lanes next to each
// other and time downwards; narrow ones lanes below each other and time to the right, one step at a time.

// Where things are: `u` goes along the lanes, `v` along time.
class Places {
  // `bare`: without names next to the bands, where stages share the width.
  constructor(run, w, width, tall, scale, bare) {
    Object.assign(this, {run, w, tall, scale, width, bare});
    this.lanes = run.warps[w].lanes;
    this.px = n => n * scale;
    if (tall) {
      this.cell = this.px(21);
      this.u0 = this.px(16);
      this.row = this.px(66);
    } else {
      this.gutter = this.px(bare ? 12 : 122);
      this.u0 = this.px(bare ? 8 : 16);
      this.cell = Math.min((width - this.u0 - this.gutter) / this.lanes, this.px(this.lanes <= 16 ? 84 : 60));
      this.row = Math.max(Math.min(this.cell * 0.92, this.px(30)), this.px(20));
    }
  }
  u(lane) { return this.u0 + this.cell * (lane + 0.5); }
  end() { return this.u0 + this.cell * this.lanes; }
  // [x, y] of a place, and a box around it.
  at(u, v) { return this.tall ? [v, u] : [u, v]; }
  box(u, v, du, dv) {
    const [x, y] = this.at(u - du / 2, v - dv / 2), [width, height] = this.at(du, dv);
    return {x: x.toFixed(1), y: y.toFixed(1), width: Math.max(width, 0).toFixed(1), height: Math.max(height, 0).toFixed(1)};
  }
  path(...points) { return points.map((p, i) => (i === 0 ? 'M' : i === 1 && points.length === 4 ? 'C' : i === 1 ? 'L' : '') + this.at(...p).map(n => n.toFixed(1)).join(' ')).join(' '); }
  curve(u0, v0, u1, v1) { const m = (v0 + v1) / 2; return this.path([u0, v0], [u0, m], [u1, m], [u1, v1]); }
  // Digits that fit next to each other in a box.
  room(size) { return Math.max(4, Math.min(9, Math.floor((size / this.scale - 1) / 5))); }
}

// A number in a box: whole where it fits, else its first digits and "…"; its size by its length.
function number(places, run, id, u, v, du, dv, ink) {
  const [width] = places.at(du, dv).map(Math.abs), height = places.tall ? du : dv;
  const lines = cellText(run, id, places.room(width));
  const longest = Math.max(...lines.map(line => line.length));
  const size = Math.min(places.px(13), (width - places.px(2)) / (0.61 * longest), height * (lines.length > 1 ? 0.46 : 0.72));
  const [x, y] = places.at(u, v);
  return lines.map((line, i) => make('text', {class: 'number', x: x.toFixed(1), y: (y + (i - (lines.length - 1) / 2) * size * 1.02).toFixed(1), 'font-size': size.toFixed(1), fill: ink}, line));
}

// The values a row shows: what was held, but what a step below offers where that is known better.
function rowValues(run, w, k, below) {
  const held = holdAt(run, k, w).hold.slice();
  const part = below === undefined ? undefined : partAt(run, below, w);
  if (part && part.offers) part.offers.forEach((id, lane) => { if (id >= 0) held[lane] = id; });
  return held;
}

class Stage {
  constructor(run, w, k, width, tall, scale, lane, bare) {
    Object.assign(this, {run, w, k, lane});
    this.places = new Places(run, w, width, tall, scale, bare);
    const all = [];
    run.steps.forEach((step, i) => { if (i === k || (!tall && step.byWarp.has(w))) all.push(i); });
    this.bands = all;
    this.present = all.indexOf(k);
    // Row i comes before band i; the last one after all.
    this.rows = [all.length ? all[0] - 1 : -1, ...all].map((step, i) => ({step, values: rowValues(run, w, step, i > 0 && all[i - 1] === k ? undefined : all[i])}));
    this.rows.forEach((row, i) => {
      const same = i > 0 && String(row.values) === String(this.rows[i - 1].values);
      row.near = i === this.present || i === this.present + 1;
      row.thin = !row.near && (same || row.values.every(id => id < 0));
      row.far = Math.abs(i - this.present) > 7 && all.length > 22;
    });
    this.lay();
  }

  lay() {
    const {places: p} = this, px = p.px;
    if (p.tall) {
      const start = px(30);
      this.band0 = start + p.row;
      this.band1 = p.width - px(10) - p.row;
      this.rows.forEach((row, i) => { row.v0 = i === 0 ? start : this.band1; row.v1 = row.v0 + p.row; });
      this.length = p.width;
      return;
    }
    let v = px(24);
    this.rows.forEach((row, i) => {
      row.v0 = v;
      row.v1 = v + (row.far ? px(4) : row.thin ? px(6) : p.row);
      v = row.v1 + px(row.far ? 0.5 : 3);
      if (i < this.bands.length) v += this.bandLength(i) + px(row.far ? 0.5 : 3);
    });
    this.length = v + px(4);
  }

  bandLength(i) {
    const px = this.places.px, kind = this.run.steps[this.bands[i]].kind, part = partAt(this.run, this.bands[i], this.w);
    if (i !== this.present) return this.rows[i].far ? px(2) : kind === 'shuffle' ? px(30) : px(15);
    if (!part) return px(34);
    switch (kind) {
      case 'shuffle': return px(132);
      case 'reduce': return px(120);
      case 'load': case 'store': case 'atomic': return px(memoryLength(part, this.places.lanes));
      case 'vote': case 'active_mask': return px(78);
      default: return px(64);
    }
  }

  band(i) {
    if (this.places.tall) return {v0: this.band0 + this.places.px(4), v1: this.band1 - this.places.px(4)};
    return {v0: this.rows[i].v1 + this.places.px(3), v1: this.rows[i + 1].v0 - this.places.px(3)};
  }

  drawn() {
    const {places: p} = this;
    const size = p.tall ? [p.width, p.u0 + p.cell * p.lanes + p.px(8)] : [p.width, this.length];
    const svg = make('svg', {width: size[0].toFixed(0), height: size[1].toFixed(0), viewBox: `0 0 ${size[0].toFixed(0)} ${size[1].toFixed(0)}`, role: 'group',
      'aria-label': `${this.run.warps[this.w].name}, step ${this.k + 1}: ${this.run.steps[this.k].label}`, 'font-size': p.px(12).toFixed(1)});
    svg.append(this.numbers());
    this.bands.forEach((k, i) => { if (i !== this.present) svg.append(this.quietBand(k, i)); });
    if (this.present >= 0) svg.append(this.presentBand());
    this.rows.forEach((row, i) => svg.append(this.row(row, i)));
    svg.append(this.columns());
    if (this.present >= 0 && this.lane >= 0) svg.append(this.bubble());
    return svg;
  }

  // Middle of the present band, to be scrolled to.
  middle() { const {v0, v1} = this.band(this.present); return (v0 + v1) / 2; }

  numbers() {
    const {places: p} = this, step = Math.ceil(p.px(15) / p.cell);
    return make('g', {'aria-hidden': 'true'}, [...Array(p.lanes).keys()].filter(l => l % step === 0 || l === this.lane).map(l => {
      const [x, y] = p.tall ? [p.px(15), p.u(l)] : [p.u(l), p.px(12)];
      return make('text', {class: 'lane-number', x: x.toFixed(1), y: y.toFixed(1), 'dominant-baseline': 'central', 'font-size': p.px(10).toFixed(1),
        fill: l === this.lane ? 'var(--strong)' : 'var(--quiet)', 'font-weight': l === this.lane ? 700 : 400, style: l === this.lane ? 'fill: var(--strong)' : undefined}, String(l));
    }));
  }

  row(row, i) {
    const {places: p, run, w} = this, part = partAt(run, this.k, w);
    const reached = row.step <= this.k, middle = (row.v0 + row.v1) / 2, dv = row.v1 - row.v0;
    const side = i === this.present ? 'before' : i === this.present + 1 ? 'after' : undefined;
    const held = holdAt(run, row.step, w);
    const group = make('g', {class: 'cells', 'data-row': side});
    for (let l = 0; l < p.lanes; ++l) {
      const id = row.values[l], box = p.box(p.u(l), middle, p.cell - p.px(1), dv);
      if (!reached || id < 0) {
        if (!(row.thin || row.far)) group.append(make('rect', {...box, rx: p.px(3), class: 'unknown'}));
        if (side && reached) group.append(make('g', {'data-lane': l, 'data-value': ''}));
        continue;
      }
      const rgb = colorOf(run, w, id);
      const idle = side === 'after' && part && !has(part.active, l);
      const cell = make('g', {'data-lane': side ? l : undefined, 'data-value': side ? textOf(run, id) : undefined, 'data-bits': side ? run.values[id][1] : undefined},
        make('rect', {...box, rx: p.px(row.thin || row.far ? 1 : 3), class: 'cell', fill: css(rgb), opacity: idle ? 0.62 : undefined}));
      if (!row.thin && !row.far) {
        cell.append(...number(p, run, id, p.u(l), middle, p.cell - p.px(1), dv, textOn(rgb)));
        // Counted twice and undefined: a broken edge, so that colour is not the only sign.
        if (has(held.warned || 0, l)) cell.append(make('rect', {...box, rx: p.px(3), fill: 'none', stroke: 'var(--warning)', 'stroke-width': p.px(2), 'stroke-dasharray': `${p.px(3)} ${p.px(2)}`}));
      }
      group.append(cell);
    }
    return group;
  }

  // A step that is not looked at: its name, and faint arcs where lanes read lanes.
  quietBand(k, i) {
    const {places: p, run, w} = this, {v0, v1} = this.band(i), part = partAt(run, k, w), step = run.steps[k];
    const group = make('g', {class: 'hot', onclick: () => app.goToStep(run, k), 'data-step': k}, make('title', {}, `step ${k + 1}: ${step.label}`));
    group.append(make('rect', {...p.box((p.u0 + p.width) / 2, (v0 + v1) / 2, p.width - p.u0, v1 - v0), fill: 'transparent'}));
    if (this.rows[i].far) return group;
    if (part && part.source) part.source.forEach((s, l) => {
      if (s >= 0) group.append(make('path', {class: 'arc', d: p.curve(p.u(s), v0, p.u(l), v1), stroke: 'var(--faint)', 'stroke-width': p.px(1), opacity: 0.75}));
    });
    else if (part) for (const l of lanesOf(part.active)) group.append(make('path', {class: 'arc', d: p.path([p.u(l), v0 + p.px(3)], [p.u(l), v1 - p.px(3)]), stroke: 'var(--faint)', 'stroke-width': p.px(1)}));
    if (!p.bare) group.append(this.bandName(step.label, (v0 + v1) / 2, false, step.kind));
    return group;
  }

  bandName(label, v, present, kind) {
    const {places: p} = this, x = p.end() + p.px(14), short = label.length > 14 ? label.slice(0, 13) + '…' : label;
    const group = make('g', {}, make('title', {}, label));
    if (present) group.append(make('rect', {x: x - p.px(7), y: v - p.px(11), width: p.px(14 + 7.3 * short.length), height: p.px(22), rx: p.px(4), fill: kindColor(kind)}));
    group.append(make('text', {x, y: v, 'dominant-baseline': 'central', class: 'band-label', 'font-size': p.px(12).toFixed(1), style: present ? 'fill: var(--on-kind); font-weight: 600' : undefined}, short));
    return group;
  }

  presentBand() {
    const {places: p, run, w} = this, step = run.steps[this.k], part = partAt(run, this.k, w), {v0, v1} = this.band(this.present);
    const group = make('g', {class: 'moves'});
    if (part) {
      const draw = {shuffle: drawShuffle, reduce: drawReduce, vote: drawVote, active_mask: drawVote, load: drawMemory, store: drawMemory, atomic: drawMemory,
        block_barrier: drawBarrier, warp_barrier: drawBarrier, fence: drawBarrier}[step.kind];
      group.append(draw(this, part, v0, v1));
    } else {
      const [x, y] = p.at((p.u0 + p.end()) / 2, (v0 + v1) / 2);
      group.append(make('text', {x, y, class: 'lane-number', 'dominant-baseline': 'central'}, p.tall ? 'no part' : 'this warp has no part in this step'));
    }
    // Next to words of memory is what they are: the step's name above them.
    const named = part && part.memory ? v0 + p.px(10) : (v0 + v1) / 2;
    if (!p.tall && !p.bare) group.append(this.bandName(step.label, named, true, step.kind));
    return group;
  }

  // What the pointer and the finger hit: a column for each lane, over all rows.
  columns() {
    const {places: p} = this, row = this.rows[Math.max(this.present, 0)], after = this.rows[Math.max(this.present, 0) + 1] || row;
    const from = p.tall ? 0 : p.px(2), to = p.tall ? p.width : this.length, group = make('g', {});
    for (let l = 0; l < p.lanes; ++l) {
      const label = laneText(this.run, this.k, this.w, l);
      group.append(make('rect', {...p.box(p.u(l), (from + to) / 2, p.cell, to - from), fill: 'transparent', class: 'hot lane', 'data-lane': l, role: 'button',
        tabindex: l === (this.lane >= 0 ? this.lane : 0) ? 0 : -1, 'aria-label': label, 'aria-pressed': l === this.lane ? 'true' : 'false',
        onpointerenter: event => { if (event.pointerType !== 'touch') app.hover(this.run, l); }, onpointerleave: () => app.hover(this.run, -1),
        onclick: event => app.clickLane(this, l, event), onfocus: () => app.hover(this.run, l), onblur: () => app.hover(this.run, -1)}));
    }
    // Lanes that a finding names.
    const warp = this.run.warps[this.w], found = (this.run.steps[this.k].findings || []).map(i => this.run.findings[i]).filter(each => each.block === warp.block && each.warp === warp.warp);
    for (let l = 0; row && l < p.lanes; ++l) if (found.some(each => has(each.lanes, l))) for (const each of [row, after])
      group.append(make('rect', {...p.box(p.u(l), (each.v0 + each.v1) / 2, p.cell - p.px(1), each.v1 - each.v0), rx: p.px(4), fill: 'none', stroke: 'var(--warning)', 'stroke-width': p.px(2), 'pointer-events': 'none', 'data-found': l}));
    if (this.lane >= 0 && row) for (const each of [row, after]) {
      group.append(make('rect', {...p.box(p.u(this.lane), (each.v0 + each.v1) / 2, p.cell - p.px(1), each.v1 - each.v0), rx: p.px(4), fill: 'none', stroke: 'var(--focus)', 'stroke-width': p.px(2), 'pointer-events': 'none'}));
    }
    return group;
  }

  // The lane's formula next to it, where the band has room.
  bubble() {
    const {places: p, run} = this, part = partAt(run, this.k, this.w), {v0, v1} = this.band(this.present);
    if (p.tall || !part || v1 - v0 < p.px(56)) return make('g');
    const most = this.avoid === undefined ? Math.max(40, Math.min(100, Math.floor((p.width / p.px(1) - 30) / 7.3))) : 44;
    const [head, , arithmetic] = unfold(run, part.formulas[this.lane]).split('\n');
    const lines = [head, arithmetic].filter(Boolean).map(line => line.length > most ? line.slice(0, most - 1) + '…' : line);
    if (!lines.length) return make('g');
    const width = p.px(18 + 7.3 * Math.max(...lines.map(line => line.length))), height = p.px(10 + 17 * lines.length);
    const right = p.u(this.lane) + p.cell + width < p.end() || this.lane < p.lanes / 2;
    let x = Math.max(p.px(4), Math.min(right ? p.u(this.lane) + p.cell : p.u(this.lane) - p.cell - width, p.width - width - p.px(4)));
    // One word that all want stays in sight.
    if (this.avoid !== undefined && x < this.avoid + p.cell && x + width > this.avoid - p.cell)
      x = this.avoid - p.cell - width > 0 ? this.avoid - p.cell - width : this.avoid + p.cell;
    const y = (this.joint || (v0 + v1) / 2) - height / 2;
    return make('g', {'pointer-events': 'none'}, make('rect', {x, y, width, height, rx: p.px(5), fill: 'var(--panel)', stroke: 'var(--accent)', 'stroke-width': p.px(1.2)}),
      lines.map((line, i) => make('text', {x: x + p.px(9), y: y + p.px(18 + 17 * i), class: 'ink', 'font-size': p.px(12).toFixed(1), style: i === 0 ? 'fill: var(--strong)' : undefined}, line)));
  }
}
