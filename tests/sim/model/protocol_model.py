#!/usr/bin/env python3
"""A small executable model of the loop's crash protocol (ARCHITECTURE.md, "What the guarantees rest on").

One partition, a few domains; any worker is killed, or left behind as a zombie, between any two outside actions. After
each run every URL that was scheduled has left the queue, and none has left it twice.

  protocol_model.py [--seeds N]                 runs with all rules: exit status 1 when one fails
  protocol_model.py [--seeds N] --rules         each rule removed must make one of N runs fail
  protocol_model.py [--seeds N] --without RULE  how often that is so

Every `yield` is a point where a crash or another worker's step can come; a put that comes late is one that a zombie
makes when its time has passed. Everything in World outlives the workers.
"""
import argparse
import random
import sys
from collections import defaultdict

# Each with the first seed to try without it.
RULES = {
    "outbox": 0,            # what was not acked is sent again by the next owner
    "scoring_marker": 0,    # entries of replaced strategy workers do not count
    "feed_marker": 0,       # nor those of replaced db workers
    "still_owner": 0,       # no later marker stands in the log, before a commit
    "versions": 380,        # a lower version never wins
    "manifest": 120,        # blocks count that the record names
    "source_watermark": 0,  # a message that the row has is not applied again
    "feed_readback": 0,     # who takes over reads what was sent since the checkpoint
    "commit_last": 0,       # offsets are committed after what they lead to
    "claim_to_send": 2580,  # requests leave only by a head that their owner has put
    "own_names": 1050,      # chunks of two owners never have the same name
    "claim_to_pass": 13410,  # an event is passed over only by a row that its owner has put
    "taken_out_by": 20,     # a request is taken out for those who have applied the message that did it
}
# Needed too (late_put_test.cc), in an order of events that these seeds do not have: a message is passed over only by a head
# that its owner has put.
CLAIM_TO_SKIP = "claim_to_skip"


class World:
    def __init__(self, seed, without):
        self.rng = random.Random(seed)
        self.without = without
        self.slog, self.clog, self.feed = [], [], []  # append-only logs
        self.commit = {"sw": (0, 0), "dbw": (0, 0), "spider": (0, 0)}  # group -> offset, epoch seen up to it
        self.generation = defaultdict(int)  # of the consumer groups: fences commits
        self.plain = defaultdict(int)  # only for runs without markers
        self.rows = defaultdict(dict)  # (table, domain) -> column -> (version, value)
        self.checkpoint = (0, 0)
        self.domains = [f"d{i}" for i in range(3)]
        urls = [f"{domain}/{i}" for domain in self.domains for i in range(7)]
        self.links = {url: self.rng.sample(urls, self.rng.randint(1, 6)) for url in urls}
        self.slog.append(("seeds", "d0", ["d0/0", "d0/1"]))
        self.left = defaultdict(set)  # url -> places of the feed

    def on(self, rule):
        return rule not in self.without

    def take_over(self, log, rule):  # the marker's own offset is the epoch: the log decides who is last
        if self.on(rule):
            log.append(("marker", len(log) + 1))
            return len(log)
        self.plain[rule] += 1
        return self.plain[rule]

    def deposed(self, log, epoch):  # a marker later than mine: another owner took over
        return self.on("still_owner") and any(m[0] == "marker" and m[1] > epoch for m in log)

    def put(self, table, domain, version, cells):  # atomic per row; a lower version never wins
        row = self.rows[(table, domain)]
        for column, value in cells.items():
            if not self.on("versions") or column not in row or row[column][0] <= version:
                row[column] = (version, value)

    def erase(self, table, domain, version, columns):
        row = self.rows[(table, domain)]
        for column in columns:
            if column in row and row[column][0] <= version:
                del row[column]

    def get(self, table, domain):
        return {column: value for column, (_, value) in self.rows[(table, domain)].items()}

    def commit_offset(self, group, generation, offset, epoch):
        if self.generation[group] != generation:
            return False
        if offset >= self.commit[group][0]:
            self.commit[group] = (offset, epoch)
        return True


