"""Which tables add the most rows to mine for a budget?  The Python interface."""

from mere.search.assembling.assembled import assembled
from mere.search.assembling.bundle import Bundle
from mere.search.assembling.request import Request

__all__ = ["Bundle", "Request", "assembled"]
