"""The layers of ARCHITECTURE.md, held against the #includes that the sources really have.

Run by CTest; by hand: python3 tests/layering/layering_test.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folder -> folders of ours whose headers it may include, besides its own and those below it. The longest match counts.
COMMON_BELOW_MODEL = ["common/base", "common/config", "common/metrics", "common/tls", "common/url"]
COMMON_BELOW_BUS = COMMON_BELOW_MODEL + ["common/model"]
LAYERS = {
    "common/base": [],
    "common/config": ["common/base"],
    "common/metrics": ["common/base"],
    "common/tls": ["common/base"],
    "common/url": ["common/base", "common/config"],
    "common/scope": ["common/base", "common/config", "common/url"],
    "common/politeness": ["common/base", "common/config", "common/url"],
    "common/parquet": ["common/base"],
    "common/model": COMMON_BELOW_MODEL,
    "common/bus": COMMON_BELOW_BUS,
    "common/bus/kafka": COMMON_BELOW_BUS + ["common/bus"],
    "common/bus/embedded": COMMON_BELOW_BUS + ["common/bus", "common/store/rocksdb"],
    "common/bus/memory": COMMON_BELOW_BUS + ["common/bus"],
    "common/store": COMMON_BELOW_BUS,
    "common/store/hbase": COMMON_BELOW_BUS + ["common/store"],
    "common/store/rocksdb": COMMON_BELOW_BUS + ["common/store"],
    "common/store/memory": COMMON_BELOW_BUS + ["common/store"],
    "common/protocol": COMMON_BELOW_BUS + ["common/bus", "common/store"],
    "common/worker": COMMON_BELOW_BUS + ["common/bus", "common/store", "common/protocol", "common/runtime"],
    "common/runtime": COMMON_BELOW_BUS + ["common/bus", "common/store"],
    "spider": ["common"],
    "strategy_worker": ["common", "strategy_worker/sdk"],
    "strategy_worker/sdk": [],
    "strategy_worker/plugins": ["strategy_worker/sdk"],
    "db_worker": ["common"],
    "lab": ["common", "spider", "strategy_worker", "db_worker"],
    "cli": ["common", "spider", "strategy_worker", "db_worker", "lab"],
    "cmake": [],
    "tests": [""],
}

IMPLEMENTATIONS = [layer for layer in LAYERS if re.match(r"common/(bus|store)/", layer)]

# A library's headers (how the include begins) -> the only folders that may include them.
LIBRARIES = {
    "librdkafka/": ["common/bus/kafka"],
    "thrift/": ["common/parquet", "common/store/hbase"],
    "rocksdb/": ["common/store/rocksdb", "common/bus/embedded"],
    "gumbo.h": ["spider/parse"],
    "lexbor/": ["spider/parse"],
    "isa-l/": ["common/store/rocksdb", "spider/publish"],
    "lz4.h": ["common/store/rocksdb"],
    "libdeflate.h": ["spider/fetch", "spider/publish"],
    "uchardet": ["spider/parse"],
    "ares": ["spider/fetch"],
    "brotli/": ["spider/fetch"],
    "libpsl.h": ["common/url"],
    "re2/": ["common/scope"],
    "ada.h": ["common/url"],
    "zstd.h": ["common/parquet", "db_worker/pages", "spider/fetch", "spider/publish"],
    "spdlog/": ["common/base"],
    "yaml-cpp/": ["common/config"],
    "prometheus/": ["common/metrics"],
    "google/protobuf/": [],
    "boost/beast": ["common/runtime", "spider"],
    "boost/asio": ["common/runtime", "spider"],
    "CLI/": ["cli"],
}
# Costly to compile: only in .cc files, so that a change of one of our headers stays cheap.
HEAVY = ("thrift/", "rocksdb/", "spdlog/", "yaml-cpp/", "prometheus/", "google/protobuf/", "boost/", "CLI/",
         "ada.h", "gumbo.h", "lexbor/")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def longest(folder, table):
    """The entry of `table` that is `folder` or the nearest folder above it."""
    while folder:
        if folder in table:
            return folder
        folder = folder.rpartition("/")[0]
    return None


def within(path, folders):
    return any(folder == "" or path == folder or path.startswith(folder + "/") for folder in folders)


def may_use(layer, target):
    """Within common, exactly the named layers; a worker or the command line may use all of what it names."""
    if layer.startswith("common/"):
        return target in LAYERS[layer]
    return within(target, LAYERS[layer])


def may_plugin_include(folder, include):
    """The SDK, a header of the same folder, or the standard library's, which have neither folder nor suffix; the interpreter for Python."""
    if folder.name == "python" and include in ("Python.h", "dlfcn.h"):
        return True
    return include.startswith(("orbweaver/", "strategy_worker/sdk/")) or (folder / include).exists() or \
        not re.search(r"[/.]", include)