def strategy_worker(w, generation):
    flush = 0
    yield
    epoch = w.take_over(w.clog, "scoring_marker")
    yield
    position = w.commit["sw"][0]
    cache = {}
    while True:
        batch = w.slog[position:position + w.rng.randint(1, 5)]
        if not batch:
            yield "idle"
            continue
        dirty = {}
        for i, (kind, domain, urls) in enumerate(batch):
            offset = position + i + 1
            if domain not in cache:
                row = w.get("domains", domain)
                yield
                record = row.get("r") or {"applied": 0, "blocks": [], "outbox": []}
                states = {}
                for name in record["blocks"] if w.on("manifest") else sorted(c for c in row if c[0] == "d"):
                    states.update(row[name])
                cache[domain] = {"applied": record["applied"], "blocks": list(record["blocks"]), "states": states,
                                 "outbox": list(record["outbox"])}
                if record["outbox"]:
                    dirty[domain] = {}  # claimed by a put of mine before it is sent again
            known = cache[domain]
            if offset <= known["applied"]:
                if w.on("claim_to_pass"):
                    dirty.setdefault(domain, {})
                continue
            delta, requests = {}, []
            for url in urls:
                state = known["states"].get(url)
                if kind == "page":
                    delta[url] = "crawled"
                elif state is None:  # a strategy may decide at random: replays need not agree
                    if w.rng.random() < 0.8:
                        delta[url] = "queued"
                        requests.append(("add", url))
                    else:
                        delta[url] = "ignored"
                elif state == "queued" and w.rng.random() < 0.5:
                    requests.append(("raise", url))
            delta = {url: state for url, state in delta.items() if known["states"].get(url) != state}
            if not delta and not requests:
                continue
            known["states"].update(delta)
            known["applied"] = offset
            dirty.setdefault(domain, {}).update(delta)
            if requests:
                known["outbox"].append((domain, offset, tuple(requests)))

        def puts():
            nonlocal flush
            for domain, delta in dirty.items():
                known = cache[domain]
                flush += 1
                name = f"d{epoch:06d}.{flush:06d}"
                if delta:
                    known["blocks"].append(name)
                record = {"applied": known["applied"], "blocks": list(known["blocks"]),
                          "outbox": list(known["outbox"]) if w.on("outbox") else []}
                w.put("domains", domain, (epoch, flush), {"r": record, name: dict(delta)})
                yield

        def produces():
            for message in [m for domain in dirty for m in cache[domain]["outbox"]]:
                w.clog.append(("schedule", epoch) + message)
                yield

        if not w.on("commit_last"):
            if not w.commit_offset("sw", generation, position + len(batch), epoch):
                return
            yield
        for step in (puts, produces) if w.on("outbox") else (produces, puts):
            yield from step()
        for domain in dirty:
            cache[domain]["outbox"] = []  # acked: the next put of the row drops them
        position += len(batch)
        if w.deposed(w.clog, epoch):  # after the puts and the acks, before the commit
            return
        yield
        if not w.commit_offset("sw", generation, position, epoch):  # a newer generation owns the partition
            return
        yield


class Band:
    """The queue of one priority: chunks [first, next); position `index` in the first."""

    def __init__(self, other=None):
        self.first, self.index, self.next, self.last_size = (
            (other.first, other.index, other.next, other.last_size) if other else (1, 0, 1, 0))
        self.writers = dict(other.writers) if other else {}  # chunk -> its owner's epoch

    def empty(self):
        return self.first == self.next

    def move_to(self, chunk, index):
        self.first, self.index = chunk, index
        if self.first + 1 == self.next and self.index >= self.last_size:
            self.first, self.index = self.next, 0


class Head:
    def __init__(self, other=None):
        self.applied = other.applied if other else 0
        self.bands = [Band(band) for band in other.bands] if other else [Band(), Band()]

    def is_new(self, band, chunk, index):
        b = self.bands[band]
        return chunk < b.next and (chunk, index) >= (b.first, b.index)


