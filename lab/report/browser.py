"""A headless Chromium on one page, driven over pipes by its own protocol; no driver is needed.

By hand, to look at a report: python3 browser.py PAGE SHOT.png WIDTH light|dark [TOP HEIGHT]
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program():
    """Where a Chromium is; None: nowhere."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """Use as a context manager. Every request that the page makes is in `requests`."""

    def __init__(self, width=1280, height=900, dark=False, flags=()):
        self.size = (width, height)
        self.flags = flags
        self.dark = dark
        self.requests = []
        self.errors = []
        self._calls = 0

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()

        def pipes():
            # Chromium reads calls from 3 and writes to 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--user-data-dir={self._profile.name}",
             *self.flags, "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._read = os.fdopen(self._from, "rb")
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(*self.size)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}])
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        self._read.close()
        self._profile.cleanup()

    _session = None

    def _message(self):
        bytes_ = bytearray()
        while (byte := self._read.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium has ended")
            bytes_ += byte
        message = json.loads(bytes_)
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"])
        if method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"])
        return message

    def call(self, method, **params):
        self._calls += 1
        call = {"id": self._calls, "method": method, "params": params}
        if self._session and not method.startswith("Target."):
            call["sessionId"] = self._session
        os.write(self._to, json.dumps(call).encode() + b"\0")
        while (message := self._message()).get("id") != call["id"]:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def open(self, path):
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def press(self, key, code=None, text=None):
        """A key as a keyboard sends it."""
        codes = {"Tab": 9, " ": 32, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}
        event = {"key": key, "code": code or ("Space" if key == " " else key), "windowsVirtualKeyCode": codes[key]}
        if key == " ":
            event["text"] = " "
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in event.items() if k != "text"})

    def screenshot(self, path, top=0, height=None):
        """Of the page from `top` on, down to its end without a height."""
        whole = self.evaluate("document.documentElement.scrollHeight")
        self.resize(self.size[0], whole)
        clip = {"x": 0, "y": top, "width": self.size[0], "height": height or whole - top, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    page, shot, width, theme, *part = sys.argv[1:]
    with Browser(int(width), dark=theme == "dark") as browser:
        browser.open(page)
        browser.screenshot(shot, *map(int, part))
        print(browser.errors or "no errors", browser.requests)
