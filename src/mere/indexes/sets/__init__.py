"""What the kinds that compare columns as sets have in common: the question, the columns that may answer, the evidence.

duplicate_sets     columns with equal sets, indexed once
question           a column's distinct values, with the rows that hold each
eligible_columns   the living columns of the right type, and the best of them
comparing          what columns share with the query: counts and examples; `kernels` is the same, compiled
evidence           why a column answers: overlap, containment, Jaccard, fan-out, examples
"""