class Queue:
    """A db worker's memory of its partition: heads, and the chunks it has read or written lately.

    A chunk is a list of places (url, the message that took it out or None).
    """

    def __init__(self, w, epoch):
        self.w, self.epoch, self.flush = w, epoch, 0
        self.heads, self.cache, self.claimed, self.dirty = {}, {}, set(), set()

    def load(self, domain):
        self.heads[domain] = Head(self.w.get("queue", domain).get("h"))

    def put(self, domain, cells=()):  # the head with what is new: one put of the row
        self.flush += 1
        self.w.put("queue", domain, (self.epoch, self.flush), {"h": Head(self.heads[domain]), **dict(cells)})
        self.claimed.add(domain)
        self.dirty.discard(domain)

    def column(self, domain, number, chunk):
        writer = self.heads[domain].bands[number].writers.get(chunk, 0) if self.w.on("own_names") else 0
        return f"q{number}.{chunk:06d}.{writer:06d}"

    def chunk(self, domain, name):
        if (domain, name) not in self.cache:
            self.cache[(domain, name)] = self.w.get("queue", domain).get(name)
        return self.cache[(domain, name)]

    def waits(self, domain, place):
        if self.w.on("taken_out_by"):
            return place[1] is None or place[1] > self.heads[domain].applied
        return place[1] is None

    def append(self, domain, number, urls, cells):
        """New requests of one band: the band's only chunk is written again with them under a new number."""
        band = self.heads[domain].bands[number]
        places = []
        if band.next - band.first == 1 and self.w.rng.random() < 0.7:
            old = self.chunk(domain, self.column(domain, number, band.first))
            if old is not None:
                places = [p for p in old[band.index:] if self.waits(domain, p)]
                band.first, band.index = band.next, 0
        places += [(url, None) for url in urls]
        band.writers[band.next] = self.epoch
        name = self.column(domain, number, band.next)
        cells[name] = self.cache[(domain, name)] = places
        band.last_size = len(places)
        band.next += 1

    def find(self, domain, url):
        band = self.heads[domain].bands[1]
        for number in range(band.first, band.next):
            chunk = self.chunk(domain, self.column(domain, 1, number)) or []
            for i in range(band.index if number == band.first else 0, len(chunk)):
                if chunk[i][0] == url and self.waits(domain, chunk[i]):
                    return number, i
        return None

    def take_out(self, domain, number, index, by, cells):  # in place, and it counts once `by` is applied
        name = self.column(domain, 1, number)
        chunk = [(u, t if t is not None and (t == by or t <= self.heads[domain].applied) else None)
                 for u, t in self.chunk(domain, name)]
        chunk[index] = (chunk[index][0], by)
        cells[name] = self.cache[(domain, name)] = chunk

    def apply(self, domain, offset, requests):
        cells, added = {}, ([], [])
        for action, url in requests:
            if action == "add":
                added[1].append(url)
                continue
            found = self.find(domain, url)  # a RAISE never adds: what is not found has left
            if found:
                self.take_out(domain, *found, offset, cells)
                added[0].append(url)
        self.heads[domain].applied = offset
        for number in (0, 1):
            if added[number]:
                self.append(domain, number, added[number], cells)
        return cells


def db_worker(w, generation):
    yield
    epoch = w.take_over(w.feed, "feed_marker")
    end = len(w.feed)
    yield
    seen, start = w.checkpoint  # read before the rows: they hold all before it
    yield
    queue = Queue(w, epoch)
    for domain in w.domains:
        queue.load(domain)
        yield
    if w.on("feed_readback"):
        for m in w.feed[start:end]:
            if m[0] == "marker":
                seen = max(seen, m[1])
                continue
            _, sender, domain, band, chunk, index, _ = m
            if w.on("feed_marker") and sender < seen:
                continue
            if queue.heads[domain].is_new(band, chunk, index):
                queue.heads[domain].bands[band].move_to(chunk, index + 1)
                queue.dirty.add(domain)
        for domain in sorted(queue.dirty):  # what was read back goes into the rows before the checkpoint moves
            queue.put(domain)
            yield
    if w.deposed(w.feed, epoch):
        return
    yield
    w.checkpoint = max(w.checkpoint, (epoch, end))
    yield
    mine = end  # where my part of the feed ends
    position, seen = w.commit["dbw"]
    while True:
        # A poll may give nothing although there is something.
        batch = w.clog[position:position + w.rng.randint(1, 5)] if w.rng.random() < 0.6 else []
        if batch and not w.on("commit_last"):
            if not w.commit_offset("dbw", generation, position + len(batch), seen):
                return
            yield
        for m in batch:  # enqueue
            if m[0] == "marker":
                seen = max(seen, m[1])
                continue
            _, sender, domain, offset, requests = m
            if w.on("scoring_marker") and sender < seen:
                continue
            if w.on("source_watermark") and offset <= queue.heads[domain].applied:
                if w.on(CLAIM_TO_SKIP) and domain not in queue.claimed:
                    queue.put(domain)
                    yield
                continue
            cells = queue.apply(domain, offset, requests)
            yield
            queue.put(domain, cells)
            yield
        if batch:
            position += len(batch)
            if w.deposed(w.feed, epoch):
                return
            yield
            if not w.commit_offset("dbw", generation, position, seen):
                return
            yield
        sent = False
        for domain in w.rng.sample(w.domains, len(w.domains)):  # dequeue
            head = queue.heads[domain]
            if w.rng.random() < 0.3 or all(band.empty() for band in head.bands):
                continue
            if w.on("claim_to_send") and domain not in queue.claimed:
                queue.put(domain)
                yield
            number = 0 if not head.bands[0].empty() else 1
            band = head.bands[number]
            chunk = queue.chunk(domain, queue.column(domain, number, band.first))
            yield
            if chunk is None and w.deposed(w.feed, epoch):  # a successor has erased it
                return
            chunk = chunk or []
            if band.index >= len(chunk):
                band.move_to(band.first + 1, 0)
                continue
            place = chunk[band.index]
            if queue.waits(domain, place):
                w.feed.append(("request", epoch, domain, number, band.first, band.index, place[0]))
                at = len(w.feed)
                yield
                if w.deposed(w.feed[:at], epoch):
                    return
                mine = at
            band.move_to(band.first, band.index + 1)
            queue.dirty.add(domain)
            sent = True
        if queue.dirty and w.rng.random() < 0.2:  # checkpoint: moved heads, then the feed's offset, then erasing
            for domain in sorted(queue.dirty):
                queue.put(domain)
                yield
            if w.deposed(w.feed, epoch):
                return
            yield
            w.checkpoint = max(w.checkpoint, (epoch, mine))
            yield
            for domain in w.domains:
                if domain in queue.claimed and domain not in queue.dirty:
                    names = [queue.column(domain, number, chunk) for number, band in enumerate(queue.heads[domain].bands)
                             for chunk in range(1, band.first)]
                    w.erase("queue", domain, (epoch, queue.flush), names)
                    yield
        if w.rng.random() < 0.3:
            queue.cache.clear()
        if position == len(w.clog) and not sent and all(
                band.empty() for head in queue.heads.values() for band in head.bands):
            yield "idle"
        else:
            yield


