// Where the time of a worker, or of all workers of a kind, goes.
import {draw, make} from "./elements.js";
import {percent} from "./format.js";

// How a stage spends its time, as a bar and in words; nothing where that is not known.
export function timeOf(stage) {
  const parts = ["busy", "waits_for_input", "waits_for_output"].map((part) => [part, stage?.[part]]).filter(([, share]) => typeof share === "number");
  if (!parts.length) return null;
  let from = 0;
  const bars = parts.map(([part, share]) => draw("rect", {class: part, x: (from += share) - share, width: share, height: 1}));
  const words = parts.filter(([, share]) => share >= .005).map(([part, share]) => `${part.replaceAll("_", " ")} ${percent(share)}`);
  return [draw("svg", {class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true"}, bars), make("small", null, words.join(", "))];
}
