"""The one line of a project's settings: ADDONS = {"orbweaver.scrapy.Addon": 100}"""

from __future__ import annotations

from typing import Any

from orbweaver.scrapy.settings import COMPONENTS, SCHEDULER

# The project's own settings come first.
_DEFAULTS = {
    # The frontier keeps the delays.
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    # An answer that comes later than this is rare, and the end of a crawl waits for it.
    "DOWNLOAD_TIMEOUT": 60,
}


class Addon:
    """Sets the scheduler and its middlewares, and defaults that suit a frontier."""

    def update_settings(self, settings: Any) -> None:
        settings.set("SCHEDULER", SCHEDULER, "addon")
        for setting, path, order in COMPONENTS:
            settings[setting][path] = order
        for name, value in _DEFAULTS.items():
            settings.set(name, value, "addon")
