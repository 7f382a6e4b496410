
// The view of one sample: its texts, its annotations and the work on it.

const QUOTE = 300;
let current = -1;
let shownHere = [];
let pinned = 0;

const told = (number) => {
  const annotation = shownHere[number - 1];
  return `${number}: ${labelNames(annotation)}, ${nameOf(annotation.person)}`;
};

function titlesOf(sample) {
  return head.datasets[sample.dataset] || { source: "Source", summary: "Summary" };
}

function show(index) {
  current = index;
  pinned = 0;
  const sample = samples[index];
  shownHere = sample ? sample.annotations.filter((each) => fits(each, sample)) : [];
  for (const id of ["facts", "request", "texts", "annotations", "work", "meta"]) {
    byId(id).replaceChildren();
  }
  byId("sample").classList.toggle("none", !sample);
  byId("name").replaceChildren(sample ? word(sample.id) : "No sample");
  document.title = sample ? `${shown(sample.id)} - ${shown(head.title)}` : shown(head.title);
  byId("link").href = byId("to-samples").href = sample ? routeOf(sample) : "#/";
  for (const id of ["link", "legend"]) byId(id).hidden = !sample;
  if (!sample) return;
  showFacts(sample);
  showTexts(sample);
  showAnnotations(sample);
  showWork(sample);
  showHits();
}