def spider(w, generation):
    position, seen = w.commit["spider"]
    yield
    while True:
        if position >= len(w.feed):
            yield "idle"
            continue
        m = w.feed[position]
        if m[0] == "marker":
            seen = max(seen, m[1])
        elif not (w.on("feed_marker") and m[1] < seen):
            url = m[6]
            w.left[url].add(position)
            w.slog.append(("page", m[2], [url]))
            yield
            targets = defaultdict(list)
            for link in w.links[url]:
                targets[link.split("/")[0]].append(link)
            for domain, urls in targets.items():
                w.slog.append(("links", domain, urls))
                yield
        position += 1
        if not w.commit_offset("spider", generation, position, seen):
            return
        yield


KINDS = {"sw": strategy_worker, "dbw": db_worker, "spider": spider}
STEPS = 40000


def run(seed, without=()):
    """The breach; None when all held."""
    w = World(seed, set(without))
    rng = w.rng

    def start(kind):
        w.generation[kind] += 1
        return KINDS[kind](w, w.generation[kind])

    live = {kind: start(kind) for kind in KINDS}
    zombies = []
    faults, idle = rng.choice([rng.randint(2, 12), rng.randint(10, 40)]), 0
    rate = rng.choice([0.02, 0.1, 0.2])  # faults come close together in some runs
    favourite = rng.choice([None, "sw", "dbw"])
    for step in range(STEPS):
        kind, worker = rng.choice([*live.items(), *(("zombie", zombie) for zombie in zombies)])
        try:
            what = next(worker)
        except StopIteration:
            if kind == "zombie":
                zombies.remove(worker)
            else:
                live[kind] = start(kind)
            continue
        if kind != "zombie":
            idle = idle + 1 if what == "idle" else 0
        if faults and step > 10 and rng.random() < rate:
            faults -= 1
            victim = favourite or rng.choice(list(live))
            if rng.random() < 0.5:
                zombies.append(live[victim])  # not dead, only slow: it goes on for a while
            live[victim] = start(victim)
        if zombies and rng.random() < 0.02:
            zombies.pop(rng.randrange(len(zombies)))
        if idle > 60 and not zombies:
            if not faults:
                break
            faults = 0
    else:
        return f"seed {seed}: no end"
    return audit(w, seed)


def audit(w, seed):
    for domain in w.domains:
        row = w.get("domains", domain)
        record = row.get("r")
        if not record:
            continue
        states = {}
        for name in record["blocks"] if w.on("manifest") else sorted(c for c in row if c[0] == "d"):
            states.update(row[name])
        lost = sorted(url for url, state in states.items() if state == "queued")
        if lost:
            return f"seed {seed}: lost {lost}"
        forgotten = sorted(url for url in w.left if url.startswith(domain) and states.get(url) != "crawled")
        if forgotten:
            return f"seed {seed}: fetched, and no state says so {forgotten}"
    twice = {url: sorted(places) for url, places in w.left.items() if len(places) > 1}
    return f"seed {seed}: left the queue twice {twice}" if twice else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--without", choices=[*RULES, CLAIM_TO_SKIP])
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.seeds)
    if args.rules:
        unneeded = []
        for rule, first in RULES.items():
            failure = next(filter(None, (run(seed, [rule]) for seed in range(first, first + args.seeds))), None)
            print(f"without {rule}: {failure or 'nothing fails'}", flush=True)
            if not failure:
                unneeded.append(rule)
        sys.exit(f"nothing fails without {', '.join(unneeded)}" if unneeded else 0)
    failures = list(filter(None, (run(seed, [args.without] if args.without else []) for seed in seeds)))
    print(f"{args.seeds - len(failures)} passed, {len(failures)} failed", *failures[:5], sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
