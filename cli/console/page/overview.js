// How the crawl stands, and what limits it.
import {domainLink, figures, make, time} from "./elements.js";
import {bytes, count, percent, rate, sentence, span} from "./format.js";
import {groupNames, loop} from "./loop.js";
import {nameOf, orderButton} from "./order.js";
import {orderOf} from "./session.js";
import {table} from "./table.js";

function drawRun(run) {
  if (!run) return [];
  return [
    make("h2", null, "This run"),
    run.no_way_out && make("p", {class: "says"}, `Nothing can be fetched: ${run.no_way_out}. It is tried again.`),
    figures([
      ["State", run.paused_partitions ? `paused (${count(run.paused_partitions)} partitions)` : run.state], ["For", span(run.elapsed_s)],
      ["Pages", count(run.pages)], ["Pages a second", rate(run.pages_per_s)], ["Received", bytes(run.bytes)],
      ["Failed", count(run.failed)], ["Being fetched", count(run.fetching)], run.put_by && ["Put by", count(run.put_by)]]),
    run.errors.length && [make("h2", null, "Failures by cause"), table("Failures by cause",
      [{title: "Cause", of: (row) => row.cause}, {title: "Fetches", number: true, of: (row) => count(row.count)}], run.errors)],
    run.unreachable.length && [make("h2", null, "Not reached"), table("Hosts that are not reached",
      [{title: "Host", of: (row) => make("bdi", null, row.origin)}, {title: "Why", of: (row) => row.why}], run.unreachable)],
    run.slowest.length && [make("h2", null, "Slowest domains"), table("Slowest domains",
      [{title: "Domain", of: (row) => domainLink(row.domain)}, {title: "Last answer took", number: true, of: (row) => span(row.took_s)}], run.slowest)]];
}

function drawQueue({queue: {total, exact, domains_read: read, oldest_seconds: oldest}, dead_letters: letters}) {
  return [
    make("h2", null, "Queue"),
    figures([["Waiting", count(total.waiting)], ["For later", count(total.delayed)], ["Domains ready", count(total.ready)],
      ["Domains between two requests", count(total.paced)], ["Domains blocked", count(total.blocked)],
      oldest && ["Waiting longest", span(oldest)], ["Dead letters", letters ? make("a", {href: "#/dead-letters"}, count(letters)) : "0"]]),
    exact ? null : make("p", {class: "faint"}, `Estimated from ${count(read)} domains.`)];
}

// Unread messages, and the share of the work; a hot partition in words too.
const loadOf = ({lag, share, is_hot: hot}) => [count(lag), share === null ? null : make("small", {class: hot && "hot"}, ` ${percent(share)}${hot ? " hot" : ""}`)];

function drawPartitions({groups, hot_partitions: hot, queue}) {
  const rows = queue.partitions.map((partition, index) => ({...partition, index}));
  const number = (title, of) => ({title, number: true, of});
  const acts = orderOf("pause") ? [{title: "Orders", of: (row) => ["pause", "resume"].map((order) => orderButton(order, `${nameOf(order)}…`, {partition: row.index}))}] : [];
  return [make("h2", null, "Partitions"), hot.map((says) => make("p", null, sentence(says))), table("Partitions", [
    {title: "Partition", of: (row) => row.index},
    ...groups.map(({group, partitions}) => number(`Unread by ${groupNames[group] ?? group}, share of their work`, (row) => loadOf(partitions[row.index]))),
    number("Waiting", (row) => count(row.waiting)), number("For later", (row) => count(row.delayed)), number("Ready", (row) => count(row.ready)),
    number("Paced", (row) => count(row.paced)), number("Blocked", (row) => count(row.blocked)), ...acts], rows)];
}

// In words and by its edge; never by its colour alone.
const drawAlerts = (alerts, now) => alerts.length > 0 && make("ul", {class: "alerts", "aria-label": "Alerts"}, alerts.map(({name, severity, since_ms: since, says, advice}) =>
  make("li", {class: severity}, make("b", null, `${sentence(severity).slice(0, -1)}: ${sentence(says)}`), ` ${sentence(advice)} `, make("small", null, `${name}, `, time(since, now)))));

export const overview = {
  name: "overview", title: "Overview", every: 2000,
  request: () => "/api/v1/overview",
  draw: ({alerts, bottleneck, run, stages, status}, now) => [
    make("h1", null, "How the crawl stands"),
    make("p", {class: "says"}, sentence(bottleneck.says)),
    drawAlerts(alerts, now), loop(status, run, stages), drawQueue(status), drawRun(run), drawPartitions(status)],
};
