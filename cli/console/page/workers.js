// The workers of the crawl.
import {make, time} from "./elements.js";
import {bytes, count, span} from "./format.js";
import {orderButton} from "./order.js";
import {orderOf} from "./session.js";
import {timeOf} from "./stage.js";
import {table} from "./table.js";

// A worker that has reported nothing for so long is pale.
const silentMs = 30000;

export const workers = (parameters) => ({
  name: "workers", title: "Workers", every: 5000,
  request: () => "/api/v1/workers",
  draw({workers: all}, now) {
    const named = parameters.get("named");
    const rows = all.filter(({id}) => named === null || id === named);
    const versions = new Set(rows.map(({version}) => version));
    return [
      make("h1", null, named === null ? "Workers" : make("bdi", null, named)),
      named !== null && make("p", null, make("a", {href: "#/workers"}, "All workers")),
      rows.some((row) => row.shares_process) && make("p", {class: "faint"}, "They share a process: memory and cores are those of all together."),
      versions.size > 1 && make("p", {class: "says"}, `They are of different versions: ${[...versions].sort().join(", ")}.`),
      rows.length ? table("Workers", [
        {title: "Worker", of: (row) => make("bdi", null, row.id)}, {title: "Role", of: (row) => row.role}, {title: "Version", of: (row) => row.version},
        {title: "Up for", number: true, of: (row) => make("span", {title: new Date(row.started_at_ms).toISOString()}, span((now - row.started_at_ms) / 1000))},
        {title: "Told", of: (row) => [time(row.reported_at_ms, now), now - row.reported_at_ms > silentMs && " (silent)"]},
        {title: "Memory", number: true, of: (row) => row.memory_bytes === null ? "–" : bytes(row.memory_bytes)},
        {title: "Cores", number: true, of: (row) => row.cpu_cores === null ? "–" : row.cpu_cores.toFixed(2)},
        {title: "Time spent", of: (row) => timeOf(row.stages) ?? "–"},
        {title: "Partitions", of: (row) => row.partitions.length > 8 ? `${count(row.partitions.length)} of them` : row.partitions.join(", ") || "none"},
        {title: "Address", of: (row) => make("bdi", null, row.admin_address || "–")},
        ...orderOf("drain") ? [{title: "Order", of: (row) => orderButton("drain", "Drain…", {worker: row.id})}] : []], rows)
        : make("p", null, named !== null ? "No worker of this name has told of itself lately." : "No worker has told of itself yet. A crawl on one machine has them in its own process; a cluster's report every few seconds.")];
  },
});
