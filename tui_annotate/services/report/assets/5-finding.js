
// Filters, search and the list: which samples are shown, and their order.

const PAGE = 100;
const wanted = { dataset: "", person: "", label: null, state: "", words: null };
let found = [];
let listFrom = 0;
const severalDatasets = new Set(samples.map((sample) => sample.dataset)).size > 1;

const stateOf = (sample, person) =>
  (sample.work.find((each) => each.person === person) || { state: "" }).state;

/** Whether an annotation of a sample passes the filters. */
function fits(annotation, sample) {
  return (!wanted.person || annotation.person === wanted.person)
    && (!wanted.label || hasLabel(annotation, wanted.label))
    && (!wanted.state || stateOf(sample, annotation.person) === wanted.state);
}

function matches(sample) {
  if (wanted.dataset && sample.dataset !== wanted.dataset) return false;
  const seen = sample.annotations.some((each) => fits(each, sample));
  if (wanted.label && !seen) return false;
  if (!seen && (wanted.person || wanted.state)) {
    const worked = sample.work.some((each) => (!wanted.person || each.person === wanted.person)
      && (!wanted.state || each.state === wanted.state));
    if (!worked) return false;
  }
  return !wanted.words || said(sample) || sample.documents.some((each) => holds(each.text));
}

function said(sample) {
  const words = [sample.id, sample.group, ...Object.values(sample.request)];
  for (const each of sample.documents) words.push(each.key, each.title);
  for (const each of sample.annotations) {
    if (fits(each, sample)) words.push(each.note, labelNames(each), nameOf(each.person));
  }
  for (const each of sample.work) words.push(each.comment);
  return words.some((each) => wanted.words.test(each));
}

let heldBy = new Map();
/** Whether a text contains the searched words; a text that samples share is searched once. */
function holds(number) {
  if (!heldBy.has(number)) heldBy.set(number, wanted.words.test(parsed(textBlocks[number])));
  return heldBy.get(number);
}

function find() {
  heldBy = new Map();
  found = [];
  samples.forEach((sample, index) => { if (matches(sample)) found.push(index); });
  const all = counted(samples.length, "sample", "samples");
  byId("count").textContent = found.length === samples.length
    ? all : `${found.length.toLocaleString("en")} of ${all}`;
}

function refind() {
  find();
  const next = found.includes(current) ? current : found.length ? found[0] : -1;
  show(next);
  if (next >= 0) history.replaceState(null, "", routeOf(samples[next]));
  showList();
}

function showList() {
  const place = found.indexOf(current);
  listFrom = Math.floor(Math.max(place, 0) / PAGE) * PAGE;
  drawList();
}

function drawList() {
  byId("list").replaceChildren(...found.slice(listFrom, listFrom + PAGE).map((index) => {
    const sample = samples[index];
    const seen = sample.annotations.filter((each) => fits(each, sample));
    const people = new Set([...seen, ...sample.work].map((each) => each.person));
    const about = [counted(seen.length, "annotation", "annotations")];
    if (people.size) about.push(counted(people.size, "person", "people"));
    if (severalDatasets) about.unshift(shown(sample.dataset));
    const link = made("a", { href: routeOf(sample) }, word(sample.id),
      made("small", {}, about.join(", ")));
    if (index === current) link.setAttribute("aria-current", "true");
    return made("li", {}, link);
  }));
  byId("list").start = listFrom + 1;
  byId("earlier").hidden = byId("later").hidden = found.length <= PAGE;
  byId("earlier").disabled = listFrom === 0;
  byId("later").disabled = listFrom + PAGE >= found.length;
  const place = found.indexOf(current);
  byId("place").textContent = place < 0 ? "" : `${place + 1} of ${found.length}`;
  byId("previous").disabled = place <= 0;
  byId("next").disabled = place < 0 || place + 1 >= found.length;
}

function step(by) {
  const index = found[found.indexOf(current) + by];
  if (index === undefined || current < 0) return;
  location.hash = routeOf(samples[index]);
  byId("told").textContent = `Sample ${shown(samples[index].id)}`;
}

/** Mark the search hits in the displayed texts, if the browser supports CSS highlights. */
function showHits() {
  if (!window.CSS || !CSS.highlights || !window.Highlight) return;
  CSS.highlights.delete("hits");
  if (!wanted.words) return;
  const ranges = [];
  for (const text of document.querySelectorAll("#texts .text")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let length = 0;
    while (walker.nextNode()) {
      nodes.push([length, walker.currentNode]);
      length += walker.currentNode.length;
    }
    let place = 0;
    for (const hit of text.textContent.matchAll(new RegExp(wanted.words.source, "giu"))) {
      const range = new Range();
      const at = (offset) => {
        while (place + 1 < nodes.length && nodes[place + 1][0] <= offset) place += 1;
        return [nodes[place][1], offset - nodes[place][0]];
      };
      range.setStart(...at(hit.index));
      range.setEnd(...at(hit.index + hit[0].length));
      ranges.push(range);
      if (ranges.length >= 1000) break;
    }
  }
  if (ranges.length) CSS.highlights.set("hits", new Highlight(...ranges));
}

function options(select, all, entries) {
  select.replaceChildren(made("option", { value: "" }, all),
    ...entries.map(([value, words]) => made("option", { value }, shown(words))));
}

function showFilters() {
  const datasets = new Map();
  const people = new Map();
  const states = new Map();
  const more = (map, key) => map.set(key, (map.get(key) || 0) + 1);
  for (const sample of samples) {
    more(datasets, sample.dataset);
    const here = [...sample.annotations, ...sample.work].map((each) => each.person);
    for (const person of new Set(here)) more(people, person);
    for (const state of new Set(sample.work.map((each) => each.state))) more(states, state);
  }
  const told = (map, name) => Array.from(map, ([key, count]) => [key, `${name(key)} (${count})`])
    .sort((one, other) => (one[1] < other[1] ? -1 : 1));
  options(byId("dataset"), "All datasets", told(datasets, (each) => each));
  options(byId("person"), "All annotators", told(people, nameOf));
  const deep = (label) => "\u00a0\u00a0".repeat(label.path.length - 1);
  options(byId("label"), "All labels", Array.from(labels, ([key, label]) =>
    [key, `${deep(label)}${pathName(label.path)} (${label.count})`]));
  options(byId("state"), "All states", told(states, (each) => each));
}

function readFilters() {
  for (const name of ["dataset", "person", "state"]) wanted[name] = byId(name).value;
  wanted.label = byId("label").value ? JSON.parse(byId("label").value) : null;
  const words = byId("words").value.trim();
  wanted.words = words
    ? new RegExp(words.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&"), "iu") : null;
  refind();
}
