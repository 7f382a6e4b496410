
// Start of the page, and the handlers of addresses, keys and mouse.

const FIGURES = "#/figures";

function follow() {
  if (current >= 0 && location.hash && !location.hash.startsWith("#/")) return;
  const onFigures = location.hash === FIGURES;
  byId("samples").hidden = onFigures;
  byId("figures-view").hidden = !onFigures;
  const [here, there] = onFigures ? ["to-figures", "to-samples"] : ["to-samples", "to-figures"];
  byId(here).setAttribute("aria-current", "page");
  byId(there).removeAttribute("aria-current");
  if (onFigures) {
    document.title = `Statistics - ${shown(head.title)}`;
    return;
  }
  const asked = byRoute.get(location.hash);
  if (asked !== undefined && !found.includes(asked)) {
    byId("form").reset();
    readFilters();
  }
  const index = asked !== undefined ? asked : found.includes(current) ? current : found[0];
  show(index === undefined ? -1 : index);
  showList();
}

function byKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || byId("samples").hidden) return;
  if (event.key === "Escape") {
    pin(0, false);
    return;
  }
  if (event.target.matches("#texts mark[role]") && ["Enter", " "].includes(event.key)) {
    event.preventDefault();
    pinAt(event.target);
    return;
  }
  if (!byId("keys").checked || event.target.closest("input, select, textarea")) return;
  const actions = {
    j: () => step(1), k: () => step(-1), n: () => stepAnnotation(1), p: () => stepAnnotation(-1),
    "/": () => { byId("filters").open = true; byId("words").focus(); },
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
}

function clicked(event) {
  const mark = event.target.closest("#texts mark");
  const pick = event.target.closest("#annotations li[data-number] > button");
  const quote = event.target.closest("#annotations .quote");
  if (mark) pinAt(mark);
  if (quote) goTo(quote);
  if (pick) {
    const number = Number(pick.parentElement.dataset.number);
    pin(number === pinned ? 0 : number, true);
  }
  if (event.target.closest("#list a")) byId("name").focus();
  if (event.target.closest("#skip")) {
    event.preventDefault();
    byId("name").focus();
  }
}

function listen() {
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", byKey);
  document.addEventListener("click", clicked);
  for (const kind of ["mouseover", "focusin"]) {
    document.addEventListener(kind, (event) => light(numberAt(event.target) || pinned));
  }
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  byId("form").addEventListener("reset", () => setTimeout(readFilters));
  for (const name of ["dataset", "person", "label", "state"]) {
    byId(name).addEventListener("change", readFilters);
  }
  let waiting = 0;
  byId("words").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(readFilters, 150);
  });
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("earlier").addEventListener("click", () => { listFrom -= PAGE; drawList(); });
  byId("later").addEventListener("click", () => { listFrom += PAGE; drawList(); });
}

/** Links to the other pages of a report with several pages. */
function showPages() {
  if (head.pages.length < 2) return;
  const nav = byId("pages");
  nav.append(`Page ${head.page} of ${head.pages.length}. Filters and search cover this page.`);
  let last = 0;
  head.pages.forEach(({ file, samples: count }, index) => {
    const range = `samples ${last + 1} to ${last + count}`;
    last += count;
    const link = made("a", { href: encodeURIComponent(file), title: range }, `Page ${index + 1}`);
    if (index + 1 === head.page) link.setAttribute("aria-current", "page");
    nav.append(link);
  });
  nav.hidden = false;
}

function start() {
  byId("title").replaceChildren("Annotations: ", word(head.title));
  const told = [counted(head.samples, "sample", "samples"),
    counted(head.annotations, "annotation", "annotations"),
    counted(names.size, "person", "people")];
  byId("about").replaceChildren(`${told.join(", ")}. `,
    head.filters.length ? shown(`Filters: ${head.filters.join(", ")}.`) : "");
  if (window.innerWidth <= 832) byId("filters").open = byId("listed").open = false;
  showPages();
  showFilters();
  showFigures();
  find();
  listen();
  follow();
}

start();
