.PHONY: check test test-slow bench demo docs format
DATA ?= data

check:        ## style, types, the order of the rooms
	python3 run.py check
test:         ## checks and all tests but the slow ones
	python3 run.py test
test-slow:    ## the slow ones only
	python3 run.py python -m pytest -m slow
bench:        ## every benchmark; DATA=folder of raw tables
	python3 run.py python benchmarks/indexing.py $(DATA)
	python3 run.py python benchmarks/asking.py $(DATA)
	python3 run.py python benchmarks/large_file.py
	python3 run.py python benchmarks/overlap.py $(DATA)
	python3 run.py python benchmarks/containment.py $(DATA)
	python3 run.py python benchmarks/composite.py $(DATA)
	python3 run.py python benchmarks/super_keys.py $(DATA)
	python3 run.py python benchmarks/distribution.py $(DATA)
	python3 run.py python benchmarks/fainder.py $(DATA)
docs:         ## run the examples in README and docstrings
	python3 run.py python -m pytest src/mere README.md
demo:
	python3 run.py demo
format:
	python3 run.py ruff format .
