
// Labels with their colours: those of the label sets, then others that annotations use.

const labelKey = (path) => JSON.stringify(path);
const labels = new Map();

function learn(path, told) {
  for (let depth = 1; depth <= path.length; depth += 1) {
    const part = path.slice(0, depth);
    const key = labelKey(part);
    if (!labels.has(key)) labels.set(key, { path: part, color: "", description: "", count: 0 });
  }
  return Object.assign(labels.get(labelKey(path)), told);
}

for (const each of head.labels) learn(each.path, each);
for (const path of head.used) learn(path, {});
for (const sample of samples) {
  for (const annotation of sample.annotations) {
    const above = new Set();
    for (const path of annotation.labels) {
      for (let depth = 1; depth <= path.length; depth += 1) {
        above.add(labelKey(path.slice(0, depth)));
      }
    }
    for (const key of above) labels.get(key).count += 1;
  }
}

const COLORS = ["orange", "cyan", "green", "yellow", "blue", "red", "magenta"];
const asked = new Set(Array.from(labels.values(), (label) => COLORS.indexOf(label.color)));
const free = COLORS.map((_, slot) => slot).filter((slot) => !asked.has(slot));
let given = 0;
for (const label of labels.values()) {
  const own = COLORS.indexOf(label.color);
  if (/^#[0-9a-f]{6}$/.test(label.color)) {
    label.css = label.color;
  } else if (own >= 0) {
    label.css = `var(--c${own})`;
  } else {
    const slots = free.length ? free : COLORS.map((_, slot) => slot);
    label.css = `var(--c${slots[given % slots.length]})`;
    given += 1;
  }
}

function colorOf(annotation) {
  const path = annotation.labels[0];
  return path ? labels.get(labelKey(path)).css : "var(--quiet)";
}

const labelNames = (annotation) => annotation.labels.map(pathName).join(", ") || "no label";
const hasLabel = (annotation, wanted) =>
  annotation.labels.some((path) => wanted.every((part, place) => path[place] === part));
