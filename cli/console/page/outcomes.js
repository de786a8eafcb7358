// A domain's last fetches: when, how long each took, and how it ended.
import {draw, make, time, urlLink} from "./elements.js";
import {bytes, span} from "./format.js";
import {table} from "./table.js";

const height = 110, left = 58, right = 8, top = 10, bottom = 20;
const isGood = ({cause, status}) => cause === null && status !== null && status < 400;
const ending = ({status, cause}) => [status ?? "no answer", cause].filter((part) => part !== null).join(", ");

// Each a mark: as far right as it is young, as high as its answer took long. A failure is a cross.
function timeline(outcomes, width, now) {
  const first = Math.min(...outcomes.map((one) => one.time_ms));
  const newest = Math.max(...outcomes.map((one) => one.time_ms));
  const most = Math.max(1, ...outcomes.map((one) => one.latency_ms));
  const x = (ms) => left + (width - left - right) * (newest === first ? .5 : (ms - first) / (newest - first));
  const y = (ms) => height - bottom - (height - top - bottom) * ms / most;
  const marks = outcomes.map((one) => {
    const [at, up] = [x(one.time_ms), y(one.latency_ms)];
    const mark = isGood(one) ? draw("circle", {class: "good", cx: at, cy: up, r: 3}) : draw("path", {class: "bad", d: `M${at - 4},${up - 4}l8,8m0,-8l-8,8`});
    mark.append(draw("title", null, `${ending(one)}, ${span(one.latency_ms / 1000)}: ${one.url}`));
    return mark;
  });
  const failed = outcomes.filter((one) => !isGood(one)).length;
  return make("figure", {class: "plot"}, draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `The last ${outcomes.length} fetches by time and latency, ${failed} of them failed; the slowest took ${span(most / 1000)}`},
  [0, most].flatMap((ms) => [draw("line", {class: "grid", x1: left, x2: width - right, y1: y(ms), y2: y(ms)}),
    draw("text", {x: left - 6, y: y(ms) + 4, "text-anchor": "end"}, span(ms / 1000))]),
  draw("text", {x: left, y: height - 4}, `${span((now - first) / 1000)} ago`),
  draw("text", {x: width - right, y: height - 4, "text-anchor": "end"}, `${span((now - newest) / 1000)} ago`), marks));
}

export function outcomes({outcomes: all, outcomes_read_back_to_ms: back}, now) {
  const title = make("h2", null, "Last fetches");
  if (!all.length) return [title, make("p", null, back ? ["None since ", time(back, now), ": so far back the log was read."] : "None yet.")];
  return [title, timeline(all, document.getElementById("view").clientWidth, now), table("Last fetches", [
    {title: "URL", of: (row) => urlLink(row.url)}, {title: "At", of: (row) => time(row.time_ms, now)}, {title: "Ended", of: ending},
    {title: "Took", number: true, of: (row) => span(row.latency_ms / 1000)}, {title: "Size", number: true, of: (row) => bytes(row.bytes)}], all)];
}
