// The console: a view for each question, chosen by the address behind #; the search field and its key.
import {deadLetters} from "./dead_letters.js";
import {domain} from "./domain.js";
import {domains} from "./domains.js";
import {history} from "./history.js";
import {ask, show} from "./live.js";
import {overview} from "./overview.js";
import {url} from "./url.js";
import {workers} from "./workers.js";

// Each makes a view of what stands behind its name: #/NAME/OPERAND?PARAMETERS
const views = {
  domains: (_, parameters) => domains(parameters),
  domain: (operand) => operand && domain(operand),
  url: (operand) => operand && url(operand),
  history: (_, parameters) => history(parameters),
  workers: () => workers,
  "dead-letters": (_, parameters) => deadLetters(parameters),
};

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;  // somebody typed it
  }
}

function viewOf(hash) {
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash);
  const [name, ...operand] = path.split("/");
  const make = Object.hasOwn(views, name) ? views[name] : null;
  return make?.(decoded(operand.join("/")), new URLSearchParams(query)) || overview;
}

function navigate() {
  const view = viewOf(location.hash);
  document.title = `${view.title} – Orbweaver`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  show(view);
}

async function tellSubject() {
  try {
    const {ok, answer} = await ask("/api/v1/overview");
    if (ok) document.getElementById("subject").textContent = answer.subject.name;
  } catch {
    // The view says that nobody answers.
  }
}

const query = document.getElementById("query");
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = query.value.trim();
  const isUrl = asked.includes("/") || asked.includes(":");
  if (asked) location.hash = `#/${isUrl ? "url" : "domain"}/${encodeURIComponent(asked)}`;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === query) document.getElementById("view").focus();
  const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea");
  if (event.key !== "/" || isTyped) return;
  event.preventDefault();
  query.focus();
});
addEventListener("hashchange", navigate);
navigate();
tellSubject();
