"""What the kinds that compare columns as sets have in common: the question, the columns that may answer, the evidence.

twins       columns with equal sets, indexed once
question    what is asked: a column's distinct values, with the rows that hold each
answerers   who may answer: the living columns of the right type
evidence    why: overlap, containment, Jaccard, fan-out, examples
"""
