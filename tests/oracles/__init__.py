"""Slow, short answers from the definitions, independent of the product; tests and benchmarks compare with them."""