function showFacts(sample) {
  byId("facts").append("Dataset ", word(sample.dataset));
  if (sample.group) byId("facts").append(", group ", word(sample.group));
  if (sample.kind !== "pair") byId("facts").append(`, ${sample.kind}`);
  const asked = Object.entries(sample.request);
  if (asked.length) byId("request").append(facts(asked));
  const known = Object.entries(sample.meta);
  if (known.length) {
    byId("meta").append(made("details", {},
      made("summary", {}, made("h3", {}, "Other data of this sample")),
      facts(known.map(([name, value]) => [name, plain(value)]))));
  }
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** A list of names and values; a value is a string or an array of nodes. */
function facts(pairs) {
  const list = made("dl", {});
  for (const [name, value] of pairs) {
    const children = typeof value === "string" ? [shown(value)] : value;
    list.append(made("dt", {}, word(name)), made("dd", { dir: "auto" }, ...children));
  }
  return list;
}

function showTexts(sample) {
  const titles = titlesOf(sample);
  const sides = ["source", "summary"].map((side) => {
    const section = made("section", { class: side });
    section.append(made("h3", {}, word(titles[side])));
    sample.documents.forEach((document, place) => {
      if (document.side === side) section.append(...textOf(sample, document, place));
    });
    return section;
  });
  for (const section of sides) {
    const count = section.querySelectorAll(".text").length;
    section.classList.toggle("lone", count === 1);
    if (count) byId("texts").append(section);
  }
}

function textOf(sample, document, place) {
  const side = titlesOf(sample)[document.side];
  const name = [document.key, document.title].filter(Boolean).join(": ");
  const spans = [];
  shownHere.forEach((annotation, index) => {
    for (const [where, start, end] of [...annotation.claim, ...annotation.evidence]) {
      if (where === place) {
        spans.push({ number: index + 1, color: colorOf(annotation), start, end });
      }
    }
  });
  const attributes = {
    class: "text", dir: "auto", tabindex: "0", role: "region",
    "aria-label": shown([side, name].filter(Boolean).join(", ")),
  };
  if (/^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$/.test(document.language)) {
    attributes.lang = document.language;
  }
  const element = made("div", attributes);
  element.dataset.place = String(place);
  fill(element, textAt(document.text), spans, told);
  return name ? [made("h4", {}, word(name)), element] : [element];
}

/** The texts of spans, each as a button that scrolls to the span. */
function quotes(sample, anchors) {
  return anchors.map(([place, start, end]) => {
    const text = textAt(sample.documents[place].text);
    const at = units(text);
    let words = text.slice(at(start), at(end));
    if (words.length > QUOTE) words = `${words.slice(0, QUOTE)}\u2026`;
    const quote = made("button", { type: "button", class: "quote" }, `\u201c${shown(words)}\u201d`);
    quote.dataset.place = String(place);
    quote.dataset.start = String(at(start));
    return made("div", { dir: "auto" }, quote);
  });
}

function goTo(quote) {
  pin(Number(quote.closest("li").dataset.number), false);
  const { place, start } = quote.dataset;
  const mark = document.querySelector(
    `#texts .text[data-place="${place}"] mark[data-start="${start}"]`);
  if (!mark) return;
  mark.focus({ preventScroll: true });
  mark.scrollIntoView({ block: "center" });
}

function showAnnotations(sample) {
  const list = byId("annotations");
  shownHere.forEach((annotation, index) => list.append(card(sample, annotation, index + 1)));
  const hidden = sample.annotations.length - shownHere.length;
  if (!sample.annotations.length) list.append(made("li", {}, "No annotations."));
  if (hidden) {
    const words = counted(hidden, "annotation is", "annotations are");
    list.append(made("li", {}, `${words} hidden by the filters.`));
  }
}

function card(sample, annotation, number) {
  const pick = made("button", { type: "button", "aria-pressed": "false" },
    `${number} `, word(labelNames(annotation)), " by ", word(nameOf(annotation.person)));
  const known = [];
  if (annotation.claim.length) known.push(["Claim", quotes(sample, annotation.claim)]);
  if (annotation.evidence.length) known.push(["Evidence", quotes(sample, annotation.evidence)]);
  if (annotation.note) known.push(["Note", annotation.note]);
  known.push(["Origin", annotation.origin]);
  if (annotation.created) known.push(["Created", moment(annotation.created)]);
  if (annotation.updated && annotation.updated !== annotation.created) {
    known.push(["Changed", moment(annotation.updated)]);
  }
  if (annotation.settled) known.push(["Review", settlement(annotation.settled)]);
  const item = made("li", { "data-number": String(number) }, pick, facts(known));
  item.style.setProperty("--own", colorOf(annotation));
  return item;
}

function settlement(settled) {
  const words = [`${settled.how} by ${nameOf(settled.by)}`];
  if (settled.sources) words.push(`from ${counted(settled.sources, "annotation", "annotations")}`);
  if (settled.reason) words.push(settled.reason);
  if (settled.note) words.push(settled.note);
  return words.join("; ");
}

function showWork(sample) {
  if (!sample.work.length) {
    byId("work").append(made("p", {}, "No annotator opened this sample, or the data does not record who did."));
    return;
  }
  byId("work").append(table("Annotators of this sample", [
    { title: "annotator" }, { title: "state" }, { title: "rating" },
    { title: "minutes", number: true }, { title: "last change" }, { title: "comment", wide: true },
  ], sample.work.map((each) => [
    nameOf(each.person), each.state, each.rating,
    each.seconds ? (each.seconds / 60).toFixed(1) : "", moment(each.updated), each.comment,
  ])));
}

// Highlighting of one annotation with all of its spans, by its number; 0 for none.

function light(number) {
  for (const mark of document.querySelectorAll("#texts mark")) {
    mark.classList.toggle("lit", mark.dataset.covering.split(" ").includes(String(number)));
  }
  for (const item of document.querySelectorAll("#annotations li[data-number]")) {
    item.classList.toggle("lit", item.dataset.number === String(number));
  }
}

function pin(number, scroll) {
  pinned = number;
  light(number);
  for (const item of document.querySelectorAll("#annotations li[data-number]")) {
    const pressed = item.dataset.number === String(number);
    item.firstElementChild.setAttribute("aria-pressed", String(pressed));
  }
  for (const mark of document.querySelectorAll("#texts mark[role]")) {
    mark.setAttribute("aria-pressed", String(mark.classList.contains("lit")));
  }
  byId("told").textContent = number ? `Highlighted: ${shown(told(number))}` : "No highlight";
  if (number && scroll) bringIntoView();
}

/** Scroll each text to its first highlighted span; the page itself does not scroll. */
function bringIntoView() {
  for (const text of document.querySelectorAll("#texts .text")) {
    const mark = text.querySelector("mark.lit");
    if (mark) text.scrollTop = Math.max(0, mark.offsetTop - text.clientHeight / 3);
  }
}

const coveringOf = (mark) => mark.dataset.covering.split(" ").map(Number);

/** Where annotations overlap, each further click selects the next of them, then none. */
function pinAt(mark) {
  const covering = coveringOf(mark);
  const next = covering[covering.indexOf(pinned) + 1];
  pin(covering.includes(pinned) ? next || 0 : covering[0], false);
}

function numberAt(target) {
  const mark = target.closest("#texts mark");
  if (mark) {
    const covering = coveringOf(mark);
    return covering.includes(pinned) ? pinned : covering[0];
  }
  const item = target.closest("#annotations li[data-number]");
  return item ? Number(item.dataset.number) : 0;
}

function stepAnnotation(by) {
  if (!shownHere.length) return;
  const last = shownHere.length;
  const next = pinned ? pinned + by : by > 0 ? 1 : last;
  const number = ((next - 1 + last) % last) + 1;
  pin(number, true);
  document.querySelector(`#annotations li[data-number="${number}"] button`)
    .focus({ preventScroll: false });
}
