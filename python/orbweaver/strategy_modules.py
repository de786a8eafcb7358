"""The modules of a strategy: its file and what it imports from beside it, which a reload imports anew.

For the interpreter in the strategy worker, by way of orbweaver.strategy_host.
"""

import contextlib
import importlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, Dict, Iterator, List, Mapping, Optional


class Missing(Exception):
    """There is no such file or module; the text says what to do."""


def import_named(module: str) -> Any:
    """The module of a file, NAME.py, or of a name on Python's path. It is imported once."""
    if not module.endswith(".py"):
        return _import_by_name(module)
    path = os.path.abspath(module)
    if not os.path.isfile(path):
        raise Missing(f"no such file: {path}")
    folder = os.path.dirname(path)
    # As python does it for a script: modules beside it can be imported.
    if folder not in sys.path:
        sys.path.insert(0, folder)
    _add_root(folder)
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == path:
        return known
    if known is not None:
        name = f"{name}@{path}"
        if name in sys.modules:
            return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, path))
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise
    return loaded


def _import_by_name(module: str) -> Any:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise Missing(f"no module '{module}' on Python's path. Name a file, ./NAME.py, or set PYTHONPATH") from None
    # A package is the strategy's own, all of it; of modules without one what stands beside them, where that is no others'.
    top = sys.modules[module.split(".")[0]]
    file = top.__file__ or loaded.__file__
    if file:
        folder = os.path.dirname(file)
        is_shared = os.path.basename(folder) in ("site-packages", "dist-packages") and not hasattr(top, "__path__")
        _add_root(file if is_shared else folder)
    return loaded


@contextlib.contextmanager
def anew() -> Iterator[None]:
    """Strategies' own modules are imported again within. Where that raises, those of before are in place again."""
    before = _own_modules()
    for name in before:
        del sys.modules[name]
    importlib.invalidate_caches()
    try:
        yield
    except BaseException:
        for name in _own_modules():
            del sys.modules[name]
        sys.modules.update(before)
        raise


# Folders, and single files, whose modules are strategies' own.
_roots: List[str] = []


def _is_own(file: str) -> bool:
    """Not those of an environment, or of Python itself, below such a folder: they need not survive to be imported twice."""
    if not file.endswith(".py"):
        return False
    paths = [os.path.abspath(entry) + os.sep for entry in sys.path]
    for root in _roots:
        within = root + os.sep
        is_of_others = any(path != within and path.startswith(within) and file.startswith(path) for path in paths)
        if file == root or (file.startswith(within) and not is_of_others):
            return True
    return False


def _own_modules() -> Dict[str, Any]:
    own_package = __name__.split(".")[0]
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name != "__main__" and name.split(".")[0] != own_package and _is_own(getattr(module, "__file__", None) or "")
    }


class _FromSource(SourceFileLoader):
    """Neither reads nor writes compiled files: they tell a change by second and size, and a reload may come sooner."""

    def path_stats(self, path: Any) -> Mapping[str, Any]:
        raise OSError


class _OwnFinder:
    """Asked before Python's own finder of files."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or type(spec.loader) is not SourceFileLoader or not _is_own(spec.origin):
            return None
        spec.loader = _FromSource(spec.loader.name, spec.loader.path)
        return spec


def _add_root(root: str) -> None:
    if root in _roots:
        return
    if not _roots:
        sys.meta_path.insert(0, _OwnFinder)
    _roots.append(root)
