.PHONY: check test test-slow test-random bench bench-labelled bench-vectors bench-keywords bench-completion bench-assemble demo docs readme format
DATA ?= data
LABELLED ?= labelled
TABLES ?= tables
TRUTH ?= truth
LAKE ?= .mere
POOLS ?= pools
PLOTS ?= dist/plots
TIMES ?= 10

check:        ## style, types, the order of the packages
	python3 run.py check
test:         ## checks, and all tests but the slow ones
	python3 run.py test
test-slow:    ## the slow ones only
	python3 run.py python -m pytest -m slow
test-random:  ## all tests on new random examples; TIMES=as many as usual, SEED=of a run that is to be repeated
	python3 run.py test-random $(TIMES) $(SEED)
bench:        ## every benchmark; DATA=folder of raw tables
	python3 run.py python benchmarks/indexing.py $(DATA)
	python3 run.py python benchmarks/asking.py $(DATA)
	python3 run.py python benchmarks/joining.py
	python3 run.py python benchmarks/evidence.py $(DATA)
	python3 run.py python benchmarks/same_answers.py $(DATA)
	python3 run.py python benchmarks/large_file.py
	python3 run.py python benchmarks/mutated_files.py
	python3 run.py python benchmarks/reading.py --held-out
	python3 run.py python benchmarks/overlap.py $(DATA)
	python3 run.py python benchmarks/containment.py $(DATA)
	python3 run.py python benchmarks/composite.py $(DATA)
	python3 run.py python benchmarks/super_keys.py $(DATA)
	python3 run.py python benchmarks/distribution.py $(DATA)
	python3 run.py python benchmarks/fainder.py $(DATA)
	OPENBLAS_NUM_THREADS=1 python3 run.py python benchmarks/similar.py $(DATA)
	python3 run.py python benchmarks/row_sketches.py $(DATA)
	python3 run.py python benchmarks/transform_lake.py $(DATA)
	python3 run.py python benchmarks/transform_synthetic.py
	python3 run.py python benchmarks/transform_scale.py
bench-labelled: ## precision and recall; LABELLED=folder of labelled values, TABLES=of labelled pairs, TRUTH=of names in DATA
	python3 run.py python benchmarks/similar_quality.py $(LABELLED)
	python3 run.py python benchmarks/transform.py $(TABLES)
	python3 run.py python benchmarks/transform_unrelated.py $(TABLES)
	python3 run.py python benchmarks/transform_names.py $(DATA)
	python3 run.py python benchmarks/header_names.py $(DATA) $(TRUTH)
	python3 run.py python benchmarks/join_graph.py $(LAKE) --keys $(TRUTH)/dev_join_fk.csv
bench-keywords: ## search; DATA=folder of raw tables, QUERIES=and QUESTIONS=files with what is right for each
	python3 run.py python benchmarks/keywords.py $(DATA) --queries $(QUERIES) --questions $(QUESTIONS)
bench-vectors: ## dense vectors; LAKE=index, VECTORS=files with a vector for each of its values
	OPENBLAS_NUM_THREADS=1 python3 run.py python benchmarks/similar_dense.py $(LAKE) $(VECTORS)
bench-completion: ## names that a shell proposes; LAKE=index
	python3 run.py python benchmarks/completion.py $(LAKE)
bench-assemble: ## bundles of tables; POOLS=folder of Parquet files that tables are cut from, PLOTS=where plots are written
	python3 run.py python benchmarks/assemble.py $(POOLS)
	python3 run.py python benchmarks/assemble_sweeps.py $(POOLS) --out $(PLOTS)
	python3 run.py python benchmarks/assemble_downstream.py $(POOLS)
	OPENBLAS_NUM_THREADS=1 python3 run.py python benchmarks/assemble_learned.py $(POOLS)
docs:         ## run the examples in documents and docstrings, and compare the documents with the code
	python3 run.py python -m pytest src/mere README.md docs tests/docs
readme:       ## write what the commands of the README print now into the README
	python3 run.py python -m tests.docs.outputs
demo:         ## make the demo lake and ask it
	python3 run.py demo
format:       ## format the code
	python3 run.py ruff format .
