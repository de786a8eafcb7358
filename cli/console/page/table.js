// A table, as wide as it must be in a box that scrolls.
import {make} from "./elements.js";

// `columns`: {title, of(row), number, sort}; `sorted`: {column, ascending, by(column)}.
export function table(caption, columns, rows, sorted) {
  const head = columns.map(({title, number, sort}) => {
    const current = sorted !== undefined && sort !== undefined && sorted.column === sort;
    const arrow = current ? sorted.ascending ? " ▲" : " ▼" : "";
    return make("th", {scope: "col", class: number && "number", "aria-sort": current && (sorted.ascending ? "ascending" : "descending")},
      sorted && sort ? make("button", {type: "button", onclick: () => sorted.by(sort)}, title, arrow) : title);
  });
  const body = rows.map((row) => make("tr", null, columns.map(({of, number}) => make("td", {class: number && "number"}, of(row)))));
  return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    make("table", null, make("thead", null, make("tr", null, head)), make("tbody", null, body)));
}
