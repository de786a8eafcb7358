// Numbers, times and elements as the console shows them.

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const tenths = new Intl.NumberFormat("en", {maximumFractionDigits: 1});

export const count = (number) => whole.format(number);
export const rate = (number) => `${tenths.format(Math.max(0, number))}/s`;

export function bytes(number) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  for (; number >= 1000 && unit < units.length - 1; ++unit) number /= 1000;
  return `${tenths.format(number)} ${units[unit]}`;
}

export function span(seconds) {
  if (seconds < 1) return `${whole.format(seconds * 1000)} ms`;
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= size) return `${tenths.format(seconds / size)} ${unit}`;
  }
  return `${whole.format(seconds)} s`;
}

// An element; children that are not elements become text, never markup. null and false are left out.
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false).map((child) => child instanceof Node ? child : String(child)));
  return element;
}

// A moment, told relative to now; the absolute time shows on hover.
export function time(ms, now) {
  if (!ms) return "never";
  const seconds = (ms - now) / 1000;
  const text = Math.abs(seconds) < 1 ? "now" : seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
  return make("time", {datetime: new Date(ms).toISOString(), title: new Date(ms).toISOString()}, text);
}

// A list of terms with their values; pairs that are null are left out.
export function facts(pairs, kind = "facts") {
  return make("dl", {class: kind}, pairs.filter(Boolean).map(([term, value]) =>
    kind === "figures" ? make("div", null, make("dt", null, term), make("dd", null, value)) : [make("dt", null, term), make("dd", null, value)]));
}

// `columns`: {title, of(row), number, sort}; `sorted`: {column, ascending, by(column)}.
export function table(caption, columns, rows, sorted) {
  const head = columns.map(({title, number, sort}) => {
    const current = sorted !== undefined && sort !== undefined && sorted.column === sort;
    const label = sorted && sort ? make("button", {type: "button", onclick: () => sorted.by(sort)}, `${title}${current ? sorted.ascending ? " ▲" : " ▼" : ""}`) : title;
    return make("th", {scope: "col", class: number ? "number" : null, "aria-sort": current ? sorted.ascending ? "ascending" : "descending" : null}, label);
  });
  const body = rows.map((row) => make("tr", null, columns.map(({of, number}) => make("td", {class: number ? "number" : null}, of(row)))));
  return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    make("table", null, make("thead", null, make("tr", null, head)), make("tbody", null, body)));
}
