// One domain: its numbers, robots.txt, queue and last fetches.
import {facts, make, time, urlLink} from "./elements.js";
import {bytes, count, span} from "./format.js";
import {nameOf, orderButton} from "./order.js";
import {outcomes} from "./outcomes.js";

const states = {crawled: "fetched", queued: "scheduled", not_crawled: "not scheduled", error: "failed, may be tried again", gone: "failed for good"};
const byState = (urls) => Object.entries(states).filter(([state]) => urls[state]).map(([state, says]) => `${count(urls[state])} ${says}`).join(" · ");
const counted = (urls, known) => [byState(urls), urls.counted < known && make("small", {class: "faint"}, ` about: estimated from ${count(urls.counted)} of them`)];

function known(record, urls, now) {
  const robots = record.robots_at_ms ? ["status ", record.robots_status, ", ", time(record.robots_at_ms, now)] : "not fetched yet";
  return [make("h2", null, "What is known"), facts([
    ["Known URLs", count(record.known_urls)], urls && ["By their state", counted(urls, record.known_urls)],
    record.sitemaps && ["Sitemaps asked for", count(record.sitemaps)], record.assets && ["Assets asked for", count(record.assets)],
    ["Pages fetched, repeats too", count(record.fetched)], ["Failures", count(record.failed)],
    ["Requests, repeats too", count(record.scheduled)], ["robots.txt", robots],
    record.crawl_delay_ms !== null && ["Its Crawl-delay", span(record.crawl_delay_ms / 1000)], ["Strategy", record.strategy]])];
}

function waits(queue, now) {
  return [make("h2", null, "Its queue"), facts([
    ["Waiting", count(queue.waiting_by_band.reduce((sum, band) => sum + band, 0))],
    ["By band, best first", queue.waiting_by_band.map(count).join(" · ")],
    ["For later", queue.delayed ? [count(queue.delayed), ", the first ", time(queue.next_delayed_ms, now)] : "0"],
    ["Delay between requests", span(queue.delay_ms / 1000)],
    ["Blocked", queue.blocked ? ["ends ", time(queue.blocked_until_ms, now)] : "no"],
    queue.back_offs && ["Back-offs", count(queue.back_offs)],
    ["Not empty since", time(queue.waiting_since_ms, now)]])];
}

const means = {rules: "its rules hold", "allow-all": "there is none, and everything is allowed", "disallow-all": "it cannot be had, and nothing is fetched for now"};

function robotsFile(file, now) {
  const answer = file.status ? `status ${file.status}` : "none";
  return [make("h3", null, make("bdi", null, file.host)), facts([
    ["Asked for", time(file.fetched_at_ms, now)], ["Answer", `${answer}: ${means[file.outcome]}`],
    file.crawl_delay_ms !== null && ["Crawl-delay", span(file.crawl_delay_ms / 1000)],
    file.sitemaps.length > 0 && ["Sitemaps", make("ul", null, file.sitemaps.map((url) => make("li", null, urlLink(url))))]]),
  file.text && make("details", null, make("summary", null, `The file as it was fetched, ${bytes(file.bytes)}`),
    make("pre", {class: "scroll", tabindex: "0", role: "region", "aria-label": `robots.txt of ${file.host}`}, file.text),
    file.text_is_cut && make("p", {class: "faint"}, "Only its beginning is shown."))];
}

const robotsFiles = ({files, has_more: more}, now) => files.length > 0 && [make("h2", null, "robots.txt"), files.map((file) => robotsFile(file, now)),
  more && make("p", {class: "faint"}, `Only the first ${count(files.length)} hosts are shown.`)];

export const domain = (name) => ({
  name: "domains", title: name, every: 5000,
  request: () => `/api/v1/domain?${new URLSearchParams({name})}`,
  draw: ({domain: registered, partition, slot, record, urls, robots, queue, ...rest}, now) => [
    make("h1", null, make("bdi", null, registered)),
    make("p", {class: "buttons"}, ["block", "unblock", "purge", "requeue-failed", "forget"].map((order) => orderButton(order, `${nameOf(order)}…`, {domain: registered}))),
    record || queue ? null : make("p", null, "Nothing is known of this domain: no link and no seed led there."),
    facts([["Partition", partition], ["Slot", make("bdi", null, slot)]]),
    record && known(record, urls, now), queue && waits(queue, now), record && outcomes(rest, now), robotsFiles(robots, now)],
});
