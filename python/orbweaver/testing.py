"""A crawl in memory, for testing a strategy: no worker, no store, no network.

    from orbweaver.testing import TestDriver
    from shallow import Shallow

    crawl = TestDriver(Shallow, {"limit": 1})
    crawl.seeds(["https://example.com/"])
    order = crawl.run({"https://example.com/": ["https://example.com/a"], "https://example.com/a": []})

It is the SDK's own, in the library in which the program orbweaver has its interpreter: decisions are applied by the strategy
worker's rule. So it wants the program on this machine, and the Python version that the program was built with.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import sys
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Type, Union

from orbweaver.strategy import Cause, Dns, LinkKind, Robots, Status, Strategy


class TestLink(NamedTuple):
    url: str
    anchor: str = ""
    kind: LinkKind = LinkKind.ANCHOR
    score: float = float("nan")  # of a seed


class TestRequest(NamedTuple):
    url: str
    score: float
    not_before_ms: int
    depth: int
    attempt: int


class TestState(NamedTuple):
    status: Status
    depth: int
    fetches: int
    errors: int
    http_status: int
    data: bytes
    due_at_ms: int


class TestDomain(NamedTuple):
    fetched: int
    scheduled: int
    failed: int
    known_urls: int
    data: bytes
    given_up: bool
    backed_off: bool
    blocked_until_ms: int


Links = Iterable[Union[str, TestLink]]


class TestDriver:
    """Every event raises RuntimeError when the strategy fails; none of its decisions count then."""

    __test__ = False  # pytest looks for tests in classes of such names

    def __init__(self, strategy: Type[Strategy], params: Optional[Mapping[str, Any]] = None, seed: int = 1) -> None:
        self._driver = _native().Driver(_params(strategy, params), seed)

    def swap(self, strategy: Type[Strategy], params: Optional[Mapping[str, Any]] = None, seed: int = 1) -> None:
        """As a worker that is stopped and started with this strategy: its attributes are gone, all that is kept stays."""
        self._driver.swap(_params(strategy, params), seed)

    # ---- events ----

    def seeds(self, seeds: Links) -> None:
        """All of one domain."""
        self._driver.seeds(_links(seeds))

    def page(self, url: str, *, title: str = "", body: bytes = b"", language: str = "", content_type: str = "text/html",
             content_hash: int = 1, not_modified: bool = False) -> None:
        self._driver.page(url, title, body, language, content_type, content_hash, not_modified)

    def links(self, source: str, links: Links) -> None:
        """Links from one page, split by domain as spiders do it."""
        self._driver.links(source, _links(links))

    def fail(self, url: str, cause: Cause = Cause.TIMEOUT_TOTAL, *, transient: bool = True, http_status: int = 0,
             retry_after_ms: int = -1) -> None:
        self._driver.fail(url, cause, transient, http_status, retry_after_ms)

    def host(self, name: str, sitemaps: Sequence[str] = (), *, robots: Robots = Robots.RULES, dns: Dns = Dns.RESOLVED) -> None:
        self._driver.host(name, list(sitemaps), robots, dns)

    def run(self, web: Mapping[str, Sequence[str]], most: int = 1000) -> List[str]:
        """Fetches what waits, best first; a URL that is not in `web` answers 404. Returns the URLs in order."""
        fetched: List[str] = []
        while len(fetched) < most:
            request = self.next()
            if request is None:
                break
            fetched.append(request.url)
            if request.url not in web:
                self.fail(request.url, Cause.HTTP_4XX, transient=False, http_status=404)
                continue
            self.page(request.url)
            if web[request.url]:
                self.links(request.url, web[request.url])
        return fetched

    # ---- what there is now ----

    def next(self) -> Optional[TestRequest]:
        """Takes the best request out of the queue that may be fetched now: by score, then by age."""
        request = self._driver.next()
        return None if request is None else TestRequest(*request)

    @property
    def queue(self) -> List[TestRequest]:
        return [TestRequest(*request) for request in self._driver.queue()]

    def waiting(self, url: str) -> Optional[TestRequest]:
        return next((request for request in self.queue if request.url == url), None)

    def state(self, url: str) -> Optional[TestState]:
        """None where nothing is kept."""
        state = self._driver.state(url)
        return None if state is None else TestState(Status(state[0]), *state[1:])

    def domain(self, name: str) -> TestDomain:
        return TestDomain(*self._driver.domain(name))

    def finished(self) -> bool:
        return bool(self._driver.finished())

    @property
    def warning(self) -> str:
        """The strategy's latest."""
        return str(self._driver.warning())

    @property
    def states_read(self) -> int:
        """Links for which states were read, after filter."""
        return int(self._driver.states_read())

    @property
    def now_ms(self) -> int:
        return int(self._driver.now_ms())

    def set_time(self, now_ms: int) -> None:
        self._driver.set_time(now_ms)


def _links(links: Links) -> List[TestLink]:
    return [TestLink(link) if isinstance(link, str) else link for link in links]


def _params(strategy: Type[Strategy], params: Optional[Mapping[str, Any]]) -> Dict[str, str]:
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in (params or {}).items()}
    return {"module": strategy.__module__, "class": strategy.__name__, **texts}


def _folders() -> Iterable[pathlib.Path]:
    if "ORBWEAVER_STRATEGIES" in os.environ:
        yield pathlib.Path(os.environ["ORBWEAVER_STRATEGIES"])
    # The package as it is installed beside the program.
    yield pathlib.Path(__file__).parent.parent.parent / "strategies"
    program = shutil.which("orbweaver")
    if program:
        for folder in pathlib.Path(program).resolve().parents[:4]:
            yield folder / "lib" / "orbweaver" / "strategies"


def _native() -> Any:
    if "_orbweaver" in sys.modules:
        return sys.modules["_orbweaver"]
    library = next((folder / "python.so" for folder in _folders() if (folder / "python.so").exists()), None)
    if library is None:
        raise ImportError("TestDriver is in the program orbweaver, which is not on the PATH. Install it, or set ORBWEAVER_STRATEGIES")
    own = "%d.%d" % sys.version_info[:2]
    wanted = re.search(rb"libpython(\d+\.\d+)\.so", library.read_bytes())
    if wanted is not None and wanted.group(1).decode() != own:
        raise ImportError(f"{library} is for Python {wanted.group(1).decode()}, and this is {own}. Run the tests with that one")
    loader = importlib.machinery.ExtensionFileLoader("_orbweaver", str(library))
    spec = importlib.util.spec_from_loader("_orbweaver", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["_orbweaver"] = module
    return module
