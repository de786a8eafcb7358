// The console: a view for each question, chosen by the address behind #, drawn from one request each.
import {bytes, count, facts, make, rate, span, table, time} from "./format.js";

const view = document.getElementById("view");
const trouble = document.getElementById("trouble");
const behindMessages = 2000;
const rowsOfAPage = 50;
const groupNames = {"strategy-workers": "strategy workers", "db-workers": "db workers", spiders: "spiders", pages: "pages"};

const domainLink = (domain) => make("a", {href: `#/domain/${encodeURIComponent(domain)}`}, make("bdi", null, domain));
const urlLink = (url) => make("a", {href: `#/url/${encodeURIComponent(url)}`}, make("bdi", null, url));

function drawLoop({groups, queue}, run) {
  const of = (name) => groups.find(({group}) => group === name);
  const stage = (name, note) => make("li", {class: "stage"}, groupNames[name], make("small", null, note));
  const log = (name, title) => {
    const {lag, written_per_s: written} = of(name);
    return make("li", {class: lag >= behindMessages ? "log behind" : "log"}, `${title} →`, make("small", null, `${count(lag)} unread, ${rate(written)} written`));
  };
  const members = (name) => of(name).members ? `${count(of(name).members)} in the group` : "";
  return make("ol", {class: "loop", "aria-label": "The loop of the crawl"},
    stage("spiders", run ? `${count(run.fetching)} being fetched` : members("spiders")), log("strategy-workers", "spider log"),
    stage("strategy-workers", members("strategy-workers")), log("db-workers", "scoring log"),
    stage("db-workers", `${count(queue.total.waiting)} in the queue`), log("spiders", "feed"));
}

function drawRun(run) {
  if (!run) return [];
  const parts = [make("h2", null, "This run"), facts([
    ["State", run.paused_partitions ? `paused (${count(run.paused_partitions)} partitions)` : run.state], ["For", span(run.elapsed_s)],
    ["Pages", count(run.pages)], ["Pages a second", rate(run.pages_per_s)], ["Received", bytes(run.bytes)],
    ["Failed", count(run.failed)], ["Being fetched", count(run.fetching)], run.put_by ? ["Put by", count(run.put_by)] : null], "figures")];
  if (run.no_way_out) parts.push(make("p", {class: "says"}, `Nothing can be fetched: ${run.no_way_out}. It is tried again.`));
  if (run.errors.length) {
    parts.push(make("h2", null, "Failures by cause"), table("Failures by cause",
      [{title: "Cause", of: (row) => row.cause}, {title: "Fetches", number: true, of: (row) => count(row.count)}], run.errors));
  }
  if (run.unreachable.length) {
    parts.push(make("h2", null, "Not reached"), table("Hosts that are not reached",
      [{title: "Host", of: (row) => make("bdi", null, row.origin)}, {title: "Why", of: (row) => row.why}], run.unreachable));
  }
  if (run.slowest.length) {
    parts.push(make("h2", null, "Slowest domains"), table("Slowest domains",
      [{title: "Domain", of: (row) => domainLink(row.domain)}, {title: "Last answer took", number: true, of: (row) => span(row.took_s)}], run.slowest));
  }
  return parts;
}

function drawPartitions({groups, queue}) {
  const rows = queue.partitions.map((partition, index) => ({...partition, index}));
  return table("Partitions", [
    {title: "Partition", of: (row) => row.index},
    ...groups.map((group) => ({title: `Unread by ${groupNames[group.group] ?? group.group}`, number: true, of: (row) => count(group.partitions[row.index].lag)})),
    {title: "Waiting", number: true, of: (row) => count(row.waiting)}, {title: "For later", number: true, of: (row) => count(row.delayed)},
    {title: "Ready", number: true, of: (row) => count(row.ready)}, {title: "Paced", number: true, of: (row) => count(row.paced)},
    {title: "Blocked", number: true, of: (row) => count(row.blocked)}], rows);
}

const overview = {
  name: "overview", title: "Overview", every: 2000,
  request: () => "/api/v1/overview",
  draw({bottleneck, run, status}) {
    const {total, exact, domains_read: read, oldest_seconds: oldest} = status.queue;
    return [
      make("h1", null, "How the crawl stands"),
      make("p", {class: "says"}, `${bottleneck.says[0].toUpperCase()}${bottleneck.says.slice(1)}.`),
      drawLoop(status, run),
      make("h2", null, "Queue"),
      facts([["Waiting", count(total.waiting)], ["For later", count(total.delayed)], ["Domains ready", count(total.ready)],
        ["Domains between two requests", count(total.paced)], ["Domains blocked", count(total.blocked)],
        oldest ? ["Waiting longest", span(oldest)] : null, ["Dead letters", count(status.dead_letters)]], "figures"),
      exact ? null : make("p", {class: "faint"}, `Estimated from ${count(read)} domains.`),
      ...drawRun(run),
      make("h2", null, "Partitions"), drawPartitions(status)];
  },
};

