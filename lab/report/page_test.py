"""A report's page in headless Chromium, as its reader meets it: wide and narrow, light and dark, with a keyboard.

By hand: python3 page_test.py SAMPLE_PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, program

SAMPLE = None

# Elements whose content is wider than they are, or reaches past the window.
CLIPPED = """[...document.querySelectorAll("body, body *")].filter(e =>
    e.clientWidth > 0 && e.scrollWidth > e.clientWidth && !["SELECT", "OPTION"].includes(e.tagName) ||
    e.getBoundingClientRect().right > innerWidth + 0.5 && e.getBoundingClientRect().width > 0
).map(e => e.tagName + " " + e.className + " " + e.textContent.slice(0, 40))"""
# Texts of the plot that the plot's frame cuts off, or that lie upon one another.
PLOT_CLIPPED = """(() => {
    const frame = document.getElementById("plot").getBoundingClientRect();
    const texts = [...document.querySelectorAll("#plot text")].map(e => [e.textContent, e.getBoundingClientRect()]);
    const out = texts.filter(([, b]) => b.left < frame.left - 0.5 || b.right > frame.right + 0.5 || b.bottom > frame.bottom + 0.5);
    const over = texts.filter(([, a], i) => texts.some(([, b], k) => k > i && a.left < b.right && b.left < a.right &&
                                                                     a.top < b.bottom && b.top < a.bottom));
    return [...out, ...over].map(([text]) => text);
})()"""
# Contrast of each text with what is behind it, by WCAG 2; the least of all and where it is.
CONTRAST = """(() => {
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
                          return [255, 255, 255]; };
    let least = [99, ""];
    for (const e of document.querySelectorAll("body *")) {
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.closest("script, style, noscript")) continue;
        const style = getComputedStyle(e);
        const pair = [light(rgb(e.closest("svg") ? style.fill : style.color)), light(behind(e.closest("svg") ? e.closest("svg").parentElement : e))].sort((a, b) => b - a);
        const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
        if (ratio < least[0]) least = [ratio, e.tagName + " " + e.className + " " + e.textContent.slice(0, 40)];
    }
    return least;
})()"""
FOCUS = "document.activeElement.id || document.activeElement.name + '=' + document.activeElement.value"
ESTIMATES = "[...document.querySelectorAll('[id^=estimate]')].map(e => e.textContent)"
DRAWN = "document.querySelectorAll('#plot path[opacity]').length"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if program() is None:
            raise RuntimeError("there is no Chromium; deploy/deps/debian.txt names its package")
        cls.folder = tempfile.TemporaryDirectory()
        cls.report = pathlib.Path(cls.folder.name) / "report"
        subprocess.run([SAMPLE, cls.report], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_nothing_is_clipped_and_everything_is_readable(self):
        for dark in (False, True):
            with Browser(dark=dark) as browser:
                for width in (1280, 390, 320):
                    browser.resize(width, 900)
                    browser.open(self.report / "report.html")
                    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                    with self.subTest(width=width, dark=dark):
                        self.assertEqual([], browser.evaluate(CLIPPED))
                        self.assertEqual([], browser.evaluate(PLOT_CLIPPED))
                        least, where = browser.evaluate(CONTRAST)
                        self.assertGreaterEqual(least, 4.5, where)
                        self.assertEqual([], browser.errors)

    def test_nothing_is_fetched(self):
        with Browser() as browser:
            browser.open(self.report / "report.html")
            browser.press("Tab")
            self.assertEqual([(self.report / "report.html").as_uri()], browser.requests)
            # Neither could it be: the page itself forbids it.
            browser.evaluate("fetch('http://127.0.0.1:1/').catch(() => 0)")
            self.assertIn("Content Security Policy", str(browser.errors))

    def test_a_keyboard_is_enough(self):
        with Browser() as browser:
            browser.open(self.report / "report.html")

            def tab_to(wanted):
                for _ in range(30):
                    browser.press("Tab")
                    if browser.evaluate(FOCUS) == wanted:
                        return
                self.fail(f"no Tab leads to {wanted}")

            tab_to("metric")
            value = browser.evaluate(ESTIMATES)
            self.assertEqual(4, len([text for text in value if text]))
            browser.press("ArrowDown")
            self.assertNotEqual(value, browser.evaluate(ESTIMATES))
            self.assertIn("content", browser.evaluate("document.getElementById('meaning').textContent"))
            tab_to("x=fetches")
            self.assertIn("fetches", browser.evaluate("document.getElementById('where').textContent"))
            browser.press("ArrowRight")
            self.assertIn("min", browser.evaluate("document.getElementById('where').textContent"))
            tab_to("at")
            at_the_end = browser.evaluate(ESTIMATES)
            browser.press("ArrowLeft")
            self.assertNotEqual(at_the_end, browser.evaluate(ESTIMATES))
            self.assertEqual(4, browser.evaluate(DRAWN))
            tab_to("show0")
            browser.press(" ")
            self.assertEqual(3, browser.evaluate(DRAWN))

    def test_every_control_and_the_plot_have_names(self):
        with Browser() as browser:
            browser.open(self.report / "report.html")
            browser.call("Accessibility.enable")
            names = {}
            for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
                names.setdefault(node.get("role", {}).get("value"), []).append(node.get("name", {}).get("value", ""))
            for role, count in (("combobox", 1), ("radio", 2), ("slider", 1), ("checkbox", 4)):
                self.assertEqual(count, len([name for name in names[role] if name.strip()]), role)
            self.assertTrue(any("oracle" in name and "fetches" in name for name in names["image"]), names["image"])

    def test_names_are_shown_as_text(self):
        with Browser() as browser:
            browser.open(self.report / "report.html")
            self.assertEqual(0, browser.evaluate("document.querySelectorAll('er').length"))
            self.assertIn("deep<er>", browser.evaluate("document.body.innerText"))

    def test_one_strategy_alone_has_a_page_too(self):
        alone = pathlib.Path(self.folder.name) / "alone"
        subprocess.run([SAMPLE, alone, "1"], check=True)
        with Browser() as browser:
            browser.open(alone / "report.html")
            self.assertEqual([], browser.errors)
            self.assertEqual(1, browser.evaluate(DRAWN))
            self.assertIn("second --strategy", browser.evaluate("document.body.innerText"))


class TheCheckItself(unittest.TestCase):
    """It must be able to fail."""

    def test_what_is_clipped_or_pale_is_found(self):
        with tempfile.TemporaryDirectory() as folder, Browser(width=390) as browser:
            page = pathlib.Path(folder) / "page.html"
            page.write_text("<body><div style='width:90px;overflow:hidden'>unbreakableunbreakable</div>"
                            "<p style='color:#999'>pale</p><img src='http://127.0.0.1:1/x.png'>")
            browser.open(page)
            self.assertEqual(1, len(browser.evaluate(CLIPPED)))
            self.assertLess(browser.evaluate(CONTRAST)[0], 4.5)
            self.assertIn("http://127.0.0.1:1/x.png", browser.requests)


if __name__ == "__main__":
    SAMPLE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
