"""How is a question put to a snapshot: one kind (`ask`), or several composed by and, or, not (`conditions`)?"""
