// Appended to a page by page_check.testing.cpp: steps through it by its own keys, reads what is on the screen and
// leaves it as JSON in <pre id="report">.
(function () {
  const press = (key, more = {}) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, ...more}));
  const stage = document.querySelector('.stage'), select = stage.querySelector('select');
  const run = facts.runs[0];
  const text = element => element ? element.textContent : null;
  const cells = row => [...stage.querySelectorAll(`[data-row=${row}] [data-lane]`)].map(cell =>
    [cell.dataset.value, cell.dataset.bits || '', [...cell.querySelectorAll('text')].map(line => line.textContent).join('')]);

  // The inspector, for one lane: chosen by a click on the stage, left by Escape.
  function inspect(lane) {
    stage.querySelector(`.lane[data-lane="${lane}"]`).dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1}));
    const found = {lane, title: text(document.querySelector('#inspector h3')), formula: text(byId('formula')), bits: text(byId('bits')), arithmetic: text(byId('arithmetic')), inputs: text(byId('inputs')),
      rows: [...document.querySelectorAll('#values tr')].map(row => [...row.children].map(text)),
      said: stage.querySelector(`.lane[data-lane="${lane}"]`).getAttribute('aria-label')};
    press('Escape');
    return found;
  }

  function read(step, inspected) {
    const all = {place: text(byId('place')), label: text(document.querySelector('.chip[aria-current=step] b')), line: Number((document.querySelector('.code .now') || {dataset: {line: 0}}).dataset.line),
      code: text(document.querySelector('.code .now code')), warps: []};
    for (let w = 0; w < run.warps.length; ++w) {
      select.value = w;
      select.dispatchEvent(new Event('change'));
      const warp = {name: select.selectedOptions[0].textContent, before: cells('before'), after: cells('after'), facts: [], lanes: []};
      const lanes = run.warps[w].lanes;
      // What the inspector is made of, for all lanes; the inspector itself for some, in turn.
      for (let l = 0; l < lanes; ++l) warp.facts.push([laneFormula(step, w, l), rowsOf(run, step, w, l).map(row => [row.label, row.word, textOf(run, row.id), hexOf(run, row.id)])]);
      const chosen = run.warps.length === 1 ? [...Array(lanes).keys()] : [(step * 7 + w * 5) % lanes];
      if (inspected) for (const l of chosen) warp.lanes.push(inspect(l));
      all.warps.push(warp);
    }
    // Of a non-maximum suppression.
    const marks = name => [...stage.querySelectorAll(`[data-${name}]`)].map(each => each.dataset[name]).sort();
    all.boxes = [...stage.querySelectorAll('[data-box]')].map(box => `${box.dataset.box} ${box.dataset.fate}`).sort();
    all.bits = marks('bit');
    all.removed = marks('removed');
    all.asked = text(stage.querySelector('.predict'));
    all.answered = text(stage.querySelector('.answer'));
    return all;
  }
  function laneFormula(step, w, l) { const part = partAt(run, step, w); return part ? unfold(run, part.formulas[l]) : ''; }

  const report = {forward: [], back: [], errors: []};
  window.addEventListener('error', event => report.errors.push(event.message));
  const finish = () => { document.body.append(make('pre', {id: 'report'}, JSON.stringify(report))); };
  try {
    const count = facts.places.length;
    press('Home');
    for (let step = 0; step < count; ++step) { report.forward.push(read(step, true)); press('ArrowRight'); }
    for (let step = count - 1; step >= 0; --step) { report.back.unshift(read(step, false)); press('ArrowLeft'); }
    press('End');
    report.end = text(byId('place'));
    document.querySelectorAll('.chip')[0].click();
    report.clicked = text(byId('place'));
    byId('slider').value = count - 1;
    byId('slider').dispatchEvent(new Event('input'));
    report.slid = text(byId('place'));
    byId('first').click();
    press('ArrowRight', {shiftKey: true});
    report.stage = run.steps[app.place].stage;
    const light = document.documentElement.classList.contains('light');
    press('d');
    report.theme = document.documentElement.classList.contains('light') !== light;
    press('?');
    report.keys = !byId('keys').hidden;
    press('Escape');
    report.keysGone = byId('keys').hidden;
    report.origin = text(byId('origins'));
    report.result = text(stage.querySelector('.result'));
    report.outside = [...document.querySelectorAll('[src], link[href], [href]')].length;
    press('Home');
    press(' ');
    report.playing = app.playing;
    setTimeout(() => { report.played = text(byId('place')); report.stopped = !app.playing; finish(); }, 1000 * (count + 2));
  } catch (error) {
    report.errors.push(String(error && error.stack || error));
    finish();
  }
})();
