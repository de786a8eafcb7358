"""The strategy worker's own objects have all that orbweaver.events says of them, and nothing else: orbweaver strategy test events_test.py"""

import inspect
import types
import typing
import unittest

from orbweaver import events, strategy
from orbweaver.strategy import Cause, LinkKind, Status, Strategy
from orbweaver.testing import TestDriver, TestLink

HANDLERS = ("filter", "on_seeds", "on_page", "on_links", "on_failure", "on_host")
# The names that annotations use; those of enums stand there for type checkers only.
NAMES = {**vars(strategy), **vars(events), **vars(typing)}
SEQUENCE = {"__len__", "__getitem__", "__iter__"}
PARTS = {getattr(events, name): name for name in events.__all__}
# A method's arguments, by their names, else by their types.
NAMED = {"url": "https://a.com/other", "name": "is_new", "scores": 0.5, "kind": LinkKind.EMBED, "status": Status.QUEUED, "index": 0, "unix_ms": 0}
TYPED = {float: 0.5, int: 1, str: "text", bytes: b"bytes", bool: True, typing.Dict[str, str]: {"key": "value"}}


def has(kind):
    """The public names of a class, with those that make it a sequence."""
    return {name for name in dir(kind) if not name.startswith("_") or name in SEQUENCE and getattr(kind, name, None) is not None}


def member_of(told, name):
    return inspect.getattr_static(told, name)


class Judge:
    """Holds objects against their classes in orbweaver.events, and collects what differs."""

    def __init__(self):
        self.seen = set()
        self.wrong = []

    def judge(self, given, told):
        if told in self.seen:
            return
        self.seen.add(told)
        names, offered = has(told), has(type(given))
        self.wrong += [f"{PARTS[told]}.{name}: no object has it" for name in names - offered]
        self.wrong += [f"{PARTS[told]}.{name}: orbweaver.events does not have it" for name in offered - names]
        # Methods last: what some decide, give_up_domain say, others must not follow.
        for name in sorted(names & offered, key=lambda name: (not isinstance(member_of(told, name), property), name)):
            member, own = member_of(told, name), inspect.getattr_static(type(given), name)
            if isinstance(member, property) != isinstance(own, types.GetSetDescriptorType):
                self.wrong.append(f"{PARTS[told]}.{name}: one is a property, one a method")
            elif isinstance(member, property):
                self.judge_value(f"{PARTS[told]}.{name}", getattr(given, name), typing.get_type_hints(member.fget, NAMES)["return"])
            else:
                self.call(given, told, name, member)

    def judge_value(self, place, value, hint):
        if hint in PARTS:
            return self.judge(value, hint)
        if typing.get_origin(hint) is typing.Union:
            kinds = typing.get_args(hint)
        else:
            kinds = (typing.get_origin(hint) or hint,)
        if kinds[0] is typing.get_origin(typing.Iterator[int]):
            return self.judge(next(value), typing.get_args(hint)[0])
        if type(value) not in kinds:
            self.wrong.append(f"{place}: {value!r} is no {hint}")
        elif typing.get_origin(hint) is list and not all(type(one) in typing.get_args(hint) for one in value):
            self.wrong.append(f"{place}: {value!r} is no {hint}")

    def call(self, given, told, name, member):
        """With all arguments as the signature takes them: by name where it names them, and once with none but those that it wants."""
        hints = typing.get_type_hints(member, NAMES)
        parameters = list(inspect.signature(member).parameters.values())[1:]
        wanted = [one for one in parameters if one.default is inspect.Parameter.empty]
        for some in (parameters, wanted):
            values = {one.name: NAMED[one.name] if one.name in NAMED else TYPED[hints[one.name]] for one in some}
            plain = [values[one.name] for one in some if one.kind is one.POSITIONAL_ONLY]
            named = {one.name: values[one.name] for one in some if one.kind is not one.POSITIONAL_ONLY}
            try:
                result = getattr(given, name)(*plain, **named)
            except TypeError as refused:
                self.wrong.append(f"{PARTS[told]}.{name}{inspect.signature(member)}: {refused}")
                continue
            self.judge_value(f"{PARTS[told]}.{name}()", result, hints["return"])


JUDGE = Judge()


def handler(name):
    argument = list(inspect.signature(getattr(Strategy, name)).parameters)[1]
    told = typing.get_type_hints(getattr(Strategy, name), NAMES)[argument]
    return lambda self, given: JUDGE.judge(given, told)


class Curious(Strategy):
    """Looks at all there is"""


for each in HANDLERS:
    setattr(Curious, each, handler(each))


class Events(unittest.TestCase):
    def test_what_is_told_of_events_is_what_they_have(self):
        crawl = TestDriver(Curious)
        # The first look at a filter drops all.
        crawl.seeds(["https://a.com/"])
        crawl.seeds(["https://a.com/", "https://a.com/1"])
        crawl.page("https://a.com/")
        crawl.links("https://a.com/", ["https://a.com/2", TestLink("https://a.com/3", anchor="three", score=0.5)])
        crawl.fail("https://a.com/1", Cause.TIMEOUT_TOTAL, retry_after_ms=5)
        crawl.host("a.com", ["https://a.com/sitemap.xml"])
        self.assertEqual([], JUDGE.wrong)
        # All were seen but those that only others derive from.
        self.assertEqual({"EventView", "Event", "LinkEvent"}, set(events.__all__) - {PARTS[told] for told in JUDGE.seen})


if __name__ == "__main__":
    unittest.main()
