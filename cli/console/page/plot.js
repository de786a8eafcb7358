// Curves over time, as SVG that the style sheet colours.
import {draw, make} from "./elements.js";

const height = 130, left = 58, right = 8, top = 8, bottom = 20;

// The lowest of 1, 2, 5, 10, 20, … that is not below `most`.
function roundUp(most) {
  const power = 10 ** Math.floor(Math.log10(most || 1));
  return power * [1, 2, 5, 10].find((step) => step * power >= (most || 1));
}

const moment = (seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

// "M0,1L2,3M7,8…": a new line begins after each gap.
function path(values, x, y) {
  let isOn = false;
  return values.map((value, index) => {
    const command = value === null ? "" : `${isOn ? "L" : "M"}${x(index).toFixed(1)},${y(value).toFixed(1)}`;
    isOn = value !== null;
    return command;
  }).join("");
}

const last = (values) => values.findLast((value) => value !== null) ?? null;

// The legend tells the values at the pointer, or the newest ones; so do the arrow keys.
function follow(svg, plot, x, told) {
  const line = draw("line", {class: "cursor", y1: top, y2: height - bottom, visibility: "hidden"});
  svg.append(line);
  let at = null;
  const tell = (index) => {
    at = index;
    if (index === null) line.setAttribute("visibility", "hidden");
    else {
      for (const [name, value] of [["x1", x(index)], ["x2", x(index)], ["visibility", "visible"]]) line.setAttribute(name, value);
    }
    told.when.textContent = index === null ? "" : moment(plot.times[index]);
    plot.lines.forEach(({values}, which) => {
      const value = index === null ? last(values) : values[index];
      told.values[which].textContent = value === null ? "–" : plot.format(value);
    });
  };
  const end = plot.times.length - 1;
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const inside = (event.clientX - box.left) * (svg.viewBox.baseVal.width / box.width);
    tell(Math.min(end, Math.max(0, Math.round((inside - left) / (x(end) - left) * end))));
  });
  svg.addEventListener("pointerleave", () => tell(null));
  svg.addEventListener("blur", () => tell(null));
  svg.addEventListener("keydown", ({key}) => {
    if (key === "Escape") tell(null);
    else if (key === "ArrowLeft") tell(Math.max(0, (at ?? end + 1) - 1));
    else if (key === "ArrowRight") tell(Math.min(end, (at ?? end - 1) + 1));
  });
  tell(null);
}

// `plot`: {title, times (s since 1970), lines: [{name, values}], format(value), axis(value)}; null where nothing is known.
export function plotOf(plot, width) {
  const known = plot.lines.flatMap(({values}) => values).filter((value) => value !== null);
  const most = roundUp(known.length ? Math.max(...known) : 1);
  const x = (index) => left + (width - left - right) * index / Math.max(1, plot.times.length - 1);
  const y = (value) => height - bottom - (height - top - bottom) * value / most;
  const levels = [0, most / 2, most].flatMap((value) => [
    draw("line", {class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value)}),
    draw("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, plot.axis(value))]);
  const marks = [0, 1, 2, 3].map((part) => Math.round((plot.times.length - 1) * part / 3));
  const stretch = plot.times.at(-1) - plot.times[0];
  const [begin, end] = stretch > 86400 ? [5, 10] : stretch > 600 ? [11, 16] : [11, 19];  // month and day, or the time of day
  const times = [...new Set(marks)].filter((index) => index >= 0).map((index, which) => draw("text", {
    x: x(index), y: height - 4, "text-anchor": which === 0 ? "start" : which === 3 ? "end" : "middle"},
    new Date(plot.times[index] * 1000).toISOString().slice(begin, end)));
  const told = {when: make("span", {class: "faint"}), values: plot.lines.map(() => make("b"))};
  const summary = plot.lines.map(({name, values}) => `${name} ${last(values) === null ? "unknown" : plot.format(last(values))}`).join(", ");
  const svg = draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0", "aria-label": `${plot.title}, now: ${summary}`},
    levels, times, plot.lines.map(({values}, which) => draw("path", {class: `line s${which}`, d: path(values, x, y)})));
  follow(svg, plot, x, told);
  return make("figure", {class: "plot"}, make("figcaption", null, make("b", null, plot.title), " ", told.when), svg,
    make("p", {class: "legend"}, plot.lines.map(({name}, which) => make("span", null, make("i", {class: `key s${which}`}), `${name} `, told.values[which]))));
}
