// Messages that could not be decoded or applied, newest first.
import {make, time} from "./elements.js";
import {count} from "./format.js";
import {orderButton} from "./order.js";
import {orderOf} from "./session.js";
import {table} from "./table.js";

const rowsOfAPage = 100;

export function deadLetters(parameters) {
  const before = parameters.get("before");
  return {
    name: "dead-letters", title: "Dead letters", every: 10000,
    request: () => `/api/v1/dead-letters?${new URLSearchParams({limit: rowsOfAPage, ...before ? {before} : {}})}`,
    draw: ({letters, next}, now) => [
      make("h1", null, "Dead letters"),
      make("p", {class: "faint"}, "Messages that could not be used. They are kept with their cause; put back, they are read again."),
      letters.length ? table("Dead letters", [
        {title: "At", of: (row) => time(row.time_ms, now)}, {title: "Topic", of: (row) => row.topic}, {title: "Cause", of: (row) => row.cause},
        {title: "Key", of: (row) => make("bdi", null, row.key)}, {title: "Says", of: (row) => make("bdi", null, row.says)},
        {title: "Partition", number: true, of: (row) => count(row.partition)}, {title: "Offset", number: true, of: (row) => count(row.offset)},
        ...orderOf("requeue-dead-letters") ? [{title: "Order", of: (row) => orderButton("requeue-dead-letters", "Put back…", {partition: row.partition, offset: row.offset})}] : []], letters)
        : make("p", null, before ? "No more dead letters." : "There are none: every message could be used."),
      make("p", {class: "pager"}, letters.length > 0 && orderButton("requeue-dead-letters", "Put all back…"),
        next && make("a", {href: `#/dead-letters?${new URLSearchParams({before: next})}`}, "Older ones"))],
  };
}
