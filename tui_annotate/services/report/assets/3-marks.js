
// Marks: a text is cut where spans begin and end; each piece has the annotations that cover it.

/** A function from offsets in code points (as in the data) to offsets in UTF-16 units. */
function units(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (offset) => offset;
  const starts = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) {
    starts.push(unit);
  }
  return (offset) => (offset < starts.length ? starts[offset] : text.length);
}

/** Pieces [start, end, covering annotations, annotations that begin there], in text order. */
function pieces(length, spans) {
  const events = new Map([[0, []], [length, []]]);
  for (const span of spans) {
    for (const place of [span.start, span.end]) {
      if (!events.has(place)) events.set(place, []);
      events.get(place).push(span);
    }
  }
  const places = Array.from(events.keys()).sort((one, other) => one - other);
  const open = new Set();
  const found = [];
  for (let index = 0; index + 1 < places.length; index += 1) {
    const begun = [];
    for (const span of events.get(places[index])) {
      if (span.start === places[index]) {
        open.add(span);
        begun.push(span.number);
      } else {
        open.delete(span);
      }
    }
    const covering = Array.from(new Set(Array.from(open, (span) => span.number)));
    covering.sort((one, other) => one - other);
    found.push([places[index], places[index + 1], covering, begun]);
  }
  return found;
}

/** Fill an element with a text and its marks; `told` returns the name of annotation number n. */
function fill(element, text, spans, told) {
  const at = units(text);
  const placed = spans.map((span) => (
    { number: span.number, color: span.color, start: at(span.start), end: at(span.end) }));
  const colors = new Map(spans.map((span) => [span.number, span.color]));
  for (const [start, end, covering, begun] of pieces(text.length, placed)) {
    const words = shown(text.slice(start, end));
    if (!covering.length) {
      element.append(words);
      continue;
    }
    const mark = made("mark", { title: shown(covering.map(told).join("; ")) }, words);
    mark.dataset.start = String(start);
    if (begun.length) {
      const first = Array.from(new Set(begun)).sort((one, other) => one - other);
      mark.dataset.numbers = first.join(",");
      mark.tabIndex = 0;
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-pressed", "false");
    }
    mark.dataset.covering = covering.join(" ");
    const lines = covering.slice(0, 4).flatMap((number, line) => [
      `inset 0 -${3 * line + 2}px 0 ${colors.get(number)}`,
      `inset 0 -${3 * line + 3}px 0 var(--ground)`,
    ]);
    mark.style.boxShadow = lines.join(", ");
    mark.style.paddingBottom = `${1.5 * lines.length}px`;
    element.append(mark);
  }
}
