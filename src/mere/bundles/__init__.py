"""Which tables add the most rows to mine for a budget?

Distinctiveness maximisation (Wang, Huang, Bao, Culpepper, Dedeoglu, Arablouei; WWW 2025).
"""
