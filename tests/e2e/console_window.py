"""A browser's window on the console, and what is looked for in each of its views."""

import json
import pathlib
import sys
import time

from synthetic_web import PATIENCE_S

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab" / "report"))
from browser import Browser  # noqa: E402

# Elements that are cut off or reach past the window, but for what a table's own box scrolls.
CLIPPED = """[...document.querySelectorAll("body, body *")].filter(e => !e.closest(".scroll, svg") && !e.matches("option, #search label") &&
    e.clientWidth > 0 && (e.scrollWidth > e.clientWidth && !e.matches("select, input, textarea") || e.getBoundingClientRect().right > innerWidth + 0.5 ||
                          e.getBoundingClientRect().left < -0.5)
).map(e => e.tagName + " " + e.className + " " + e.textContent.slice(0, 40))"""
SERIOUS = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations.filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => [id, nodes.map(({html, failureSummary}) => html.slice(0, 200) + failureSummary)]))"""
TEXT = "(document.getElementById('view')?.innerText ?? '')"
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowLeft": (37, ""), "/": (191, "/")}


class Window(Browser):
    axe = ""  # axe-core's source; set by the test that is run

    def go(self, url):
        self.call("Page.navigate", url=url)

    def waits_for(self, condition, what=""):
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise AssertionError(f"{condition} {what}: {self.evaluate(TEXT)} {self.errors[-2:]}")
            time.sleep(0.01)

    def waits_for_text(self, text):
        self.waits_for(f"{TEXT}.includes({json.dumps(text)})")

    def types(self, text):
        self.call("Input.insertText", text=text)

    def strikes(self, key, shift=False):
        virtual, text = KEYS[key]
        event = {"key": key, "code": "Slash" if key == "/" else key, "windowsVirtualKeyCode": virtual, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event | ({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def look_at(self, session):
        """Speaks with another tab from now on: the session of Target.attachToTarget."""
        self._session = session

    def clipped(self):
        return self.evaluate(CLIPPED)

    def serious_findings(self):
        """Of axe-core."""
        if not self.evaluate("'axe' in window"):
            self.evaluate(self.axe + "; 0")
        return self.evaluate(SERIOUS)
