// Gives an order: asks for what it needs, shows what it would touch, gives it, and says what was done.
import {make} from "./elements.js";
import {count, sentence} from "./format.js";
import {refresh} from "./live.js";
import {loadSession, orderOf, post} from "./session.js";

const words = {"requeue-dead-letters": "Put dead letters back", "requeue-failed": "Try failed URLs again", reschedule: "Fetch again"};
export const nameOf = (order) => words[order] ?? sentence(order.replaceAll("-", " ")).slice(0, -1);
const hints = {urls: "one a line", for: "such as 30m, 12h or 7d", in: "such as 30m, 12h or 7d; none: now", score: "from 0 to 1; none: 1, the front"};
const given = {for: "1h"};

function field(name, value, isNeeded) {
  const attributes = {name, autocomplete: "off", spellcheck: "false", required: isNeeded};
  const input = name === "urls" ? make("textarea", {...attributes, rows: "6"}) : make("input", attributes);
  input.value = value ?? given[name] ?? "";
  return make("label", null, make("span", null, sentence(name).slice(0, -1), make("small", null, hints[name] ? ` ${hints[name]}` : isNeeded ? "" : " none: all")), input);
}

const touched = (touches) => make("ul", {class: "touches"}, Object.entries(touches ?? {}).map(([what, number]) =>
  make("li", null, make("b", null, typeof number === "number" ? count(number) : String(number)), ` ${what.replaceAll("_", " ")}`)));

// The dialog stands beside the view, which may be drawn anew behind it.
function open(order, parameters) {
  const told = make("div", {class: "told", role: "status"});
  const look = make("button", {value: "look"}, "Show what it touches");
  const act = make("button", {value: "act", class: "act", hidden: true}, `${nameOf(order.name)} now`);
  const close = make("button", {type: "button", onclick: () => dialog.close()}, "Cancel");
  const form = make("form", null, order.needs.map((name) => field(name, parameters[name], true)), (order.takes ?? []).map((name) => field(name, parameters[name], false)), told, make("p", {class: "buttons"}, look, act, close));
  const dialog = make("dialog", {"aria-labelledby": "order-title"}, make("h2", {id: "order-title"}, nameOf(order.name)),
    make("p", {class: "faint"}, sentence(order.says)), form);

  const filledIn = () => [...new FormData(form)].filter(([, value]) => value.trim());
  const ask = async (preview) => {
    look.disabled = act.disabled = true;
    told.replaceChildren("Asking…");
    try {
      const filled = filledIn();
      const {ok, status, answer} = await post(`/api/v1/orders/${order.name}${preview ? "?preview=1" : ""}`, filled);
      if (status === 401 || status === 403) loadSession();
      told.replaceChildren(make("p", {class: ok ? "says" : "says wrong"}, ok ? preview ? "It " : "Done: " : "", ok ? `${answer.says}.` : sentence(answer.error)), ...ok ? [touched(answer.touches)] : []);
      // Nothing is given whose effect was not shown: somebody may have typed on.
      act.hidden = !ok || !preview || String(filled) !== String(filledIn());
      if (ok && !preview) {
        look.hidden = true;
        close.textContent = "Close";
        for (const input of form.querySelectorAll("input, textarea")) input.readOnly = true;
        refresh();
      }
    } catch {
      told.replaceChildren(make("p", {class: "says wrong"}, "The console does not answer: nobody knows whether the order was given. See the order log."));
      act.hidden = true;
    }
    look.disabled = act.disabled = false;
    (act.hidden ? look.hidden ? close : look : act).focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(event.submitter !== act);
  });
  form.addEventListener("input", () => { act.hidden = true; });
  const opener = document.activeElement?.dataset.order;
  dialog.addEventListener("close", () => {
    dialog.remove();
    (document.querySelector(`[data-order="${CSS.escape(opener ?? "")}"]`) ?? document.getElementById("view")).focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  const isFilled = order.needs.every((name) => name in parameters);
  if (isFilled && (Object.keys(parameters).length || !order.takes?.length)) ask(true);
  else [...form.querySelectorAll("input, textarea")].find(({name}) => !(name in parameters))?.focus();
}

// Opens the order's dialog; null where the order may not be given.
export function orderButton(name, label, parameters = {}) {
  const order = orderOf(name);
  if (!order) return null;
  const key = [name, ...Object.values(parameters)].join(" ");
  return make("button", {type: "button", "data-order": key, onclick: () => open(order, parameters)}, label);
}
