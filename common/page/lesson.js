// The lesson's text next to the run, the tabs of its variants, and the state of memory after the step shown.

const textOfLesson = {
  // The little Markdown that lessons use; all of it is set as text, never as HTML.
  spans(text) {
    const parts = [], pattern = /\*\*([^*]+)\*\*|`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*([^*]+)\*/g;
    let from = 0;
    for (const found of text.matchAll(pattern)) {
      parts.push(text.slice(from, found.index));
      if (found[1]) parts.push(make('b', {}, this.spans(found[1])));
      else if (found[2]) parts.push(make('code', {}, found[2]));
      else if (found[3]) parts.push(this.link(found[3], found[4]));
      else parts.push(make('em', {}, found[5]));
      from = found.index + found[0].length;
    }
    parts.push(text.slice(from));
    return parts;
  },
  link(text, target) {
    if (target.startsWith('../GLOSSARY.md#')) {
      const term = glossary.get(target.slice(15));
      return make('button', {type: 'button', class: 'term', title: term ? term.sentence : undefined, onclick: event => this.explain(event.target, term)}, this.spans(text));
    }
    if (/^https?:/.test(target)) return make('span', {}, this.spans(text), ' (', target, ')');
    const parts = new Map(target.split(',').map(part => part.split(':')));
    const variant = parts.get('variant'), known = !variant || documents.some(each => each.runs[0].variant === variant);
    // A question of the text: its answer is the step, or is in the link.
    if (parts.has('is')) return make('button', {type: 'button', class: 'term', onclick: event => this.explain(event.target, {sentence: parts.get('is').replaceAll(';', ',')})}, this.spans(text));
    const shown = [...parts.keys()].every(kind => ['variant', 'step', 'lane', 'ask'].includes(kind));
    if (parts.has('ask') && !(known && shown)) return '';
    if (!known || !shown) return make('span', {}, this.spans(text));
    return make('button', {type: 'button', class: 'term', onclick: () => app.follow(parts)}, this.spans(text));
  },
  explain(beside, term) {
    const next = beside.nextElementSibling;
    if (next && next.classList.contains('sentence')) { next.remove(); return; }
    if (term) beside.after(make('span', {class: 'sentence', role: 'note'}, ` ${term.sentence}${term.source ? ` (${term.source})` : ''}`));
  },
  drawn(markdown) {
    const blocks = [], lines = markdown.split('\n');
    for (let at = 0; at < lines.length;) {
      const line = lines[at];
      if (line.startsWith('```')) {
        const code = [];
        while (++at < lines.length && !lines[at].startsWith('```')) code.push(lines[at]);
        ++at;
        blocks.push(make('pre', {}, make('code', {}, code.join('\n'))));
      } else if (/^#+ /.test(line)) {
        blocks.push(make(line.startsWith('# ') ? 'h2' : 'h3', {}, this.spans(line.replace(/^#+ /, ''))));
        ++at;
      } else if (line.startsWith('|')) {
        const rows = [];
        for (; at < lines.length && lines[at].startsWith('|'); ++at) if (!/^[|\s:-]+$/.test(lines[at])) rows.push(lines[at].split('|').slice(1, -1));
        blocks.push(make('table', {}, rows.map((row, i) => make('tr', {}, row.map(cell => make(i === 0 ? 'th' : 'td', {}, this.spans(cell.trim())))))));
      } else if (line.trim() === '' || line.startsWith('<!--')) ++at;
      else {
        const parts = [line];
        while (++at < lines.length && lines[at].trim() !== '' && !/^(#|\||```|\d+\. |[-*] )/.test(lines[at])) parts.push(lines[at]);
        const text = parts.map(part => part.trim()).join(' '), item = text.match(/^(\d+\.|[-*]) (.*)$/);
        blocks.push(item ? make('p', {class: 'item'}, (item[1].length > 1 ? item[1] : '•') + ' ', this.spans(item[2])) : make('p', {}, this.spans(text)));
      }
    }
    return blocks;
  },
};

const glossary = new Map();
for (const [, name, body] of (page.glossary || '').matchAll(/^## (.+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)) {
  const [sentence, source] = body.split('\nSource: ');
  glossary.set(name.toLowerCase().replaceAll(' ', '-'), {name, sentence: sentence.replaceAll('\n', ' ').trim(), source: (source || '').trim()});
}

// What memory holds after step k, from the records of all warps: stores, and what loads found. A word that atomics
// changed is known where a later load read it.
function memoryAt(run, k, w) {
  const arrays = new Map(), block = run.warps[w];
  for (let at = 0; at <= k; ++at) {
    for (const part of run.steps[at].parts) {
      const warp = run.warps[part.w], same = warp.block === block.block && warp.launch === block.launch;
      for (const access of part.memory || []) {
        if (access.shared && !same) continue;
        const key = (access.shared ? 'shared ' : 'global ') + access.array;
        if (!arrays.has(key)) arrays.set(key, {name: access.array, shared: access.shared, words: new Map()});
        const words = arrays.get(key).words;
        access.index.forEach((index, lane) => {
          for (let e = 0; index >= 0 && e < access.elements; ++e) {
            const word = words.get(index + e) || {value: -1, at: -1}, now = at === k && part.w === w, id = access.values[lane * access.elements + e];
            if (access.op === 'store') word.value = id;
            else if (access.op === 'load') { if (word.value < 0) word.value = id; }
            else word.value = -1;
            if (now) word[access.op === 'load' ? 'read' : 'written'] = true;
            else if (at === k) word.other = true;
            words.set(index + e, word);
          }
        });
      }
    }
  }
  return [...arrays.values()];
}

// A row of 32 words: of shared memory a column is a bank, of global memory eight words of 4 bytes are a sector.
function drawMemoryPanel(run, k, w) {
  const kMostRows = 4;
  return memoryAt(run, k, w).filter(array => [...array.words.values()].some(word => word.read || word.written || word.other)).map(array => {
    const rows = [...new Set([...array.words].filter(([, word]) => word.read || word.written || word.other).map(([index]) => Math.floor(index / 32)))].sort((a, b) => a - b);
    const shown = rows.slice(0, kMostRows);
    return make('div', {class: 'memory'},
      make('div', {class: 'quietly'}, `${array.shared ? 'shared' : 'global'} ${array.name} after this step` + (rows.length > kMostRows ? ` · ${kMostRows} of ${rows.length} rows that are accessed` : '')),
      shown.map(row => make('div', {class: 'bank-row'}, make('span', {class: 'index'}, String(row * 32)), [...Array(32).keys()].map(column => {
        const word = array.words.get(row * 32 + column), id = word ? word.value : -1;
        const ground = id >= 0 ? colorOf(run, w, id) : undefined;
        return make('i', {class: [word && word.read ? 'read' : '', word && word.written ? 'written' : ''].join(' '), title: word ? `${array.name}[${row * 32 + column}] ${id >= 0 ? textOf(run, id) : 'changed by atomics'}` : undefined,
          style: ground ? `background: ${css(ground)}; color: ${textOn(ground)}` : undefined}, id >= 0 ? cellText(run, id, 4)[0] : word ? '?' : '');
      }))));
  });
}
