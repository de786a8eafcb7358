// The loop of the crawl as a picture: stages, and between them the logs with what flows through them.
import {make} from "./elements.js";
import {count, rate, span} from "./format.js";
import {timeOf} from "./stage.js";

export const groupNames = {"strategy-workers": "strategy workers", "db-workers": "db workers", spiders: "spiders", pages: "pages"};
// So many unread messages, and the log counts as behind (cli/frontier/bottleneck).
const behindMessages = 2000;

// How long its readers would need for what is unread, at the rate at which they read.
function behind({lag, read_per_s: read}) {
  if (!lag) return "up to date";
  return read > 0 ? `${span(lag / read)} behind` : "not read at the moment";
}

function log(group, title) {
  const {lag, written_per_s: written, read_per_s: read} = group;
  const flow = Math.max(written, read);
  const speed = flow <= 0 ? "still" : flow < 10 ? "slow" : flow < 1000 ? "steady" : "fast";
  return make("li", {class: lag >= behindMessages ? "log behind" : "log"}, make("span", {class: "towards"}, title), make("span", {class: `wire ${speed}`, "aria-hidden": "true"}),
    make("small", null, `${rate(written)} in, ${rate(read)} out`), make("small", null, `${count(lag)} unread, ${behind(group)}`));
}

export function loop({groups, queue}, run, stages) {
  const stage = (name, note) => make("li", {class: "stage"}, make("b", null, name), note && make("small", null, note), timeOf(stages?.find((one) => one.name === name)));
  const of = (name) => groups.find(({group}) => group === name);
  const members = (name) => of(name).members ? `${count(of(name).members)} in the group` : "";
  return make("ol", {class: "loop", "aria-label": "The loop of the crawl"},
    stage("spiders", run ? `${count(run.fetching)} being fetched` : members("spiders")),
    log(of("strategy-workers"), "spider log"),
    stage("strategy workers", members("strategy-workers")),
    log(of("db-workers"), "scoring log"),
    stage("db workers", `${count(queue.total.waiting)} in the queue`),
    log(of("spiders"), "spider feed"));
}
