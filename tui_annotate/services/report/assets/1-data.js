
"use strict";

// All displayed text comes from datasets and annotators, so it is untrusted: it becomes text nodes
// and values of properties, never markup, and passes through `shown` first.

const byId = (id) => document.getElementById(id);
const parsed = (element) => JSON.parse(element.textContent);
const blocks = (name) => Array.from(document.getElementsByClassName(name));

const head = parsed(byId("data-head"));
const figures = parsed(byId("data-figures"));
const textBlocks = blocks("data-text");
const samples = blocks("data-sample").map(parsed);

const names = new Map(head.people);
const namesakes = new Map();
for (const name of names.values()) namesakes.set(name, (namesakes.get(name) || 0) + 1);

const LONGEST = 120;
/** A name, cut to LONGEST characters. */
const brief = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}\u2026` : name);

function nameOf(person) {
  const name = names.get(person) || person;
  return brief(namesakes.get(name) > 1 ? `${name} (${person})` : name);
}

const routeOf = (sample) =>
  `#/${encodeURIComponent(sample.dataset)}/${encodeURIComponent(sample.id)}`;
const byRoute = new Map(samples.map((sample, index) => [routeOf(sample), index]));

let lastText = [-1, ""];
function textAt(number) {
  if (lastText[0] !== number) lastText = [number, parsed(textBlocks[number])];
  return lastText[1];
}

const CONTROLS = new RegExp(
  "\\r(?=\\n|$)|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b" +
  "\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|[\\ud800-\\udbff]" +
  "(?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

/** A text that is safe to show: characters that reorder or hide text become visible symbols. */
function shown(text) {
  return String(text).replace(CONTROLS, (found, place, whole) => {
    const code = found.charCodeAt(0);
    if (code === 13 && whole[place + 1] === "\n") return "";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\u25ab";
  });
}

/** An element with attributes and children; each child that is a string becomes a text node. */
function made(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A text of a user within a line of the page, isolated from its writing direction. */
const word = (text) => made("bdi", {}, shown(text));

const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const pathName = (path) => brief(path.join("."));
const moment = (time) => time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2 UTC");

let tables = 0;

/** A table with its title above it; a table wider than the page has its own scroll bar. */
function table(title, columns, rows) {
  tables += 1;
  const id = `table-${tables}`;
  const row = (cells, inHead) => made("tr", {}, ...cells.map((cell, place) => {
    const { title, number, wide } = columns[place];
    const attributes = {
      class: number ? "number" : wide ? "words wide" : "words", "data-title": shown(title),
    };
    const heads = inHead || place === 0;
    if (heads) attributes.scope = inHead ? "col" : "row";
    return made(heads ? "th" : "td", attributes, shown(cell));
  }));
  const whole = made("table", { "aria-labelledby": id },
    made("thead", {}, row(columns.map((column) => column.title), true)),
    made("tbody", {}, ...rows.map((cells) => row(cells, false))));
  return made("div", { class: "tabled" }, made("p", { id }, title), made("div",
    { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": id }, whole));
}
