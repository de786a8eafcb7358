// What happens to a URL, as `orbweaver explain` says it.
import {domainLink, facts, make, time, urlLink} from "./elements.js";
import {count} from "./format.js";
import {nameOf, orderButton} from "./order.js";

function details({domain, partition, fingerprint, link, failure, queued, page, url}, linkedFrom, now) {
  return facts([
    ["Domain", domainLink(domain)], linkedFrom && ["Linked from", urlLink(linkedFrom)],
    link && ["State", link.status], link && ["Depth", count(link.depth)],
    link && ["Fetched", link.fetches ? [link.fetches === 1 ? "once, " : `${count(link.fetches)} times, the last `, time(link.fetched_at_ms, now), ", status ", link.http_status] : "never"],
    failure && ["Failed", [time(failure.failed_at_ms, now), `: ${failure.cause} ${failure.message}`]],
    queued && ["Band", queued.band ?? "for later"], queued && ["Score", queued.score],
    page && ["Title", make("bdi", null, page.title)], page && page.final_url !== url && ["Led to", urlLink(page.final_url)],
    ["Partition", partition], ["Fingerprint", fingerprint]]);
}

const button = (order, url) => orderButton(order, `${nameOf(order)}…`, {url});

export const url = (asked) => ({
  name: "url", title: asked, every: 5000,
  request: () => `/api/v1/url?${new URLSearchParams({url: asked})}`,
  draw: ({says, more, soonest_ms: soonest, likely_ms: likely, linked_from: linkedFrom, facts: known}, now) => [
    make("h1", null, make("bdi", null, known.url)),
    make("p", {class: "says"}, `It ${says}.`),
    more.length && make("ul", null, more.map((one) => make("li", null, `${one}.`))),
    soonest !== null && make("p", null, "Fetched at the soonest ", time(soonest, now), likely !== null && [", likely ", time(likely, now)]),
    known.link && make("p", {class: "buttons"}, button(known.link.status === "queued" ? "raise" : "reschedule", known.url)),
    details(known, linkedFrom, now)],
});