function domains(parameters) {
  const asked = {sort: "waiting", order: "desc", contains: "", phase: "", offset: "0", ...Object.fromEntries(parameters)};
  const go = (changes) => { location.hash = `#/domains?${new URLSearchParams({...asked, offset: "0", ...changes})}`; };
  return {
    name: "domains", title: "Domains", every: 10000,
    request: () => `/api/v1/domains?${new URLSearchParams({...asked, limit: rowsOfAPage})}`,
    draw({domains: rows, matches, domains_read: read, share}, now) {
      const offset = Number(asked.offset);
      const sorted = {column: asked.sort, ascending: asked.order === "asc", by: (column) =>
        go({sort: column, order: (column === asked.sort ? asked.order === "desc" : column === "domain") ? "asc" : "desc"})};
      const number = (title, sort, of) => ({title, sort, number: true, of});
      const filter = make("form", {onsubmit: (event) => { event.preventDefault(); go(Object.fromEntries(new FormData(event.target))); }},
        make("label", null, "Name contains ", make("input", {name: "contains", value: asked.contains, autocomplete: "off"})),
        make("label", null, "State ", make("select", {name: "phase"}, ["", "ready", "paced", "later", "blocked", "idle"].map((phase) =>
          make("option", {value: phase, selected: phase === asked.phase}, phase || "any")))),
        make("button", null, "Filter"));
      return [
        make("h1", null, "Domains"), filter,
        rows.length ? table("Domains", [
          {title: "Domain", sort: "domain", of: (row) => domainLink(row.domain)},
          {title: "State", of: (row) => row.phase === "blocked" ? ["blocked, ends ", time(row.blocked_until_ms, now)] : row.phase},
          number("Waiting", "waiting", (row) => count(row.waiting)), number("For later", "delayed", (row) => count(row.delayed)),
          number("Known URLs", "known_urls", (row) => count(row.known_urls)), number("Fetched", "fetched", (row) => count(row.fetched)),
          number("Failed", "failed", (row) => count(row.failed)), {title: "Delay", number: true, of: (row) => span(row.delay_ms / 1000)},
        ], rows, sorted) : make("p", null, matches ? "No more domains." : read ? "No domain matches. Widen the filter." : "The crawl knows no domain yet."),
        make("p", {class: "pager"},
          offset > 0 && make("button", {type: "button", onclick: () => go({offset: Math.max(0, offset - rowsOfAPage)})}, "Back"),
          `${count(matches && rows.length ? offset + 1 : 0)} to ${count(offset + rows.length)} of ${count(matches)}`,
          offset + rows.length < matches && make("button", {type: "button", onclick: () => go({offset: offset + rowsOfAPage})}, "Next")),
        share < 1 && make("p", {class: "faint"}, `Of ${count(read)} domains that were read, about ${count(share * 100)} % of all.`)];
    },
  };
}

function domain(name) {
  return {
    name: "domains", title: name, every: 5000,
    request: () => `/api/v1/domain?${new URLSearchParams({name})}`,
    draw({domain: registered, partition, slot, record, queue}, now) {
      const known = record && [make("h2", null, "What is known"), facts([
        ["Known URLs", count(record.known_urls)], ["Fetched", count(record.fetched)], ["Failed", count(record.failed)],
        ["Scheduled", count(record.scheduled)], ["robots.txt", record.robots_at_ms ? ["status ", record.robots_status, ", ", time(record.robots_at_ms, now)] : "not fetched yet"],
        record.crawl_delay_ms === null ? null : ["Its Crawl-delay", span(record.crawl_delay_ms / 1000)], ["Strategy", record.strategy]])];
      const waits = queue && [make("h2", null, "Its queue"), facts([
        ["Waiting", count(queue.waiting_by_band.reduce((sum, band) => sum + band, 0))], ["By band, best first", queue.waiting_by_band.map(count).join(" · ")],
        ["For later", queue.delayed ? [count(queue.delayed), ", the first ", time(queue.next_delayed_ms, now)] : "0"],
        ["Delay between requests", span(queue.delay_ms / 1000)],
        ["Blocked", queue.blocked ? ["ends ", time(queue.blocked_until_ms, now)] : "no"],
        queue.back_offs ? ["Back-offs", count(queue.back_offs)] : null,
        ["Not empty since", time(queue.waiting_since_ms, now)]])];
      return [make("h1", null, make("bdi", null, registered)),
        record || queue ? null : make("p", null, "Nothing is known of this domain: no link and no seed led there."),
        ...known ?? [], ...waits ?? [],
        make("h2", null, "Where"), facts([["Partition", partition], ["Slot", slot]])];
    },
  };
}

