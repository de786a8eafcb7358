// Shows a view and keeps it fresh: one request each time, none while nobody looks.
//
// A view: {title, every (ms), request() → path, draw(answer, now) → elements}; or {title, draw()}.
import {make} from "./elements.js";
import {sentence} from "./format.js";

const place = document.getElementById("view");
const trouble = document.getElementById("trouble");
const patienceMs = 15000, patienceOfOrdersMs = 40000;

let current = null;
let timer = 0;
let asking = null;  // the request under way
let shown = null;  // the last answer to the current view
let shownTag = null;  // the server's name for it

// The answer of the API to a request: {ok, status, answer, tag}. Rejects when there is none. Status 304 comes without an
// answer: it is still the one with the tag that the request named.
export async function ask(path, options = {}) {
  const patience = AbortSignal.timeout(options.method === "POST" ? patienceOfOrdersMs : patienceMs);
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience;
  const response = await fetch(path, {cache: "no-store", ...options, signal});
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const answer = response.status === 304 ? null : isJson ? await response.json() : {error: (await response.text()).trim()};
  return {ok: response.ok, status: response.status, tag: response.headers.get("etag"), answer};
}

function tell(message) {
  trouble.hidden = !message;
  if (trouble.textContent !== message) trouble.textContent = message;
}

// The places of `element` among its parents' children, from the view down; null outside.
function placesOf(element) {
  const places = [];
  for (; element !== place; element = element.parentElement) {
    if (!element) return null;
    places.unshift([...element.parentElement?.children ?? []].indexOf(element));
  }
  return places;
}

// Draws over what stands there, but not while somebody types, chooses, selects or points at a curve in it. The focus
// and how far tables are scrolled stay, and texts that were opened.
function replace(parts) {
  const focused = document.activeElement;
  const isInside = place.contains(focused);
  const selection = getSelection();
  const isBusy = isInside && focused.matches("input, select, textarea, svg") || place.querySelector("svg:hover") ||
    !selection.isCollapsed && place.contains(selection.anchorNode);
  if (isBusy) return;
  const places = isInside ? placesOf(focused) : null;
  const scrolled = [...place.querySelectorAll(".scroll")].map(({scrollLeft, scrollTop}) => [scrollLeft, scrollTop]);
  const opened = [...place.querySelectorAll("details")].map(({open}) => open);
  place.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  place.querySelectorAll("details").forEach((element, index) => { element.open = opened[index] ?? false; });
  place.querySelectorAll(".scroll").forEach((element, index) => { [element.scrollLeft, element.scrollTop] = scrolled[index] ?? [0, 0]; });
  places?.reduce((element, index) => element?.children[index], place)?.focus({preventScroll: true});
}

export async function refresh() {
  clearTimeout(timer);
  asking?.abort();
  if (current === null || document.hidden) return;  // visibilitychange begins anew
  if (!current.request) {  // a view of nothing but a form
    replace(current.draw());
    return;
  }
  const drawn = current;
  asking = new AbortController();
  const {signal} = asking;
  try {
    const headers = shownTag === null ? {} : {"If-None-Match": shownTag};
    const {ok, status, answer, tag} = await ask(drawn.request(), {signal, headers});
    if (signal.aborted) return;
    if (status === 401) {
      location.hash = "#/login";
      return;
    }
    const isTheirs = status === 400 || status === 404;  // the question is wrong: asking again helps nobody
    const isSame = status === 304;
    if (!isSame) [shown, shownTag] = ok ? [answer, tag] : [null, null];
    if (shown !== null) replace(drawn.draw(shown, Date.now()));  // the same one too: times are told relative to now
    else if (isTheirs) replace([make("h1", null, drawn.title), make("p", {class: "says"}, sentence(answer.error))]);
    tell(ok || isSame || isTheirs ? "" : `${sentence(answer.error)} Trying again.`);
    document.getElementById("footer").replaceChildren("As of ", make("time", null, new Date().toISOString().slice(0, 19).replace("T", " ")), " UTC");
  } catch {
    if (signal.aborted) return;
    tell("The console does not answer: the crawl has ended, or this machine cannot reach it. Trying again.");
  }
  timer = setTimeout(refresh, drawn.every);
}

// Draws the last answer again: something else has changed that the view shows.
export function redraw() {
  if (shown !== null) replace(current.draw(shown, Date.now()));
  else if (current !== null && !current.request) refresh();
}

export function show(view) {
  current = view;
  shown = shownTag = null;
  tell("");
  place.focus();
  place.replaceChildren(make("p", {class: "faint"}, "Loading…"));
  refresh();
}

document.addEventListener("visibilitychange", refresh);
document.addEventListener("resume", refresh);  // the page was frozen
addEventListener("online", refresh);
addEventListener("resize", redraw);  // curves are drawn for a width
addEventListener("pageshow", ({persisted}) => { if (persisted) refresh(); });
