// The console: a view for each question, chosen by the address behind #; the search field and its key.
import {deadLetters} from "./dead_letters.js";
import {domain} from "./domain.js";
import {domains} from "./domains.js";
import {make} from "./elements.js";
import {curves} from "./history.js";
import {ask, redraw, show} from "./live.js";
import {login} from "./login.js";
import {orders} from "./orders.js";
import {overview} from "./overview.js";
import {isLoggedIn, loadSession, logIn, wantsLogin} from "./session.js";
import {url} from "./url.js";
import {workers} from "./workers.js";

// Each makes a view of what stands behind its name: #/NAME/OPERAND?PARAMETERS
const views = {
  domains: (_, parameters) => domains(parameters),
  domain: (operand) => operand && domain(operand),
  url: (operand) => operand && url(operand),
  curves: (_, parameters) => curves(parameters),
  workers: (_, parameters) => workers(parameters),
  orders: () => orders,
  login: () => login(""),
  "dead-letters": (_, parameters) => deadLetters(parameters),
};

const nowhere = (path) => ({
  title: "No such view",
  draw: () => [make("h1", null, "No such view"),
    make("p", null, "This address leads nowhere: ", make("bdi", null, `#/${path}`), ". ", make("a", {href: "#/"}, "Overview"))],
});

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
  const viewFor = Object.hasOwn(views, name) ? views[name] : null;
  const view = viewFor?.(decoded(operand.join("/")), new URLSearchParams(query));
  return view || (path ? nowhere(decoded(path)) : overview);
}

// `why`: of a login that failed.
function navigate(why = "") {
  const view = why ? login(why) : viewOf(location.hash);
  document.title = `${view.title} – Orbweaver`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  show(view);
}

const subject = document.getElementById("subject");
async function tellSubject() {
  try {
    const {ok, answer} = await ask("/api/v1/overview");
    if (ok) subject.textContent = answer.subject.name;
  } catch {
    // The view says that nobody answers.
  }
}

// The link in the header says what it leads to; a login link logs in and is gone from the address and the history.
function tellSession() {
  const link = document.getElementById("login");
  link.hidden = !isLoggedIn() && !wantsLogin();
  link.textContent = isLoggedIn() ? "Log out" : "Log in";
  redraw();
  if (!subject.textContent) tellSubject();
}

async function begin() {
  const code = /^#login=(.+)$/.exec(location.hash)?.[1];
  let why = "";
  try {
    if (code) {
      history.replaceState(null, "", "#/");
      why = await logIn(decoded(code));
      if (why) history.replaceState(null, "", "#/login");
    }
    navigate(why);
    await loadSession();
  } catch {
    navigate(why);  // the view says that nobody answers
  }
}

const query = document.getElementById("query");
async function isWorker(name) {
  try {
    const {ok, answer} = await ask("/api/v1/workers");
    return ok && answer.workers.some(({id}) => id === name);
  } catch {
    return false;  // the view says that nobody answers
  }
}

document.getElementById("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  const asked = query.value.trim();
  if (!asked) return;
  const isUrl = asked.includes("/") || asked.includes(":");
  if (await isWorker(asked)) location.hash = `#/workers?${new URLSearchParams({named: asked})}`;
  else location.hash = `#/${isUrl ? "url" : "domain"}/${encodeURIComponent(asked)}`;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === query) document.getElementById("view").focus();
  const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea");
  if (event.key !== "/" || isTyped) return;
  event.preventDefault();
  query.focus();
});
document.addEventListener("session", tellSession);
addEventListener("hashchange", () => { if (location.hash.startsWith("#login=")) begin(); else navigate(); });
begin();