def check(root, files):
    """Every breach, a line each."""
    ours = {f.split("/")[0] for f in files}
    for name in files:
        if not name.endswith((".h", ".cc")):
            continue
        folder = name.rpartition("/")[0]
        is_test = name.startswith("tests/") or name.endswith("_test.cc")
        layer = longest(folder, LAYERS)
        if layer is None:
            yield f"{name}: its folder has no layer; add it to LAYERS and to ARCHITECTURE.md"
            continue
        for include in INCLUDE.findall((root / name).read_text(errors="replace")):
            top = include.split("/")[0]
            target = longest(include.rpartition("/")[0], LAYERS)
            if target and top in ours and not is_test and target != layer and not may_use(layer, target):
                yield f"{name}: includes {include}; {layer} may use {', '.join(LAYERS[layer]) or 'nothing of ours'}"
            # A replay runs in memory by its nature.
            in_memory = name.startswith(("lab/crawl/", "lab/replay/")) and target in ("common/bus/memory", "common/store/memory")
            if target in IMPLEMENTATIONS and not is_test and not layer.startswith(("common/", "cli")) and \
                    not name.endswith("/main.cc") and not in_memory:
                yield f"{name}: includes {include}; a worker's main.cc chooses implementations, nothing else names them"
            if folder.startswith("strategy_worker/plugins/") and not is_test and not may_plugin_include(root / folder, include):
                yield f"{name}: includes {include}; plugins see the SDK (<orbweaver/…>) and the standard library only"
            for library, rooms in LIBRARIES.items():
                if include.startswith(library) and not is_test and not within(folder, rooms):
                    yield f"{name}: includes {include}; only {', '.join(rooms) or 'tests'} may"
            if name.endswith(".h") and include.startswith(HEAVY):
                yield f"{name}: includes {include} in a header; move it to the .cc file"


DEFINED = re.compile(r"^(?:class|struct|union)\s+(?:\[\[\w+\]\]\s+)?(\w+)[^;(]*\{", re.M)


def doubles(root, files):
    """Names that headers give to two classes: what is linked together would silently take one for the other."""
    seen = {}
    for name in files:
        # Each plugin is a library of its own and shows nothing but its entry.
        if not name.endswith(".h") or name.startswith("strategy_worker/plugins/"):
            continue
        text = (root / name).read_text(errors="replace")
        namespaces = re.findall(r"^namespace ([\w:]+) \{", text, re.M)
        for defined in DEFINED.findall(text):
            full = f"{namespaces[-1] if namespaces else ''}::{defined}"
            if seen.get(full, name) != name:
                yield f"{name}: {full} is also defined in {seen[full]}"
            seen[full] = name


def undocumented(root, files):
    """Folders with neither a README.md nor a mention in ARCHITECTURE.md."""
    architecture = (root / "ARCHITECTURE.md").read_text() if (root / "ARCHITECTURE.md").exists() else ""
    folders = {f.rpartition("/")[0] for f in files if "/" in f}
    for folder in sorted(folders):
        if folder.startswith(".") or f"{folder}/README.md" in files:
            continue
        if not re.search(rf"(?<![\w/]){re.escape(folder)}/", architecture):
            yield f"{folder}/: has no README.md and is not named in ARCHITECTURE.md"


# Text for people goes through cli/message.h, which escapes what a terminal obeys.
PRINTS_ITSELF = {"cli/main.cc", "cli/message.cc"}


def unescaped(root, files):
    """Commands that print past cli/message.h."""
    for file in files:
        if file.startswith("cli/") and file.endswith(".cc") and not file.endswith("_test.cc") and file not in PRINTS_ITSELF:
            if re.search(r"\bfmt::print\b|\bstd::cout\b|\bstd::cerr\b", (root / file).read_text()):
                yield f"{file}: prints past cli/message.h"


def shared_files(root, files):
    """Tests that write into the folder which all tests share: two that run at once would meet."""
    for file in files:
        if file.endswith((".cc", ".h")) and re.search(r"\bTempDir\(\)", (root / file).read_text()):
            yield f"{file}: writes into the folder of all tests; tests/support/scratch_folder.h gives it one of its own"


