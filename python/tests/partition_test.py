"""The partition function agrees with C++, on the vectors that a broker and the Java client gave: partition_test.py [ORBWEAVER]"""
import package_environment as environment

import json
import re
import subprocess
import sys
import unittest

from orbweaver.partition import is_partition_count, murmur2, partition_of, slot_of
from orbweaver.urls import fingerprint, registered_domain

PROGRAM = None
URLS = [
    "http://example.com/", "https://WWW.Example.COM:443/a?b#c", "http://a.b.name.co.uk/x", "http://foo.github.io/", "http://co.uk/",
    "http://localhost:8080/", "http://127.0.0.1/", "http://10.20.30.40:80/", "http://[::1]/", "http://[2001:DB8:0:0::1]:8080/a",
    "http://bücher.example/", "http://xn--bcher-kva.example/", "http://www.example.com./", "http://x-y_z.net/", "http://b.网络.cn/",
    "http://президент.рф/", "http://some-blog.blogspot.com/", "http://a.kawasaki.jp/", "http://www.city.kawasaki.jp/", "http://user:p@example.org/",
]


class Partition(unittest.TestCase):
    def test_the_vectors_of_the_cpp_test(self):
        source = (environment.ROOT / "common/url/partition_test.cc").read_text()
        vectors = re.findall(r'\{"([^"]+)", (\d+)u, (\d+)\}', source)
        self.assertGreater(len(vectors), 25)
        for domain, hashed, partition in vectors:
            self.assertEqual(int(hashed), murmur2(domain.encode()), domain)
            self.assertEqual(int(partition), partition_of(domain, 64), domain)
        signed = re.findall(r'murmur2\("([^"]+)"\), (-?\d+)', source)
        self.assertGreater(len(signed), 4)
        for key, hashed in signed:
            self.assertEqual(int(hashed) & 0xFFFFFFFF, murmur2(key.encode()), key)

    def test_more_partitions_only_split_slots(self):
        for name in ("example.com", "a", "[::1]"):
            for count in (1, 2, 64, 2048):
                self.assertEqual(partition_of(name, count), partition_of(name, 2 * count) % count)
            self.assertEqual(slot_of(name), partition_of(name, 4096))

    def test_only_powers_of_two_are_partition_counts(self):
        self.assertEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
                         [count for count in range(-70, 9000) if is_partition_count(count)])
        with self.assertRaisesRegex(ValueError, "power of two"):
            partition_of("a", 12)

    def test_domains_and_fingerprints_are_those_of_the_program(self):
        if PROGRAM is None:
            self.fail("the program `orbweaver` is the judge: give its path")
        out = subprocess.run([PROGRAM, "url", "--json", "--", *URLS], capture_output=True, text=True, check=True).stdout
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(URLS), len(rows))
        for row in rows:
            self.assertEqual(row["domain"], registered_domain(row["input"]), row)
            self.assertEqual(row["fingerprint"], fingerprint(row["canonical"]).hex(), row)
            self.assertEqual(row["slot"], slot_of(row["domain"]), row)

    def test_no_domain_of_what_is_no_web_page(self):
        for url in ("", "mailto:a@b.example", "ftp://example.com/", "http://", "http:///a", "http://[::1", "http://a..b/", "http://1.2.3/", "/a",
                    "http://a b.example/", "javascript:alert(1)", f"http://{'a' * 300}.example/"):
            self.assertIsNone(registered_domain(url), url)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
    unittest.main()
