"""Messages, recordings and spiders for the crawl frontier Orbweaver; docs/python.md says how to begin."""

__version__ = "0.1.0"
