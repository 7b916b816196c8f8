.PHONY: check test test-slow bench demo docs format
DATA ?= data

check:        ## style, types, the order of the packages
	python3 run.py check
test:         ## checks, and all tests but the slow ones
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
docs:         ## run the examples in documents and docstrings, and compare the documents with the code
	python3 run.py python -m pytest src/mere README.md docs tests/docs
demo:         ## make the demo lake and ask it
	python3 run.py demo
format:       ## format the code
	python3 run.py ruff format .