SOURCES = (".h", ".cc", ".proto", ".thrift", ".py", ".java", ".cmake", ".sh", ".yml", ".yaml", "CMakeLists.txt", "Dockerfile", "run")
# A line of a comment, or the first one of a docstring. A capital means that a sentence begins, but in quotes and in names.
COMMENT_RIDDLE = re.compile(r'^\s*(?://|#|/?\*+|"""|--)(?:.*[\s(])??(What|Who|Whoever)\b(?!::)')
# A sentence of a message or of a help text.
MESSAGE_RIDDLE = re.compile(r'^(?!\s*//).*?(?:"|^|"[^"]*[.:;] )(What|Who|Whoever) ')
# A sentence of a page, neither a heading nor a question.
PAGE_RIDDLE = re.compile(r'(?!#)(?:.*[.:;|)*] |\W*)(What|Who|Whoever) (?!.*\?)')


def riddles(root, files):
    """Sentences that begin with a relative clause: their subject comes late, if ever."""
    for file in files:
        is_page = file.endswith(".md")
        if not is_page and not file.endswith(SOURCES):
            continue
        is_product = file.endswith((".h", ".cc")) and not file.startswith("tests/") and "test" not in file.rpartition("/")[2]
        is_product = is_product and "/testdata/" not in file
        is_code = False
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            is_code ^= line.lstrip().startswith("```")
            found = PAGE_RIDDLE.match(line) if is_page and not is_code else None if is_page else COMMENT_RIDDLE.match(line)
            if found or is_product and (found := MESSAGE_RIDDLE.match(line)):
                yield f"{file}:{number}: a sentence begins with {found[1]}; the subject comes first"


def unwrapped(root, files):
    """Lines of Markdown past 100 columns, but for tables and code."""
    for file in files:
        is_code = False
        for number, line in enumerate((root / file).read_text().splitlines() if file.endswith(".md") else (), 1):
            is_code ^= line.lstrip().startswith("```")
            if len(line) > 100 and not is_code and not line.lstrip().startswith("|"):
                yield f"{file}:{number}: {len(line)} columns; text is wrapped at 100"


def tracked(root):
    # git refuses a checkout of another user, as root has it before him, unless it is named.
    out = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files"], check=True,
                         capture_output=True, text=True).stdout
    return [f for f in out.splitlines() if (root / f).exists()]


def unformatted(root, files):
    sources = [str(root / f) for f in files if f.endswith((".h", ".cc"))]
    run = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *sources], capture_output=True, text=True)
    return [line for line in run.stderr.splitlines() if " error: " in line]


class Layering(unittest.TestCase):
    def test_sources_are_formatted(self):
        self.assertEqual([], unformatted(ROOT, tracked(ROOT)))

    def test_the_tree_keeps_its_layers(self):
        self.assertEqual([], list(check(ROOT, tracked(ROOT))))

    def test_commands_print_nothing_unescaped(self):
        self.assertEqual([], list(unescaped(ROOT, tracked(ROOT))))

    def test_no_two_tests_write_the_same_file(self):
        self.assertEqual([], list(shared_files(ROOT, tracked(ROOT))))

    def test_sentences_begin_with_their_subject(self):
        self.assertEqual([], list(riddles(ROOT, tracked(ROOT))))

    def test_markdown_is_wrapped(self):
        self.assertEqual([], list(unwrapped(ROOT, tracked(ROOT))))

    def test_every_class_has_a_name_of_its_own(self):
        self.assertEqual([], list(doubles(ROOT, tracked(ROOT))))

    def test_every_folder_says_what_it_is_for(self):
        self.assertEqual([], list(undocumented(ROOT, tracked(ROOT))))


