"""The host's part of strategies in Python: finds a class and refuses what cannot run, makes its object, tells its exceptions.

For the interpreter in the strategy worker (strategy_worker/plugins/python); strategies derive from what orbweaver.strategy has.
"""

import copy
import difflib
import inspect
import os
import re
import sys
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

from orbweaver import strategy as sdk, strategy_modules as modules
from orbweaver.strategy import Parameter, ParameterGroup, Strategy

_HANDLERS = {
    "start": ("seed",),
    "filter": ("links",),
    "on_seeds": ("seeds",),
    "on_page": ("page",),
    "on_links": ("links",),
    "on_failure": ("failure",),
    "on_host": ("host",),
    "adopt": ("from_name", "from_version", "data"),
    "finished": (),
    "close": (),
}


class Refused(Exception):
    """A strategy cannot be loaded; the text says why and what to do."""


def load(module: str, class_name: str) -> Type[Strategy]:
    """The strategy of a file, NAME.py, or of a module's name; of several in it `class_name` is meant."""
    try:
        loaded = modules.import_named(module)
    except modules.Missing as error:
        raise Refused(str(error)) from None
    own = {
        name: value
        for name, value in vars(loaded).items()
        if isinstance(value, type) and issubclass(value, Strategy) and value.__module__ == loaded.__name__
    }
    if class_name:
        found = getattr(loaded, class_name, None)
        if not (isinstance(found, type) and issubclass(found, Strategy)):
            raise Refused(f"{module} has no strategy '{class_name}'. {_those(own)}")
        return _checked(found)
    if len(own) != 1:
        raise Refused(f"{module} has {len(own) or 'no'} strategies{' and' if own else '.'} {_those(own)}")
    return _checked(next(iter(own.values())))


def _those(own: Dict[str, Any]) -> str:
    if not own:
        return "Derive a class from orbweaver.strategy.Strategy"
    return f"it has: {', '.join(sorted(own))}. Set the parameter `class`"


def _checked(strategy: Type[Strategy]) -> Type[Strategy]:
    title = f"class {strategy.__name__}"
    name = name_of(strategy)
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 64:
        raise Refused(f"{title}: the name '{name}' is not made of lower-case words joined by underscores")
    if not isinstance(strategy.version, int) or not 0 <= strategy.version < 2**32:
        raise Refused(f"{title}: `version` is not an integer from 0 to 2^32 - 1")
    for attribute in dir(strategy):
        if attribute.startswith("on_") and attribute not in _HANDLERS:
            nearest = difflib.get_close_matches(attribute, _HANDLERS, 1, 0)[0]
            raise Refused(f"{title}: no event calls the method {attribute}. Did you mean {nearest}?")
    for handler, arguments in _HANDLERS.items():
        method = getattr(strategy, handler)
        try:
            inspect.signature(method).bind(None, *arguments)
        except TypeError:
            raise Refused(f"{title}: the method {handler} is to take ({', '.join(('self', *arguments))})") from None
    declared(strategy)
    return strategy


def name_of(strategy: Type[Strategy]) -> str:
    return strategy.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", strategy.__name__).lower()


def doc_of(strategy: Type[Strategy]) -> str:
    return ((strategy.__doc__ or "").strip().splitlines() or ["A strategy in Python"])[0]


def _members(strategy: Type[Strategy]) -> Dict[str, Any]:
    """Parameters and groups of them in the order of their declaration, those of base classes first."""
    found: Dict[str, Any] = {}
    for base in reversed(strategy.__mro__):
        found.update((name, value) for name, value in vars(base).items() if isinstance(value, (Parameter, ParameterGroup)))
    return found


def declared(strategy: Type[Strategy]) -> List[Tuple[str, str, str, str, float, float]]:
    """Name, type, default, doc and bounds of each parameter."""
    parameters: Dict[str, Parameter[Any]] = {}
    for name, member in _members(strategy).items():
        for inner, parameter in (member.parameters() if isinstance(member, ParameterGroup) else {name: member}).items():
            if inner in parameters or inner in ("module", "class"):
                raise Refused(f"class {strategy.__name__}: two parameters are called {inner}")
            parameters[inner] = parameter
    return [(name, one.type, one.text(), one.doc, float(one.low), float(one.high)) for name, one in parameters.items()]


def make(strategy: Type[Strategy], settings: Dict[str, str], seed: int) -> Strategy:
    made = strategy()
    for name, member in _members(strategy).items():
        if isinstance(member, ParameterGroup):
            group = copy.copy(member)
            vars(group).update((inner, one.parse(settings[inner])) for inner, one in member.parameters().items())
            setattr(made, name, group)
        else:
            setattr(made, name, member.parse(settings[name]))
    made.start(seed)
    return made


def reload(before: Type[Strategy], settings: Dict[str, str], seed: int) -> Strategy:
    """The strategy of the same settings, from its modules as they are now. Raises when it cannot take the place of `before`."""
    with modules.anew():
        now = load(settings["module"], settings["class"])
        for what, of in _UNCHANGED.items():
            if of(now) != of(before):
                raise Refused(f"class {now.__name__}: {what} cannot change while it runs, from {of(before)} to {of(now)}. Restart the worker")
        return make(now, settings, seed)


# All that the host has read of a class, which must hold for the one that takes its place.
_UNCHANGED: Dict[str, Callable[[Any], Any]] = {
    "its name": name_of,
    "`version`": lambda strategy: strategy.version,
    "`needs_body`": lambda strategy: bool(strategy.needs_body),
    # Without what only people read.
    "its parameters": lambda strategy: [(name, kind, default, low, high) for name, kind, default, _, low, high in declared(strategy)],
}


def handler_of(made: Strategy, name: str) -> Optional[Any]:
    """Null where the class leaves the base class's method as it is, which then need not be called."""
    if getattr(type(made), name) is getattr(Strategy, name) and name != "on_seeds":
        return None
    return getattr(made, name)


def failure_text(error: BaseException) -> str:
    """One line: the exception, and where it was raised, innermost first."""
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({os.path.basename(error.filename)}:{error.lineno}: {(error.text or '').strip()})"
    text = "".join(traceback.format_exception_only(type(error), error)).strip().replace("\n", " ")
    places = [
        f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
        for frame in reversed(traceback.extract_tb(error.__traceback__))
        if frame.filename not in (__file__, sdk.__file__, modules.__file__) and not frame.filename.startswith("<frozen")
    ]
    if places:
        text = f"{text} ({', '.join(places[:5])})"
    if isinstance(error, ModuleNotFoundError):
        version = "%d.%d" % sys.version_info[:2]
        text += f". Install it for Python {version} into the environment that VIRTUAL_ENV names, or set PYTHONPATH"
    return text
