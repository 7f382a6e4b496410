
// Statistics: progress of the annotators, labels in use, agreement.

const digits = (value, count = 3) => (value === null ? "" : value.toFixed(count));
const LEVELS = { segment: "sentence" };

function showFigures() {
  const view = byId("figures-view");
  view.append(made("h2", { id: "figures-title", tabindex: "-1" }, "Statistics"));
  view.append(made("p", { class: "quiet" }, figures.narrowed
    ? "Labels and agreement cover the samples of this report; work covers whole datasets."
    : "All samples of this report are counted."));
  if (head.about.length) view.append(made("h3", {}, "Datasets"), descriptions());
  view.append(made("h3", {}, "Work"), ...workFigures());
  view.append(made("h3", {}, "Labels"), labelFigures());
  view.append(made("h3", {}, "Agreement"), ...agreementFigures());
}

function descriptions() {
  const titles = ["dataset", "license", "origin", "citation"].map((title) => ({ title }));
  return table("License, origin and citation of the datasets", titles, head.about);
}

function workFigures() {
  const rows = figures.work;
  const titles = { in_progress: "in progress" };
  const states = ["assigned", "completed", "skipped", "flagged", "in_progress", "locked"].filter(
    (name) => rows.some((each) => each[name]));
  const shownTables = [table("Annotations, and samples by state", [
    { title: "annotator" }, { title: "dataset" },
    ...[...states, "annotations"].map((name) => ({ title: titles[name] || name, number: true })),
  ], rows.map((each) => [each.name, each.dataset, ...[...states, "annotations"].map(
    (name) => (each[name] === null ? "" : String(each[name])))]))];
  if (rows.some((each) => each.hours)) {
    const pace = `end projected from the pace of the two weeks up to ${figures.day}`;
    shownTables.push(table(`Working time without pauses; ${pace}`, [
      { title: "annotator" }, { title: "dataset" }, { title: "hours", number: true },
      { title: "samples/h", number: true }, { title: "annotations/h", number: true },
      { title: "ends" },
    ], rows.map((each) => [each.name, each.dataset, digits(each.hours, 1),
      digits(each.samples_an_hour, 1), digits(each.annotations_an_hour, 1),
      endOf(each.end, [each])])));
  }
  if (figures.forecast.length) {
    shownTables.push(table("Remaining work by dataset", [
      { title: "dataset" }, { title: "readings remaining", number: true }, { title: "ends" },
    ], figures.forecast.map((each) => [each.dataset,
      each.remaining === null ? "" : String(each.remaining),
      endOf(each.end, rows.filter((row) => row.dataset === each.dataset))])));
  }
  if (figures.weeks.some((each) => each.hours || each.finished)) {
    shownTables.push(table("By week", [
      { title: "week" }, { title: "hours", number: true }, { title: "completed, skipped or flagged", number: true },
    ], figures.weeks.map((each) => [each.week, digits(each.hours, 1), String(each.finished)])));
  }
  shownTables.push(...practiceFigures(), ...goldFigures());
  return rows.length ? shownTables : [made("p", {}, "No work yet.")];
}

function endOf(end, work) {
  if (end.reason !== "completed") return end.day || end.reason;
  const aside = ["skipped", "flagged"].flatMap((name) => {
    const count = work.reduce((sum, each) => sum + each[name], 0);
    return count ? [`${count} ${name}`] : [];
  });
  return aside.length ? `${aside.join(", ")} left` : "completed";
}

function practiceFigures() {
  if (!figures.practice.length) return [];
  const percent = (value) => (value === null ? "" : `${Math.round(100 * value)}%`);
  return [
    table("Results of practice", [
      { title: "annotator" }, { title: "dataset" }, { title: "attempts", number: true },
      { title: "score", number: true }, { title: "to pass", number: true }, { title: "practice" },
    ], figures.practice.map((each) => [each.name, each.dataset, String(each.attempts),
      percent(each.score), percent(each.needed), each.result])),
  ];
}

