#!/usr/bin/env python3
"""./run screenshots: pictures of the console's views for the documentation, of a crawl of the synthetic web.

They are written as docs/console-VIEW.png, small: of as many colours as a palette has. Exit code: 0, or 1 when a view did not come.
"""
import argparse
import base64
import contextlib
import json
import pathlib
import struct
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zlib

from demo import DELAY_MS, IMPATIENT, Web, start

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab/report"))
from browser import Browser  # noqa: E402

PATIENCE_S = 60
WIDTH, MOST_HEIGHT = 1180, 800


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def rows_of(png):
    """Width, and the rows of a picture of 8 bits a channel as Chromium writes it: RGB or RGBA, not interlaced (PNG, section 9: filters)."""
    at, header, data = 8, b"", b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        part = png[at + 8:at + 8 + size]
        header, data = (part if kind == b"IHDR" else header), data + (part if kind == b"IDAT" else b"")
        at += size + 12
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError(f"a picture of depth {depth} and colour type {colour}")
    step = 3 if colour == 2 else 4
    raw, length, before, rows = zlib.decompress(data), width * step, bytearray(width * step), []
    for y in range(height):
        filter_, row = raw[y * (length + 1)], bytearray(raw[y * (length + 1) + 1:(y + 1) * (length + 1)])
        for i in range(length if filter_ else 0):
            left, up, corner = row[i - step] if i >= step else 0, before[i], before[i - step] if i >= step else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[filter_]) & 255
        before = row
        rows.append([tuple(row[i:i + 3]) for i in range(0, length, step)])
    return width, rows


def with_palette(png):
    """The picture in 256 colours: the most frequent ones, and for each other one the nearest of them."""
    width, rows = rows_of(png)
    counts = {}
    for row in rows:
        for pixel in row:
            counts[pixel] = counts.get(pixel, 0) + 1
    palette = sorted(counts, key=counts.get, reverse=True)[:256]
    nearest = {colour: index for index, colour in enumerate(palette)}
    for colour in counts:
        if colour not in nearest:
            nearest[colour] = min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(palette[i], colour)))
    data = b"".join(b"\0" + bytes(nearest[pixel] for pixel in row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", b"".join(bytes(colour) for colour in palette)) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


class Console:
    """The console of the running crawl, asked as a program asks."""

    def __init__(self, contact):
        address, self.token = contact.read_text().split()[:2]
        self.base = f"http://{address}/"

    def ask(self, path, **more):
        request = urllib.request.Request(self.base + path, headers={"Authorization": f"Bearer {self.token}"}, **more)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())


def wait_for(what, condition):
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: it does not come")
        time.sleep(0.1)
    return found


def take(browser, name, hash_, text, folder, before=""):
    browser.evaluate(f"location.hash = {json.dumps(hash_)}")
    wait_for(name, lambda: browser.evaluate(f"document.body.innerText.includes({json.dumps(text)})"))
    if before:
        browser.evaluate(before)
    time.sleep(0.5)  # until it has stopped to move
    height = min(MOST_HEIGHT, browser.evaluate("Math.max(document.getElementById('footer').getBoundingClientRect().bottom, "
                                               "document.querySelector('dialog')?.getBoundingClientRect().bottom ?? 0) + 16"))
    shot = browser.call("Page.captureScreenshot", format="png", clip={"x": 0, "y": 0, "width": WIDTH, "height": int(height), "scale": 1})
    picture = with_palette(base64.b64decode(shot["data"]))
    path = folder / f"console-{name}.png"
    path.write_bytes(picture)
    print(f"{path}: {len(picture) >> 10} KB", flush=True)


def take_all(console, folder):
    largest = console.ask("api/v1/domains?sort=fetched&limit=1")["domains"][0]["domain"]
    url = console.ask(f"api/v1/domain?name={largest}")["outcomes"][0]["url"]
    link = console.ask("api/v1/login-codes", method="POST", data=b"")["link"]
    with Browser(WIDTH, MOST_HEIGHT) as browser:
        browser.call("Page.navigate", url=console.base + link)
        wait_for("login", lambda: browser.evaluate("document.getElementById('login')?.textContent === 'Log out'"))
        # Rates are known from the second look on.
        wait_for("rates", lambda: browser.evaluate("document.querySelector('.wire:not(.still)') !== null"))
        take(browser, "overview", "#/", "How the crawl stands", folder)
        take(browser, "curves", "#/curves", "Pages a second", folder)
        take(browser, "domains", "#/domains?sort=fetched", largest, folder)
        take(browser, "domain", f"#/domain/{largest}", "Last fetches", folder)
        take(browser, "url", "#/url/" + urllib.parse.quote(url, safe=""), "Fingerprint", folder)
        take(browser, "workers", "#/workers", "strategy-worker", folder)
        block = "[...document.querySelectorAll('button')].find(({textContent}) => textContent.startsWith('Block'))"
        take(browser, "order", f"#/domain/{largest}", "Last fetches", folder, f"{block}.click(); document.querySelector('dialog form').requestSubmit()")
        wait_for("the order", lambda: browser.evaluate("document.querySelector('dialog .act:not([hidden])')?.click() ?? document.querySelector('dialog .told').innerText.includes('Done: ')"))
        browser.evaluate("document.querySelector('dialog').close()")
        take(browser, "orders", "#/orders", "login link", folder)
        take(browser, "dead-letters", "#/dead-letters", "There are none", folder)


def main():
    parser = argparse.ArgumentParser(prog="./run screenshots", description="Writes pictures of the console's views, of a crawl of the synthetic web.")
    parser.add_argument("--seconds", type=int, default=120, help="crawl for so long first, so that there are curves (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs", metavar="DIR", help="where they go (docs/)")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    out, programs = arguments.out.resolve(), arguments.programs.resolve()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="orbweaver-screenshots-")))
        web = Web(programs / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, 1000, 200)
        stack.callback(web.close)
        log = stack.enter_context(open(folder / "crawl.log", "wb"))
        crawl = start([programs / "cli/orbweaver", "crawl", "--seeds", web.seeds, "--everything", "--data", "crawl-data", "--proxy", f"http://127.0.0.1:{web.port}",
                       "--delay", f"{DELAY_MS}ms", "--user-agent", "orbweaver/demo (+mailto:you@example.com)",
                       f"--set=spider.fetch.authorities_file={web.authority}", "--set=network.allow_private=true",
                       *(f"--set={name}={value}" for name, value in IMPATIENT.items())], cwd=folder, stdout=log, stderr=log)
        stack.callback(crawl.wait)
        stack.callback(crawl.kill)
        contact = folder / "crawl-data/contact"
        wait_for("the crawl", contact.exists)
        print(f"A crawl of the synthetic web runs for {arguments.seconds} s.", flush=True)
        time.sleep(arguments.seconds)
        if crawl.poll() is not None:
            sys.exit(f"./run screenshots: the crawl ended: {(folder / 'crawl.log').read_text()[-1000:]}")
        take_all(Console(contact), out)


if __name__ == "__main__":
    try:
        main()
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"./run screenshots: {error}")
