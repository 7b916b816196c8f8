"""Which tables add the most rows to mine for a budget?  The Python interface."""

from mere.search.assembling.assembled import assembled
from mere.search.assembling.bundle import Bundle, Parts
from mere.search.assembling.inputs import Member
from mere.search.assembling.request import Request

__all__ = ["Bundle", "Member", "Parts", "Request", "assembled"]
