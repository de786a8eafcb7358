"""A thousand domains in a browser, and a million: every question is answered, the page stays small, memory bounded.

python3 console_large_test.py PROGRAM MANY_DOMAINS [DOMAINS]. How long the answers take is measured by `./run bench console`.
"""

import json
import pathlib
import subprocess
import sys
import unittest

from console_crawl import ConsoleCrawl, resident_bytes
from console_window import BARE_NUMBERS, Window
from synthetic_web import PATIENCE_S

READ = 100_000  # of domains, by one table
MOST_LISTED = 10_000
MOST_BYTES = 512 << 20
CELLS = "[...document.querySelectorAll('tbody tr')].map(row => row.children[%d].textContent)"


def number(text):
    return int(text.replace(",", ""))


class ConsoleLarge(ConsoleCrawl):
    many_domains, domains = "", 1_000_000  # set by the test that is run

    def a_folder_of_many_domains(self):
        process, _ = self.begins_crawl()
        self.ends(process, 4)
        subprocess.run([self.many_domains, "data", str(self.domains)], cwd=self.folder, check=True, timeout=PATIENCE_S)

    def test_a_thousand_domains_are_sorted_filtered_and_turned_over(self):
        self.domains = 1000
        self.sorted_filtered_and_turned_over()

    def test_a_million_domains_are_sorted_filtered_and_turned_over(self):
        self.sorted_filtered_and_turned_over()

    def sorted_filtered_and_turned_over(self):
        self.a_folder_of_many_domains()
        process, base = self.begins_console()
        with Window() as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            if self.domains > READ:
                window.waits_for_text("Estimated from 100,")
            shown = number(window.evaluate("[...document.querySelectorAll('dt')].find(term => term.textContent === 'Domains ready').nextSibling.textContent"))
            self.assertAlmostEqual(self.domains, shown, delta=self.domains / 20)
            self.sorts(window)
            self.filters(window)
            self.turns_over(window)
            # One that the table cannot have read: it stands among the last slots, most likely.
            for index in (1, self.domains // 2, self.domains - 1):
                name = f"site-{index * 7919}.example"
                window.strikes("/")
                window.evaluate("document.getElementById('query').select()")
                window.types(name)
                window.strikes("Enter")
                window.waits_for(f"document.querySelector('h1')?.textContent === {json.dumps(name)}")
                window.waits_for_text("Its queue")
                window.strikes("Escape")
            self.assertEqual([], window.errors)
            self.assertEqual([], window.evaluate(BARE_NUMBERS))
            self.assertLess(window.evaluate("document.querySelectorAll('*').length"), 2000)
        used = resident_bytes(process)
        print(f"{used >> 20} MiB after all")
        self.assertLess(used, MOST_BYTES)
        self.ends(process, 0)

    def sorts(self, window):
        window.evaluate("location.hash = '#/domains'")
        window.waits_for("document.querySelectorAll('tbody tr').length === 50")
        if self.domains > READ:
            window.waits_for_text(" domains that were read, about ")
        for title, column, ascending in (("Fetched", 5, False), ("Fetched", 5, True), ("Domain", 0, True), ("Domain", 0, False)):
            window.evaluate(f"[...document.querySelectorAll('th button')].find(button => button.textContent.startsWith('{title}')).click()")
            window.waits_for(f"document.querySelector('[aria-sort={'ascending' if ascending else 'descending'}]')?.textContent.startsWith('{title} ')")
            cells = window.evaluate(CELLS % column)
            cells = [number(cell) for cell in cells] if title == "Fetched" else cells
            self.assertEqual(sorted(cells, reverse=not ascending), cells)
        self.assertEqual([], window.clipped())

    def filters(self, window):
        window.evaluate("const form = document.querySelector('main form'); form.contains.value = 'site-77'; form.phase.value = 'ready'; form.requestSubmit()")
        rows = min(50, sum("site-77" in f"site-{i * 7919}.example" for i in range(min(READ, self.domains))))
        self.assertGreater(rows, 5)
        window.waits_for(f"location.hash.includes('contains=site-77') && document.querySelectorAll('tbody tr').length === {rows}")
        self.assertTrue(all("site-77" in name for name in window.evaluate(CELLS % 0)))
        self.assertEqual({"ready"}, set(window.evaluate(CELLS % 1)))

    def turns_over(self, window):
        window.evaluate("location.hash = '#/domains'")
        window.waits_for("document.querySelector('.pager')?.textContent.startsWith('1 to 50 of ')")
        first = window.evaluate(CELLS % 0)
        window.evaluate("[...document.querySelectorAll('.pager button')].find(button => button.textContent === 'Next').click()")
        window.waits_for("document.querySelector('.pager')?.textContent.includes('51 to 100 of ')")
        self.assertEqual(set(), set(first) & set(window.evaluate(CELLS % 0)))
        # All, with the one of the seed; or as many as are ever listed.
        last = min(MOST_LISTED, self.domains + 1)
        offset = (last - 1) // 50 * 50
        window.evaluate(f"location.hash = '#/domains?offset={offset}'")
        window.waits_for_text(f"{offset + 1:,} to {last:,} of ")
        if self.domains > MOST_LISTED:
            window.waits_for_text("The list ends here.")
        self.assertEqual(["Back"], window.evaluate("[...document.querySelectorAll('.pager button')].map(button => button.textContent)"))


if __name__ == "__main__":
    if len(sys.argv) > 3:
        ConsoleLarge.domains = int(sys.argv.pop(3))
    ConsoleLarge.many_domains = str(pathlib.Path(sys.argv.pop(2)).resolve())
    ConsoleLarge.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
