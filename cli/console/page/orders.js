// The orders that may be given, and the log of those that were.
import {make, time} from "./elements.js";
import {sentence} from "./format.js";
import {nameOf, orderButton} from "./order.js";
import {orders as givable, wantsLogin} from "./session.js";
import {table} from "./table.js";

const told = (parameters) => Object.entries(parameters).map(([name, value]) => `${name} ${value}`).join(", ");

export const orders = {
  name: "orders", title: "Orders", every: 5000,
  request: () => "/api/v1/orders?limit=100",
  draw: ({orders: log}, now) => [
    make("h1", null, "Orders"),
    givable().length ? make("dl", {class: "facts orders"}, givable().map(({name, says}) =>
      [make("dt", null, orderButton(name, `${nameOf(name)}…`)), make("dd", null, sentence(says))]))
      : make("p", null, "You may look, and give no orders. ", wantsLogin() && make("a", {href: "#/login"}, "Log in")),
    make("h2", null, "Given so far"),
    log.length ? table("Orders given", [
      {title: "At", of: (row) => time(row.time_ms, now)}, {title: "Order", of: (row) => row.order}, {title: "Of", of: (row) => make("bdi", null, told(row.parameters))},
      {title: "By", of: (row) => make("bdi", null, row.by)}, {title: "From", of: (row) => make("bdi", null, row.from)},
      {title: "Outcome", of: (row) => [row.done ? "" : "refused: ", make("bdi", null, row.says)]}], log)
      : make("p", null, "None.")],
};
