// Who looks: whether they may act, and how they come in.
import {ask} from "./live.js";

let session = {may_read: true, may_act: false, needs_login: false, read_only: true, is_logged_in: false, csrf: null, orders: []};

// The order of this name, where it may be given; else undefined.
export const orderOf = (name) => session.may_act ? session.orders.find((order) => order.name === name) : undefined;
export const orders = () => session.may_act ? session.orders : [];
export const isLoggedIn = () => session.is_logged_in;
// Whether a login would allow more.
export const wantsLogin = () => !session.is_logged_in && (session.needs_login || !session.may_act && !session.read_only);

function take(next) {
  session = {...session, ...next};
  document.dispatchEvent(new CustomEvent("session"));
}

export async function loadSession() {
  const {ok, answer} = await ask("/api/v1/session");
  if (ok) take(answer);
}

// What the server answers to a form: {ok, status, answer}.
export function post(path, parameters = {}) {
  const headers = session.csrf === null ? {} : {"X-CSRF": session.csrf};
  return ask(path, {method: "POST", headers, body: new URLSearchParams(parameters)});
}

// Empty, or why not.
export async function logIn(token) {
  const {ok, answer} = await post("/api/v1/login", {token});
  if (!ok) return answer.error;
  take(answer);
  return "";
}

export async function logOut() {
  await post("/api/v1/logout");
  await loadSession();
}