function url(asked) {
  return {
    name: "url", title: asked, every: 5000,
    request: () => `/api/v1/url?${new URLSearchParams({url: asked})}`,
    draw({says, more, soonest_ms: soonest, facts: {url: canonical, domain: registered, partition, fingerprint, link, failure, queued, page}}, now) {
      return [make("h1", null, make("bdi", null, canonical)),
        make("p", {class: "says"}, `It ${says}.`),
        more.length ? make("ul", null, more.map((sentence) => make("li", null, `${sentence}.`))) : null,
        soonest === null ? null : make("p", null, "Fetched at the soonest: ", time(soonest, now)),
        facts([["Domain", domainLink(registered)],
          link && ["State", link.status], link && ["Depth", count(link.depth)],
          link && ["Fetched", link.fetches ? [count(link.fetches), " times, the last ", time(link.fetched_at_ms, now), ", status ", link.http_status] : "never"],
          failure && ["Failed", [time(failure.failed_at_ms, now), `: ${failure.cause} ${failure.message}`]],
          queued && ["Band", queued.band ?? "for later"], queued && ["Score", queued.score],
          page && ["Title", page.title], page && page.final_url !== canonical && ["Led to", urlLink(page.final_url)],
          ["Partition", partition], ["Fingerprint", fingerprint]])];
    },
  };
}

function viewOf(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...rest] = path.split("/");
  let operand = rest.join("/");
  try {
    operand = decodeURIComponent(operand);
  } catch {
    // Somebody typed it: it is taken as it is.
  }
  if (name === "domains") return domains(new URLSearchParams(query));
  if (name === "domain" && operand) return domain(operand);
  if (name === "url" && operand) return url(operand);
  return overview;
}

async function tellSubject() {
  try {
    const {subject} = await (await fetch("/api/v1/overview")).json();
    document.getElementById("subject").textContent = subject.name;
  } catch {
    // The view says that nobody answers.
  }
}

let current = overview;
let timer = 0;
let asking = null;  // the request under way

function show(message) {
  trouble.hidden = !message;
  if (trouble.textContent !== message) trouble.textContent = message;
}

// The places of `element` among its parents' children, from the view down; null outside.
function placeOf(element) {
  const places = [];
  for (; element !== view; element = element.parentElement) {
    if (!element) return null;
    places.unshift([...element.parentElement?.children ?? []].indexOf(element));
  }
  return places;
}

// Draws over what stands there, but not while somebody types, chooses or selects in it. The focus
// and how far tables are scrolled stay.
function replace(parts) {
  const focused = document.activeElement;
  const isInside = view.contains(focused);
  const selection = getSelection();
  const isBusy = isInside && focused.matches("input, select") || !selection.isCollapsed && view.contains(selection.anchorNode);
  if (isBusy) return;
  const place = isInside ? placeOf(focused) : null;
  const scrolled = [...view.querySelectorAll(".scroll")].map((element) => element.scrollLeft);
  view.replaceChildren(...parts.filter(Boolean));
  view.querySelectorAll(".scroll").forEach((element, index) => { element.scrollLeft = scrolled[index] ?? 0; });
  place?.reduce((element, index) => element?.children[index], view)?.focus({preventScroll: true});
}

async function refresh() {
  clearTimeout(timer);
  asking?.abort();
  if (document.hidden) return;  // visibilitychange begins anew
  const drawn = current;
  asking = new AbortController();
  const {signal} = asking;
  try {
    const response = await fetch(drawn.request(), {signal, cache: "no-store"});
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const answer = isJson ? await response.json() : {error: (await response.text()).trim()};
    if (signal.aborted) return;
    if (response.ok) replace(drawn.draw(answer, Date.now()));
    else if (response.status === 400) replace([make("h1", null, drawn.title), make("p", {class: "says"}, answer.error)]);
    show(response.ok || response.status === 400 ? "" : `${answer.error}. Trying again.`);
    document.getElementById("footer").replaceChildren("As of ", make("time", null, new Date().toISOString().slice(0, 19).replace("T", " ")), " UTC");
  } catch {
    if (signal.aborted) return;
    show("The console does not answer: the crawl has ended, or this machine cannot reach it. Trying again.");
  }
  timer = setTimeout(refresh, drawn.every);
}

function navigate() {
  current = viewOf(location.hash);
  document.title = `${current.title} – Orbweaver`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === current.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  view.focus();
  view.replaceChildren(make("p", {class: "faint"}, "Loading…"));
  refresh();
}

document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = document.getElementById("query").value.trim();
  const isUrl = asked.includes("/") || asked.includes(":");
  if (asked) location.hash = `#/${isUrl ? "url" : "domain"}/${encodeURIComponent(asked)}`;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  event.preventDefault();
  document.getElementById("query").focus();
});
document.addEventListener("visibilitychange", refresh);
addEventListener("hashchange", navigate);
navigate();
tellSubject();
