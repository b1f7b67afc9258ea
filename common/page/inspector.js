// Next to the stage: the source, the looked-at lane and its life.

// One lane as text, for those who cannot see the stage.
function laneText(run, k, w, lane) {
  const part = partAt(run, k, w);
  const formula = part ? unfold(run, part.formulas[lane]).split('\n').filter(Boolean).join('; ') : '';
  const id = holdAt(run, k, w).hold[lane];
  return `lane ${lane}: ` + (formula || (part && has(part.active, lane) ? run.steps[k].label : 'idle in this step')) + (id >= 0 ? `; holds ${textOf(run, id)}` : '');
}

// The rows that the program gives of a lane: {label, role, word, id}.
function rowsOf(run, k, w, lane) {
  const part = partAt(run, k, w);
  if (!part) return [];
  return part.rows.filter(row => row.values[lane] >= 0).map(row => ({label: row.label, role: row.role, word: row.word ? unfold(run, row.word[lane]) : '', id: row.values[lane]}));
}

// Bits of a value, a sign at a time: what is sign, exponent and fraction is seen by place, colour and a caption.
function pattern(run, id) {
  const [, hex, type] = run.values[id], [name, exponent, fraction] = run.types[type];
  const bits = [...hex].map(digit => parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  const kinds = [...bits].map((_, i) => fraction === 0 ? 'fraction' : i === 0 ? 'sign' : i <= exponent ? 'exponent' : 'fraction');
  const cells = [];
  kinds.forEach((kind, i) => {
    if (i > 0 && (fraction === 0 ? i % 8 === 0 : kind !== kinds[i - 1])) cells.push(make('i', {class: 'gap'}));
    cells.push(make('i', {class: kind}, bits[i]));
  });
  const label = fraction === 0 ? `${name}: ${bits.length} bits` : `${name}: sign, ${exponent} bits of exponent, ${fraction} of fraction`;
  return [make('div', {class: 'pattern mono', role: 'img', 'aria-label': `${label}: ${bits}`}, cells), make('div', {class: 'quietly'}, label)];
}

function drawInspector(run, k, w, lane, pinned) {
  const step = run.steps[k], part = partAt(run, k, w), all = [];
  const findings = (step.findings || []).map(i => run.findings[i]);
  if (lane < 0) {
    all.push(make('h3', {}, step.label), make('div', {class: 'quietly'}, `step ${k + 1} of ${run.total}, line ${step.line} of ${run.kernelFile}`));
    findings.forEach(found => all.push(make('p', {class: 'warn'}, found.text)));
    all.push(make('p', {class: 'quietly'}, 'Point at a lane, or press ↓, to see what it did; click or P pins it.'));
    all.push(...outcome(run));
    return all;
  }
  const warp = run.warps[w];
  all.push(make('div', {class: 'lane-head'}, make('h3', {}, `Lane ${lane}`), make('span', {class: 'quietly'}, `thread ${warp.warp * run.lanes + lane} of block ${warp.block}`),
    make('button', {type: 'button', id: 'pin', 'aria-pressed': pinned ? 'true' : 'false', onclick: () => app.pin(lane)}, pinned ? 'pinned · P' : 'pin · P')));
  findings.filter(found => found.block === warp.block && found.warp === warp.warp && has(found.lanes, lane)).forEach(found => all.push(make('p', {class: 'warn'}, found.text)));
  if (part && has(part.active, lane)) {
    const [headline, bits, arithmetic] = unfold(run, part.formulas[lane]).split('\n');
    if (headline) all.push(make('p', {class: 'formula mono', id: 'formula'}, headline));
    if (bits) all.push(make('p', {class: 'bits mono', id: 'bits'}, bits));
    if (arithmetic) all.push(make('p', {class: 'arithmetic mono', id: 'arithmetic'}, arithmetic));
    const rows = rowsOf(run, k, w, lane);
    all.push(make('table', {id: 'values'}, rows.map(row => make('tr', {}, make('th', {scope: 'row'}, row.label), make('td', {class: 'word'}, row.word),
      make('td', {class: row.role + '-role value'}, textOf(run, row.id)), make('td', {class: 'hex'}, hexOf(run, row.id))))));
    const last = rows.filter(row => isValue(run, row.id)).pop();
    if (last) all.push(...pattern(run, last.id));
  } else {
    all.push(make('p', {class: 'quietly'}, `idle in this step: ${step.label}`));
  }
  const held = holdAt(run, k, w);
  if (held.inputs.length) all.push(make('p', {class: 'quietly', id: 'inputs'}, run.texts[held.inputs[lane]]));
  all.push(make('h3', {style: 'margin-top: 0.6rem'}, 'Its life'), life(run, k, w, lane), ...outcome(run));
  return all;
}

// Every step that the lane takes part in or that changes what it holds.
function life(run, k, w, lane) {
  const rows = [];
  run.steps.forEach((step, i) => {
    const part = step.byWarp.get(w), id = holdAt(run, i, w).hold[lane], last = holdAt(run, i - 1, w).hold[lane];
    if (!(part && has(part.active, lane)) && id === last && i !== k) return;
    const source = part && part.source && part.source[lane] >= 0 ? `← ${part.source[lane]}` : '';
    rows.push(make('tr', {class: i === k ? 'now' : undefined, onclick: () => app.goToStep(run, i)}, make('th', {}, String(i + 1)),
      make('td', {}, make('button', {type: 'button', 'aria-label': `go to step ${i + 1}, ${step.label}`}, step.label)), make('td', {class: 'quiet-role'}, source),
      make('td', {}, id >= 0 ? [make('span', {class: 'swatch', style: `background: ${css(colorOf(run, w, id))}`}), textOf(run, id)] : ''),
      make('td', {class: 'hex'}, step.line ? `line ${step.line}` : '')));
  });
  return make('table', {class: 'life'}, rows);
}

// Three digits of an error are enough; all are under the pointer.
const rough = text => String(text).length > 8 && Number.isFinite(Number(text)) ? String(Number(Number(text).toPrecision(3))) : text;

function outcome(run) {
  if (!run.results.length) return [];
  return [make('h3', {style: 'margin-top: 0.8rem'}, 'The result'), make('table', {}, run.results.map(result => [
    make('tr', {}, make('th', {scope: 'row'}, (result.summed ? 'sum of ' : '') + result.output), make('td', {class: result.ok ? 'result-role' : 'warning-role'}, result.value)),
    make('tr', {}, make('th', {scope: 'row'}, 'reference'), make('td', {}, result.reference)),
    make('tr', {}, make('th', {scope: 'row'}, 'error'), make('td', {class: result.ok ? undefined : 'warning-role', title: `${result.error}, ${result.bound}`}, `${result.error === 'inf' ? 'not finite' : rough(result.error)}, ${result.ok ? 'within' : 'outside'} ${rough(result.bound)}`)),
    result.reason ? make('tr', {}, make('td', {colspan: 2, class: 'quiet-role', style: 'font-size: 0.85em'}, result.reason)) : ''])) ];
}

function drawCode(run) {
  return run.code.map((tokens, i) => {
    const text = [];
    for (let t = 0; t < tokens.length; t += 2) text.push(tokens[t] ? make('span', {class: tokens[t]}, tokens[t + 1]) : tokens[t + 1]);
    return make('div', {'data-line': i + 1}, make('span', {}, String(i + 1)), make('code', {}, text));
  });
}

// Shared memory as it was when all had come, at a barrier.
function drawImages(run, k, w) {
  const warp = run.warps[w];
  const images = (run.steps[k].images || []).filter(image => run.warps[image.w].block === warp.block && run.warps[image.w].launch === warp.launch);
  return images.map(image => make('div', {}, `${image.array}[${image.first}…${image.first + image.values.length - 1}] = ` +
    image.values.slice(0, 64).map(id => id < 0 ? '·' : textOf(run, id)).join(' ') + (image.values.length + image.more > 64 ? ` … and ${image.values.length + image.more - 64} more` : '')));
}