function goldFigures() {
  if (!figures.gold.length) return [];
  const percent = (value) => `${Math.round(100 * value)}%`;
  const who = [{ title: "annotator" }, { title: "dataset" }];
  const numbers = ["gold checks", "accuracy"].map((title) => ({ title, number: true }));
  const weeks = figures.gold.flatMap((each) => each.weeks.map((week) => [
    each.name, each.dataset, week.week, String(week.checks), percent(week.accuracy)]));
  return [
    table("Accuracy on gold samples, which have known answers", [
      ...who, ...numbers, { title: "last 10", number: true }, { title: "alert" },
      { title: "compared with an older answer", number: true },
      { title: "edited after the first completion", number: true },
    ], figures.gold.map((each) => [each.name, each.dataset, String(each.checks),
      percent(each.accuracy), percent(each.recent_accuracy),
      [...(each.alert ? [`below ${percent(each.threshold)}`] : []),
        ...(each.paused ? ["paused"] : [])].join(", "), String(each.older_answers),
      String(each.edited_later)])),
    table("Accuracy on gold samples by week", [...who, { title: "week" }, ...numbers], weeks),
  ];
}

function labelFigures() {
  const people = Array.from(new Set(figures.labels.map(([, person]) => person)));
  people.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const apart = people.length <= 12 ? people : [];
  const counts = new Map();
  for (const [path, person, count] of figures.labels) {
    const key = labelKey(path);
    counts.set(`${key}\n${person}`, count);
    counts.set(`${key}\n`, (counts.get(`${key}\n`) || 0) + count);
  }
  const keys = [...Array.from(labels.keys()), "[]"].filter((key) => counts.has(`${key}\n`));
  if (!keys.length) return made("p", {}, "No annotations.");
  const meaning = (key) => (labels.has(key) ? labels.get(key).description : "");
  const told = keys.some(meaning) ? [{ title: "meaning", wide: true }] : [];
  return table("Annotations by label and annotator", [
    { title: "label" }, { title: "all", number: true },
    ...apart.map((person) => ({ title: nameOf(person), number: true })), ...told,
  ], keys.map((key) => [pathName(JSON.parse(key)) || "no label",
    ...["", ...apart].map((person) => String(counts.get(`${key}\n${person}`) || 0)),
    ...told.map(() => meaning(key))]));
}

function agreementFigures() {
  const agreement = figures.agreement;
  const shownTables = [];
  for (const [title, compared] of [
    ["Agreement between annotators", agreement.together],
    ["Agreement of annotators with themselves", agreement.oneself],
  ]) {
    if (compared.samples) shownTables.push(...comparison(title, compared));
  }
  if (!shownTables.length) {
    shownTables.push(made("p", {},
      "Nothing to compare: no sample was completed by two annotators, or twice by one."));
  }
  if (agreement.state === "new") {
    shownTables.unshift(made("p", {},
      "The work has no states, so an annotator without annotations in a sample counts as not"
      + " having read the sample."));
  }
  for (const each of agreement.suggested_work) {
    const people = each.people.map((one) => `${one.name} ${one.readings}`).join(", ");
    shownTables.push(made("p", {}, shown(
      `In ${counted(each.readings, "reading", "readings")} (${people}), annotators answered`
      + ` suggestions of ${each.maker}: ${each.accepted} accepted, ${each.changed} changed,`
      + ` ${each.refused} refused. Their labels are not independent of it.`)));
  }
  const left = agreement.left_out.map((each) => `${each.count} ${each.what}: ${each.reason}`);
  if (left.length) {
    shownTables.push(made("p", { class: "quiet" }, `Excluded: ${shown(left.join("; "))}.`));
  }
  return shownTables;
}

function comparison(title, compared) {
  const interval = (each) => (
    each.low === null ? "" : `${digits(each.low)} to ${digits(each.high)}`);
  const measures = table(`${title}: ${counted(compared.samples, "sample", "samples")}`, [
    { title: "level" }, { title: "measure" }, { title: "value", number: true },
    { title: "95% interval", number: true }, { title: "n", number: true }, { title: "details", wide: true },
  ], compared.measures.map((each) => [LEVELS[each.level] || each.level,
    each.measure.replaceAll("_", " "),
    each.value === null ? "none" : digits(each.value), interval(each), String(each.n),
    [each.of, each.note, each.undefined].filter(Boolean).join("; ")]));
  if (!compared.pairs.length) return [measures];
  return [measures, table(`${title}: by pair`, [
    { title: "people" }, ...["samples", "same", "kappa", "trimmed", "characters", "overlap"].map(
      (name) => ({ title: name, number: true })),
  ], compared.pairs.map((each) => [each.people.join(", "), String(each.samples),
    digits(each.percent), digits(each.kappa), digits(each.f1_trimmed), digits(each.f1_character),
    digits(each.f1_overlap)]))];
}
