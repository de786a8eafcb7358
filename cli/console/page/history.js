// Curves of the last minutes, hours and days.
import {make} from "./elements.js";
import {bytes, count, rate, short} from "./format.js";
import {plotOf} from "./plot.js";

const ranges = {"15m": "15 minutes", "6h": "6 hours", "7d": "7 days"};
const flow = (value) => `${bytes(value)}/s`;
// Title, values as the legend and as the axis writes them, series with their names.
const plots = [
  ["Pages a second", rate, rate, {pages_per_second: "fetched", failures_per_second: "failed"}],
  ["Received", flow, flow, {bytes_per_second: "bytes"}],
  ["Queue", count, short, {waiting: "waiting", delayed: "for later"}],
  ["Unread in the logs", count, short, {spider_log_lag: "spider log", scoring_log_lag: "scoring log", feed_lag: "spider feed"}],
  ["Memory", bytes, bytes, {memory_bytes: "in use"}]];

export function curves(parameters) {
  const asked = Object.hasOwn(ranges, parameters.get("range")) ? parameters.get("range") : "15m";
  return {
    name: "curves", title: "Curves", every: 5000,
    request: () => `/api/v1/history?range=${asked}`,
    draw({times, series}) {
      // As .plots of console.css lays them out.
      const room = document.getElementById("view").clientWidth;
      const width = room >= 984 ? (room - 24) / 2 : room;
      const isKnown = Object.values(series).some((values) => values.some((value) => value !== null));
      return [
        make("h1", null, "Curves"),
        make("p", {class: "choice"}, "The last ", Object.entries(ranges).map(([range, name]) =>
          [make("a", {href: `#/curves?range=${range}`, "aria-current": range === asked && "true"}, name), " "])),
        isKnown ? make("div", {class: "plots"}, plots.map(([title, format, axis, names]) => plotOf({
          title, times, format, axis, lines: Object.entries(names).map(([key, name]) => ({name, values: series[key] ?? times.map(() => null)}))}, width)))
          : make("p", null, "Nothing was measured in this time yet. Curves begin with the crawl; of a folder at rest they are those of its last run."),
        make("p", {class: "faint"}, "Times are UTC. The arrow keys move along a curve.")];
    },
  };
}
