// Where the reader is, and what keys, buttons and fingers do.

const byId = id => document.getElementById(id);
const kKeys = [['Space', 'play or pause'], ['← →', 'one step back or forward'], ['Shift ← →', 'one stage back or forward'], ['Home End', 'first or last step'],
  ['+ -', 'play faster or slower'], ['↑ ↓', 'look at the lane before or after'], ['W', 'next warp (Shift W: the one before)'], ['G', 'next block of the grid'],
  ['P', 'pin the lane that is pointed at'], ['D', 'dark or light'], ['?', 'these keys'], ['Esc', 'back: keys, pin']];
const kSecondsPerStep = 0.9;

const app = {
  place: 0, playing: false, speed: 1, pinned: -1, hovered: -1, shownRun: 0, timer: 0, warps: facts.runs.map(() => 0), home: facts.runs.map(() => 0), panels: [], shown: [],

  start() {
    const open = facts.open, first = facts.runs[0];
    document.documentElement.classList.toggle('light', matchMedia('(prefers-color-scheme: light)').matches);
    matchMedia('(prefers-color-scheme: light)').addEventListener('change', event => { document.documentElement.classList.toggle('light', event.matches); this.draw(); });
    const ownFile = facts.title.startsWith(facts.lesson);  // a file of one's own has its name for a title, and no number
    byId('lesson').textContent = (ownFile ? '' : facts.lesson.replace(/^(\d+).*/, '$1 ')) + facts.title;
    if (ownFile) document.querySelector('#text > summary').textContent = 'What was run';
    facts.runs.forEach((run, r) => {
      const w = run.warps.findIndex(warp => (open.block < 0 || warp.block === open.block) && (open.warp < 0 || warp.warp === open.warp));
      this.warps[r] = this.home[r] = Math.max(w, 0);
      byId('origins').append(make('span', {class: 'origin'}, (facts.runs.length > 1 ? run.title + ': ' : '') + run.origin + (run.origin.includes(run.facts.date) ? '' : ' · ' + run.facts.date) + (run.accesses && !run.origin.includes('emulator') ? ' · ' + run.accesses : '')));
      this.panels.push(this.panel(run, r));
    });
    byId('stages').append(...this.panels.map(panel => panel.element));
    if (facts.comparison.length) document.querySelector('main').before(make('div', {class: 'comparison'}, facts.comparison.map(text => make('p', {}, text))));
    byId('stages').classList.toggle('several', facts.runs.length > 1);
    byId('slider').max = Math.max(facts.places.length - 1, 0);
    this.timeline();
    this.listen();
    this.pinned = open.lane < first.lanes ? open.lane : -1;
    this.tabs();
    this.take(open.step);
    this.started = true;
    this.draw();
    window.addEventListener('hashchange', () => {
      const variant = new URLSearchParams(location.hash.slice(1)).get('variant');
      if (documents.length > 1 && variant && variant !== facts.runs[0].variant) { location.reload(); return; }
      this.take(0);
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(byId('stages'));
  },

  // Where the address says; `step` where it names none.
  take(step) {
    const hash = new URLSearchParams(location.hash.slice(1)), first = facts.runs[0];
    const number = name => { const value = Number(hash.get(name)); return hash.has(name) && Number.isInteger(value) ? value : -1; };
    if (number('step') > 0) step = number('step') - 1;
    if (number('lane') >= 0 && number('lane') < first.lanes) this.pinned = number('lane');
    if (number('warp') >= 0) this.warps[0] = this.home[0] = Math.max(0, Math.min(number('warp'), first.warps.length - 1));
    if (hash.has('theme')) document.documentElement.classList.toggle('light', hash.get('theme') === 'light');
    // Next to each other steps are counted by their places.
    const at = facts.runs.length > 1 ? step : facts.places.findIndex(place => place[0] === step);
    if (at >= 0 && at < facts.places.length) this.place = at;
    if (number('warp') < 0) this.followWork();
  },
  // The address follows, so that it can be shared: it opens the same step.
  address() {
    if (!this.started || !facts.places.length) return;
    const hash = new URLSearchParams();
    if (documents.length > 1) hash.set('variant', facts.runs[0].variant);
    hash.set('step', (facts.runs.length > 1 ? this.place : Math.max(facts.places[this.place][0], 0)) + 1);
    if (this.home[0] > 0) hash.set('warp', this.home[0]);
    if (this.pinned >= 0) hash.set('lane', this.pinned);
    try { history.replaceState(null, '', `#${hash}`); } catch { /* a frame without an address of its own */ }
  },
  // A link of the text: another variant, a step, a lane.
  follow(parts) {
    const hash = new URLSearchParams();
    hash.set('variant', parts.get('variant') || facts.runs[0].variant);
    for (const kind of ['step', 'lane']) if (parts.has(kind)) hash.set(kind, parts.get(kind));
    location.hash = String(hash);
    scrollTo(0, 0);
  },
  tabs() {
    byId('tabs').hidden = documents.length < 2;
    byId('tabs').append(...documents.map(each => make('button', {type: 'button', 'aria-current': each === facts ? 'page' : undefined, title: each.runs[0].summary,
      onclick: () => this.follow(new Map([['variant', each.runs[0].variant]]))}, each.runs[0].title, each.runs[0].wrong ? make('span', {class: 'wrong', title: 'wrong on purpose'}, ' ✕') : '')));
    const open = document.querySelector('#tabs [aria-current]'), all = byId('tabs');
    if (open && open.offsetLeft + open.offsetWidth > all.offsetLeft + all.clientWidth) all.scrollLeft = open.offsetLeft - all.offsetLeft - 24;
    byId('text').hidden = !page.text;
    if (page.text) byId('lesson-text').append(...textOfLesson.drawn(page.text));
  },

  panel(run, r) {
    const select = make('select', {'aria-label': 'Warp', onchange: event => { this.warps[r] = this.home[r] = Number(event.target.value); this.shownRun = r; this.draw(); }},
      run.warps.map((warp, w) => make('option', {value: w}, warp.name)));
    const caption = make('span', {class: 'caption'}), scroll = make('div', {class: 'scroll'}), picture = make('div', {}), captions = make('div', {class: 'captions'}), legend = make('div', {class: 'legend'});
    const bar = `linear-gradient(to right, ${[0.06, 0.3, 0.53, 0.77, 1].map(t => css(viridis(t))).join(', ')})`;
    legend.append(make('span', {}, 'low', make('span', {class: 'bar', style: `background: ${bar}`}), 'high, in this warp'));
    if (run.steps.some(step => step.parts.some(part => part.memory))) legend.append(make('span', {}, make('i', {class: 'key read'}), 'read now'), make('span', {}, make('i', {class: 'key written'}), 'written now'));
    if (run.held.some(row => row.some(held => held.warned))) legend.append(make('span', {style: 'border: 2px dashed var(--warning); padding: 0 0.4rem'}, 'an input counted twice, or undefined'));
    const wrong = run.mistakes || !run.right;
    const element = make('section', {class: 'stage', 'aria-label': run.title, onpointerdown: () => { this.shownRun = r; }},
      make('div', {class: 'head'}, make('h2', {}, run.title), run.title === run.variant ? '' : make('span', {class: 'quietly mono'}, run.variant), select, caption,
        make('span', {class: 'result ' + (wrong ? 'bad' : 'ok')}, [run.result, run.mistakes].filter(Boolean).join(', but: ') + (run.absorbed ? `, but ${run.absorbed}` : '')),
        run.summary ? make('p', {class: 'summary'}, run.summary) : '',
        make('p', {class: 'summary facts'}, this.factsText(run)),
        run.note ? make('p', {class: 'summary note'}, run.note) : ''),
      [run.notice, run.limit, run.wrong ? 'This kernel is wrong on purpose.' : ''].filter(Boolean).map(text => make('p', {class: 'notice'}, text)),
      // The lanes come first; the boxes are next to them where there is room, else below.
      run.boxes ? make('div', {class: 'beside'}, make('div', {class: 'lanes'}, scroll, captions, legend),
        make('details', {class: 'boxes', open: true, ontoggle: () => { if (this.started) this.draw(); }}, make('summary', {}, 'Boxes and the matrix of bits'), picture)) : [scroll, captions, legend]);
    if (!run.result && !run.mistakes) element.querySelector('.result').remove();
    return {element, select, caption, scroll, picture, captions, last: -1};
  },

  factsText(run) {
    const {n, block, input, seed} = run.facts;
    return `n ${n} · block ${block} · input ${input}` + (/random|seed/.test(input) ? ` · seed ${seed}` : '') + (run.warps.length ? ` · ${run.warps.length} recorded warp${run.warps.length === 1 ? '' : 's'}` : '');
  },

  timeline() {
    byId('timeline').classList.toggle('dense', facts.places.length > 40);
    byId('timeline').append(...facts.places.map((place, at) => {
      const r = place.findIndex(k => k >= 0), step = facts.runs[r].steps[place[r]];
      const found = place.some((k, i) => k >= 0 && facts.runs[i].steps[k].findings);
      // One name where all runs have it; else what they do, and their names as its title.
      const labels = [...new Set(place.map((k, i) => k < 0 ? '' : facts.runs[i].steps[k].label).filter(Boolean))];
      const label = labels.length > 1 ? facts.names[at][0] : step.label;
      return make('button', {type: 'button', class: 'chip' + (found ? ' found' : ''), style: `--kind: ${kindColor(step.kind)}`, 'data-place': at, title: labels.join(' | '), onclick: () => this.go(at)},
        make('b', {}, label), make('span', {class: 'work'}));
    }));
  },

  // How many of the block's lanes work at each step: of the run that is looked at.
  drawWork() {
    const r = this.shownRun, run = facts.runs[r], warp = run.warps[this.warps[r]];
    byId('timeline').querySelectorAll('.chip').forEach((chip, at) => {
      const k = facts.places[at][r], work = chip.querySelector('.work');
      chip.classList.toggle('past', at < this.place);
      if (at === this.place) chip.setAttribute('aria-current', 'step');
      else chip.removeAttribute('aria-current');
      const key = `${r} ${warp.place}`;
      if (work.dataset.key === key) return;
      work.dataset.key = key;
      if (k < 0) { work.replaceChildren(); return; }
      const [lanes, adding, more] = run.steps[k].work[warp.place] || [0, 0, 0], shown = adding || lanes, waits = run.steps[k].kind.endsWith('barrier');
      work.replaceChildren(make('i', {class: adding ? 'adds' : undefined, style: `height: calc((100% - var(--number)) * ${(shown / warp.threads).toFixed(4)})`}), make('em', {}, String(shown)));
      chip.setAttribute('aria-label', `step ${at + 1}: ${run.steps[k].label}; ${adding && more ? 'at least ' : ''}${shown} of ${warp.threads} lanes ${adding ? 'add' : waits ? 'wait' : 'active'}`);
    });
  },

  stepOf(r) {
    // Where a run has no step at this place, its last one stays in sight.
    for (let at = this.place; at >= 0; --at) if (facts.places[at] && facts.places[at][r] >= 0) return facts.places[at][r];
    return 0;
  },
  isHere(r) { return facts.places[this.place] && facts.places[this.place][r] >= 0; },
  lane() { return this.hovered >= 0 ? this.hovered : this.pinned; },

  draw() {
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 14, tall = matchMedia('(max-width: 760px)').matches, low = matchMedia('(max-height: 559px) and (min-width: 761px)').matches;
    this.panels.forEach((panel, r) => {
      const run = facts.runs[r], w = this.warps[r], k = this.stepOf(r);
      if (!run.steps.length) { panel.scroll.replaceChildren(make('p', {class: 'notice'}, 'This run recorded no steps.')); return; }
      panel.select.value = w;
      const step = run.steps[k], part = partAt(run, k, w), lanes = part ? lanesOf(part.active).length : 0;
      panel.caption.textContent = `${step.label} · ${lanes} ` + (step.kind.endsWith('barrier') ? (lanes === 1 ? 'lane waits' : 'lanes wait') : (lanes === 1 ? 'active lane' : 'active lanes')) + (this.isHere(r) ? '' : ` · ${facts.names[this.place][1]}`);
      const width = Math.max(panel.scroll.clientWidth, 300), lane = this.lane() < run.warps[w].lanes ? this.lane() : -1;
      const stage = new Stage(run, w, k, width, tall, scale, lane, facts.runs.length > 1), svg = stage.drawn();
      if (panel.last === `${k} ${w}`) svg.querySelectorAll('.moves').forEach(group => group.classList.remove('moves'));
      panel.scroll.replaceChildren(svg);
      if (panel.last !== `${k} ${w}` && !tall) panel.scroll.scrollTop = stage.middle() - panel.scroll.clientHeight * 0.46;
      // Sideways the page itself scrolls.
      if (panel.last !== `${k} ${w}` && low && r === 0) scrollTo(0, panel.scroll.getBoundingClientRect().top + scrollY + stage.middle() - innerHeight * 0.4);
      panel.last = `${k} ${w}`;
      const captions = part && part.captions ? part.captions.map(i => make('div', {}, run.texts[i])) : [];
      const found = (step.findings || []).map(i => make('div', {class: 'warn'}, run.findings[i].text));
      if (run.boxes) {
        const beside = matchMedia('(min-width: 1100px) and (min-height: 560px)').matches;
        panel.picture.replaceChildren(...boxes.drawn(run, k, w, Math.max(panel.picture.clientWidth, 300), beside ? panel.picture.closest('.boxes').clientHeight : 0, scale));
      }
      panel.captions.replaceChildren(...found, ...captions, ...drawMemoryPanel(run, k, w), ...drawImages(run, k, w));
      panel.element.style.opacity = this.isHere(r) ? '' : 0.6;
    });
    this.drawSide();
    this.address();
    byId('place').textContent = `step ${Math.min(this.place + 1, facts.places.length)} of ${facts.places.length}`;
    byId('slider').value = this.place;
    byId('slider').setAttribute('aria-valuetext', byId('place').textContent);
    byId('speed').textContent = this.speed === 1 ? '' : `speed ${this.speed.toFixed(2)}×`;
    byId('play').setAttribute('aria-label', this.playing ? 'Pause (Space)' : 'Play (Space)');
    byId('play-sign').setAttribute('d', this.playing ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M5 3l8 5-8 5z');
  },

  drawSide() {
    const r = this.shownRun, run = facts.runs[r];
    if (!run.steps.length) return;
    const k = this.stepOf(r), w = this.warps[r], step = run.steps[k], lane = this.lane() < run.warps[w].lanes ? this.lane() : -1;
    if (byId('code').dataset.run !== String(r)) {
      byId('code').replaceChildren(...drawCode(run));
      byId('code').dataset.run = r;
      byId('file').textContent = run.kernelFile + (facts.runs.length > 1 ? ` · ${run.title}` : '');
    }
    byId('line').textContent = step.line ? `line ${step.line}` : '';
    const last = byId('code').querySelector('.now'), now = byId('code').querySelector(`[data-line="${step.line}"]`);
    if (last !== now) {
      if (last) last.classList.remove('now');
      if (now) {
        now.classList.add('now');
        byId('code').scrollTop = now.offsetTop - byId('code').offsetTop - byId('code').clientHeight / 2.4;
      }
    }
    if (!this.chipShown) { this.chipShown = true; this.showChip(); }
    byId('inspector').replaceChildren(...drawInspector(run, k, w, lane, this.pinned === lane));
    this.drawWork();
  },

  say() {
    const r = this.shownRun, run = facts.runs[r], k = this.stepOf(r);
    byId('said').textContent = `step ${this.place + 1} of ${facts.places.length}: ${run.steps[k].label}. ` + (this.lane() >= 0 ? laneText(run, k, this.warps[r], this.lane()) : '');
  },

  go(at) {
    const target = Math.max(0, Math.min(at, facts.places.length - 1));
    if (target === this.place) return;
    this.place = target;
    this.followWork();
    this.draw();
    this.say();
    this.showChip();
  },
  // The present step's chip is in sight.
  showChip() {
    const chip = byId('timeline').children[this.place], strip = byId('timeline').parentElement;
    if (chip && (chip.offsetLeft < strip.scrollLeft || chip.offsetLeft + chip.offsetWidth > strip.scrollLeft + strip.clientWidth)) strip.scrollLeft = chip.offsetLeft - strip.clientWidth / 2;
  },
  // Where the block of the warp that the reader chose has no part in a step, a warp that has one is shown.
  followWork() {
    facts.runs.forEach((run, r) => {
      const home = run.warps[this.home[r]], step = run.steps[this.stepOf(r)], parts = step ? step.parts : [];
      const fit = w => { const warp = run.warps[w]; return warp.block !== home.block ? (warp.warp === home.warp ? 1 : 0) : warp.launch === home.launch ? 9 : warp.warp === home.warp ? 3 : 2; };
      const best = parts.reduce((w, part) => w < 0 || fit(part.w) > fit(w) ? part.w : w, -1);
      this.warps[r] = best < 0 || fit(best) === 9 ? this.home[r] : best;
    });
  },
  goToStep(run, k) { this.pause(); this.go(facts.places.findIndex(place => place[facts.runs.indexOf(run)] === k)); },
  stage(direction) {
    const r = facts.places[this.place].findIndex(k => k >= 0), stageAt = at => { const k = facts.places[at][r]; return k < 0 ? undefined : facts.runs[r].steps[k].stage; };
    let at = this.place;
    const name = stageAt(at);
    while (at + direction >= 0 && at + direction < facts.places.length && stageAt(at) === name) at += direction;
    this.go(at);
  },
  pause() { this.playing = false; clearTimeout(this.timer); this.draw(); },
  toggle() {
    if (this.playing) return this.pause();
    if (facts.places.length < 2) return;
    if (this.place + 1 >= facts.places.length) this.go(0);
    this.playing = true;
    this.draw();
    this.wait();
  },
  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.playing) return;
      if (this.place + 1 >= facts.places.length) return this.pause();
      this.go(this.place + 1);
      this.wait();
    }, 1000 * kSecondsPerStep / this.speed);
  },

  hover(run, lane) {
    const r = facts.runs.indexOf(run);
    if (lane === this.hovered && r === this.shownRun) return;
    this.hovered = lane;
    if (lane >= 0) this.shownRun = r;
    // The columns stay: redrawing under the pointer would lose it.
    clearTimeout(this.later);
    this.later = setTimeout(() => this.redraw(), 0);
  },
  redraw() {
    const focused = document.activeElement && document.activeElement.classList.contains('lane') ? document.activeElement.dataset.lane : undefined;
    const panel = this.panels[this.shownRun];
    this.draw();
    if (focused !== undefined) this.quietFocus(panel.scroll.querySelector(`.lane[data-lane="${focused}"]`));
  },
  quietFocus(element) { if (element) { const kept = this.hovered; element.focus({preventScroll: true}); this.hovered = kept; clearTimeout(this.later); } },
  clickLane(stage, lane, event) {
    this.shownRun = facts.runs.indexOf(stage.run);
    if (event.detail !== 0 || this.pinned !== lane) this.pin(lane);
  },
  pin(lane) { this.pinned = this.pinned === lane ? -1 : lane; this.draw(); },
  nextLane(direction) {
    const r = this.shownRun, lanes = facts.runs[r].warps[this.warps[r]].lanes, lane = this.pinned;
    this.hovered = -1;
    this.pinned = direction > 0 ? (lane + 1) % lanes : (lane < 1 ? lanes : lane) - 1;
    this.draw();
    this.say();
  },
  nextWarp(direction, byBlock) {
    const r = this.shownRun, warps = facts.runs[r].warps, now = warps[this.warps[r]];
    if (!warps.length) return;
    let w = this.warps[r];
    do w = (w + direction + warps.length) % warps.length;
    while (byBlock && w !== this.warps[r] && warps[w].block === now.block && warps[w].launch === now.launch);
    if (byBlock) w = warps.findIndex(warp => warp.block === warps[w].block && warp.launch === warps[w].launch);
    this.warps[r] = this.home[r] = w;
    this.draw();
  },
  theme() { document.documentElement.classList.toggle('light'); this.draw(); },
  keys(show) {
    byId('keys').hidden = !show;
    byId('help').setAttribute('aria-expanded', String(show));
    if (!show) { byId('help').focus(); return; }
    byId('keys').replaceChildren(make('div', {tabindex: -1}, make('h3', {}, 'Keys'), make('table', {}, kKeys.map(([key, what]) => make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {style: 'font-family: inherit'}, what)))),
      make('p', {}, make('button', {type: 'button', onclick: () => this.keys(false)}, 'Close'))));
    byId('keys').querySelector('button').focus();
  },

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target.tagName, typing = on === 'SELECT' || (on === 'INPUT' && !event.key.startsWith('Arrow') && event.key !== 'Home' && event.key !== 'End' ? false : on === 'INPUT');
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (key === 'Escape') { if (!byId('keys').hidden) this.keys(false); else if (this.pinned >= 0) { this.pinned = -1; this.draw(); } return; }
    if (typing || (!byId('keys').hidden && key !== '?')) return;
    // A focused button answers Space and Enter itself.
    if (key === ' ' && (on === 'BUTTON' || event.target.classList.contains('lane')) && event.target.id !== 'play') { if (!event.target.classList.contains('lane')) return; }
    const does = {
      ' ': () => this.toggle(), ArrowRight: () => { this.pause(); event.shiftKey ? this.stage(1) : this.go(this.place + 1); },
      ArrowLeft: () => { this.pause(); event.shiftKey ? this.stage(-1) : this.go(this.place - 1); }, Home: () => { this.pause(); this.go(0); },
      End: () => { this.pause(); this.go(facts.places.length - 1); }, ArrowDown: () => this.nextLane(1), ArrowUp: () => this.nextLane(-1),
      '+': () => { this.speed = Math.min(this.speed * 1.5, 8); this.draw(); }, '-': () => { this.speed = Math.max(this.speed / 1.5, 0.2); this.draw(); },
      W: () => this.nextWarp(event.shiftKey ? -1 : 1, false), G: () => this.nextWarp(event.shiftKey ? -1 : 1, true), P: () => { if (this.lane() >= 0) this.pin(this.lane()); },
      D: () => this.theme(), '?': () => this.keys(byId('keys').hidden)}[key];
    if (!does) return;
    event.preventDefault();
    does();
  },

  listen() {
    const on = (id, what) => byId(id).addEventListener('click', what);
    on('first', () => { this.pause(); this.go(0); });
    on('back', () => { this.pause(); this.go(this.place - 1); });
    on('forward', () => { this.pause(); this.go(this.place + 1); });
    on('last', () => { this.pause(); this.go(facts.places.length - 1); });
    on('play', () => this.toggle());
    on('theme', () => this.theme());
    on('help', () => this.keys(true));
    byId('slider').addEventListener('input', event => { const at = Number(event.target.value); this.pause(); this.go(at); });
    byId('keys').addEventListener('click', event => { if (event.target === byId('keys')) this.keys(false); });
    document.addEventListener('keydown', event => this.press(event));
  },
};

app.start();
