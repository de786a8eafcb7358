// A table of domains, sorted and filtered by the server.
import {domainLink, make, time, urlLink} from "./elements.js";
import {count, percent, rate, span} from "./format.js";
import {table} from "./table.js";

const rowsOfAPage = 50;
const mostListed = 10000;  // kMostListedDomains of cli/frontier/domain_table.h
const phases = ["ready", "paced", "later", "blocked", "idle"];

function filter(asked, go) {
  const chosen = (event) => {
    event.preventDefault();
    go(Object.fromEntries(new FormData(event.target)));
  };
  return make("form", {onsubmit: chosen},
    make("label", null, "Name contains ", make("input", {name: "contains", value: asked.contains, autocomplete: "off"})),
    make("label", null, "State ", make("select", {name: "phase"}, ["", ...phases].map((phase) =>
      make("option", {value: phase, selected: phase === asked.phase}, phase || "any")))),
    make("button", null, "Filter"));
}

const bands = (waiting) => waiting.map((number, band) => number && `${band}: ${count(number)}`).filter(Boolean).join(" · ") || "–";
const failure = (last, now) => last === null ? "–" : [`${last.cause}${last.status === null ? "" : ` ${last.status}`}, `, time(last.time_ms, now), ": ", urlLink(last.url)];

function pager(offset, shown, matches, go) {
  return make("p", {class: "pager"},
    offset > 0 && make("button", {type: "button", onclick: () => go({offset: Math.max(0, offset - rowsOfAPage)})}, "Back"),
    `${count(shown ? offset + 1 : 0)} to ${count(offset + shown)} of ${count(matches)}`,
    offset + shown < Math.min(matches, mostListed) ? make("button", {type: "button", onclick: () => go({offset: offset + rowsOfAPage})}, "Next")
      : matches > mostListed && "The list ends here. Sort it, or narrow the filter.");
}

export function domains(parameters) {
  const asked = {sort: "waiting", order: "desc", contains: "", phase: "", offset: "0", ...Object.fromEntries(parameters)};
  const go = (changes) => { location.hash = `#/domains?${new URLSearchParams({...asked, offset: "0", ...changes})}`; };
  const sorted = {column: asked.sort, ascending: asked.order === "asc", by: (column) =>
    go({sort: column, order: (column === asked.sort ? asked.order === "desc" : column === "domain") ? "asc" : "desc"})};
  const number = (title, sort, of) => ({title, sort, number: true, of});
  return {
    name: "domains", title: "Domains", every: 10000,
    request: () => `/api/v1/domains?${new URLSearchParams({...asked, limit: rowsOfAPage})}`,
    draw: ({domains: rows, matches, domains_read: read, share}, now) => [
      make("h1", null, "Domains"), filter(asked, go),
      rows.length ? table("Domains", [
        {title: "Domain", sort: "domain", of: (row) => domainLink(row.domain)},
        {title: "State", of: (row) => row.phase === "blocked" ? ["blocked, ends ", time(row.blocked_until_ms, now)] : row.phase},
        number("Waiting", "waiting", (row) => count(row.waiting)), number("For later", "delayed", (row) => count(row.delayed)),
        number("Known URLs", "known_urls", (row) => count(row.known_urls)), number("Fetched", "fetched", (row) => count(row.fetched)),
        number("Rate", "pages_per_second", (row) => row.pages_per_second === null ? "–" : rate(row.pages_per_second)),
        number("Failed", "failed", (row) => count(row.failed)), {title: "Delay", number: true, of: (row) => span(row.delay_ms / 1000)},
        {title: "Waiting by band", of: (row) => bands(row.waiting_by_band)}, {title: "Last failure", of: (row) => failure(row.last_failure, now)},
      ], rows, sorted) : make("p", null, matches ? "No more domains." : read ? "No domain matches. Widen the filter." : "The crawl knows no domain yet."),
      pager(Number(asked.offset), rows.length, matches, go),
      share < 1 && make("p", {class: "faint"}, `Of ${count(read)} domains that were read, about ${percent(share)} of all.`)],
  };
}
