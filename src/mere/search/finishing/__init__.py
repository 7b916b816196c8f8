"""What is decided once of every answer, below every surface: which hits are not certain and what is said of them
(`marks`), which tables are unknown to a condition (`meetings`), which hits are copies of one another (`copies`)?
"""
