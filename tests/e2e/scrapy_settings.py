"""Settings of a Scrapy project with the lines that put it on a frontier. foreign_spider_test.py sets the environment."""

import os

BOT_NAME = "pages"
SPIDER_MODULES = ["scrapy_pages"]
USER_AGENT = "orbweaver-scrapy/1.0 (+mailto:test@example.com)"
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 8
DOWNLOAD_TIMEOUT = 5
LOG_LEVEL = "INFO"
# It would fetch the public suffix list, from outside.
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

ADDONS = {"orbweaver.scrapy.Addon": 100}
ORBWEAVER_KAFKA = os.environ["ORBWEAVER_KAFKA"]
ORBWEAVER_PREFIX = os.environ["ORBWEAVER_PREFIX"]
ORBWEAVER_OPTIONS = {"delay": 0, "session_timeout": 6, "commit_interval": 0.2, "back_off_first": 1, "fetch_timeout": 60}
