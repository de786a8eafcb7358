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
# All that a keyboard has to reach, in the order in which it stands.
REACHABLE = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(e => e.checkVisibility() && !e.disabled)"""
# Where the focus is among them, and whether one sees it.
FOCUS = f"[{REACHABLE}.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle !== 'none']"
# Of each moment how it is told and how it stands behind it; and numbers from 1,000 on without a separator, but for names, dates and ports.
MOMENTS = "[...document.querySelectorAll('#view time')].map(e => [e.textContent, e.title, e.dateTime])"
BARE_NUMBERS = """[...document.querySelectorAll("#view *")].filter(e => !e.closest("bdi, svg, pre, input")).flatMap(e => [...e.childNodes]).filter(n => n.nodeType === Node.TEXT_NODE)
    .flatMap(n => n.textContent.replace(/\\d{4}-\\d\\d-\\d\\d|https?:\\S+|0x\\w+|[0-9a-f]{32}|:\\d+|\\S*=\\S*/g, "").match(/\\d{4,}/g) ?? [])"""
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

    def unreachable(self):
        """Elements that the key Tab passes over, does not show, or reaches out of order; the view must stand still meanwhile."""
        self.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); document.querySelector('.brand a').focus()")
        all_, passed = self.evaluate(REACHABLE + ".map(e => e.outerHTML.slice(0, 120))"), []
        for index, element in enumerate(all_):
            if index > 0:
                self.strikes("Tab")
            if self.evaluate(FOCUS) != [index, True]:
                passed.append((element, self.evaluate(FOCUS)))
        return passed

    def serious_findings(self):
        """Of axe-core."""
        if not self.evaluate("'axe' in window"):
            self.evaluate(self.axe + "; 0")
        return self.evaluate(SERIOUS)
