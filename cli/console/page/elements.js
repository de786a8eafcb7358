// Elements of a view, made from texts and never from markup.
import {span} from "./format.js";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => child instanceof Node ? child : String(child)));
  return element;
}

// Children that are not elements become text. null, undefined and false are left out, of attributes too.
export const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export const domainLink = (domain) => make("a", {href: `#/domain/${encodeURIComponent(domain)}`}, make("bdi", null, domain));
export const urlLink = (url) => make("a", {href: `#/url/${encodeURIComponent(url)}`}, make("bdi", null, url));

// A moment, told relative to now; the absolute time shows on hover.
export function time(ms, now) {
  if (!ms) return "never";
  const seconds = (ms - now) / 1000;
  const text = Math.abs(seconds) < 1 ? "now" : seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
  const absolute = `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  return make("time", {datetime: new Date(ms).toISOString(), title: absolute}, text);
}

// Terms with their values; pairs that are null or false are left out.
export const facts = (pairs) =>
  make("dl", {class: "facts"}, pairs.filter(Boolean).map(([term, value]) => [make("dt", null, term), make("dd", null, value)]));
export const figures = (pairs) =>
  make("dl", {class: "figures"}, pairs.filter(Boolean).map(([term, value]) => make("div", null, make("dt", null, term), make("dd", null, value))));
