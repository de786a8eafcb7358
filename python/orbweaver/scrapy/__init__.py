"""A Scrapy project's spiders on the frontier. Needs the extra `scrapy`: pip install 'orbweaver[scrapy]'.

    ADDONS = {"orbweaver.scrapy.Addon": 100}
    ORBWEAVER_KAFKA = "localhost:9092"

in the project's settings sets the scheduler and its middlewares.
"""

from orbweaver.scrapy.addon import Addon
from orbweaver.scrapy.delay import DelayMiddleware
from orbweaver.scrapy.middleware import SpiderMiddleware
from orbweaver.scrapy.scheduler import Scheduler

__all__ = ["Addon", "DelayMiddleware", "Scheduler", "SpiderMiddleware"]