class TheCheckItself(unittest.TestCase):
    """It must be able to fail: each rule broken in a tree of its own."""

    def breaches(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return [*check(root, files), *undocumented(root, files), *shared_files(root, files)]

    def only(self, name, text, **others):
        files = {name: text, name.rpartition("/")[0] + "/README.md": "", "common/base/x.h": "", "common/base/README.md": ""}
        files.update(others)
        return [b for b in self.breaches(files) if b.startswith(name)]

    def test_an_include_downwards_is_fine(self):
        self.assertEqual([], self.only("common/url/a.cc", '#include "common/base/x.h"\n#include <ada.h>'))

    def test_an_include_upwards_is_a_breach(self):
        self.assertTrue(self.only("common/base/a.cc", '#include "common/bus/bus.h"'))

    def test_an_implementation_may_not_include_its_sibling(self):
        self.assertTrue(self.only("common/bus/memory/a.cc", '#include "common/bus/kafka/b.h"'))

    def test_workers_may_not_include_one_another(self):
        self.assertTrue(self.only("spider/feed/a.cc", '#include "db_worker/queue/b.h"',
                                  **{"db_worker/queue/b.h": "", "db_worker/queue/README.md": ""}))

    def test_only_a_main_chooses_an_implementation(self):
        files = {"common/bus/kafka/b.h": "", "common/bus/kafka/README.md": ""}
        self.assertTrue(self.only("spider/feed/a.cc", '#include "common/bus/kafka/b.h"', **files))
        self.assertEqual([], self.only("spider/main.cc", '#include "common/bus/kafka/b.h"', **files))

    def test_an_interface_may_not_include_its_implementation(self):
        self.assertTrue(self.only("common/store/a.cc", '#include "common/store/hbase/b.h"'))

    def test_two_classes_of_one_name_are_a_breach(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            text = "namespace orbweaver {\nclass Chunk;\n%s Chunk {\n};\n}\n"
            for name, kind in (("a.h", "struct"), ("b.h", "class")):
                (root / name).write_text(text % kind)
            self.assertEqual(1, len(list(doubles(root, ["a.h", "b.h"]))))
            self.assertEqual([], list(doubles(root, ["a.h"])))

    def test_plugins_see_only_the_sdk(self):
        sdk = {"strategy_worker/sdk/s.h": "", "strategy_worker/sdk/README.md": ""}
        plugin = "strategy_worker/plugins/opic/a.cc"
        self.assertEqual([], self.only(plugin, '#include "strategy_worker/sdk/s.h"', **sdk))
        self.assertTrue(self.only(plugin, '#include "common/base/x.h"', **sdk))
        self.assertTrue(self.only(plugin, "#include <absl/strings/str_cat.h>", **sdk))
        self.assertTrue(self.only(plugin, "#include <curl.h>", **sdk))
        own = {"strategy_worker/plugins/opic/own.h": ""}
        self.assertEqual([], self.only(plugin, '#include <vector>\n#include <orbweaver/strategy.h>\n#include "own.h"', **sdk, **own))

    def test_a_library_stays_in_its_room(self):
        self.assertTrue(self.only("common/bus/memory/a.cc", "#include <librdkafka/rdkafka.h>"))

    def test_a_heavy_header_in_a_header_is_a_breach(self):
        self.assertTrue(self.only("common/store/rocksdb/a.h", "#include <rocksdb/db.h>"))
        self.assertEqual([], self.only("common/store/rocksdb/a.cc", "#include <rocksdb/db.h>"))

    def test_a_file_in_the_folder_of_all_tests_is_a_breach(self):
        self.assertTrue(self.only("common/base/a_test.cc", 'path = testing::TempDir() + "a";'))
        self.assertEqual([], self.only("common/base/a_test.cc", "path = ScratchFolder().path();"))

    def test_a_sentence_that_hides_its_subject_is_a_breach(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for text in ("// What one message was.", "int x;\n  // Done. Whoever asks again waits.", "# Who asks", '"""What it prints."""',
                         "/* What is known. */"):
                (root / "a.py").write_text(text)
                self.assertEqual(1, len(list(riddles(root, ["a.py"]))), text)
            for text in ("// Whatever it is.", '// As "What it rests on" says.', "// Keeps what it read and who sent it.", "send('Who are you')"):
                (root / "a.py").write_text(text)
                self.assertEqual([], list(riddles(root, ["a.py"])), text)
            for name, text in (("a.cc", '.doc = "Who crawls"'), ("a.cc", 'R"(usage: x\n\nWhat is there)"'), ("a.cc", '"Done. What came "'),
                               ("a.md", "It is so. What is not, is not."), ("a.md", "* **What holds**: all"), ("a.md", "Whoever asks")):
                (root / name).write_text(text)
                self.assertEqual(1, len(list(riddles(root, [name]))), text)
            for name, text in (("a_test.cc", '"Who are you"'), ("a.md", "## What it does"), ("a.md", "**What happened?**"),
                               ("a.md", "```\nWhat is there\n```"), ("a.cc", "using What = FailedUrls::What;")):
                (root / name).write_text(text)
                self.assertEqual([], list(riddles(root, [name])), text)

    def test_a_long_line_of_markdown_is_a_breach(self):
        with tempfile.TemporaryDirectory() as folder:
            root, long = pathlib.Path(folder), "word " * 21
            (root / "a.md").write_text(f"{long[:100]}\n{long}\n| {long} |\n```sh\n{long}\n```\n")
            self.assertEqual(["a.md:2: 105 columns; text is wrapped at 100"], list(unwrapped(root, ["a.md", "a.h"])))

    def test_a_source_as_clang_format_would_not_write_it_is_a_breach(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "odd.cc").write_text("int  Odd( );\n")
            self.assertNotEqual([], unformatted(pathlib.Path(folder), ["odd.cc"]))

    def test_a_folder_without_a_word_is_a_breach(self):
        self.assertTrue(self.breaches({"common/base/x.h": "", "ARCHITECTURE.md": "see common/url/"}))
        self.assertEqual([], self.breaches({"common/base/x.h": "", "ARCHITECTURE.md": "see common/base/"}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
