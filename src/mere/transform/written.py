"""How is a transformation program written down: in words, as Python, as Spark SQL, as JSON?"""

from mere.transform.written_json import as_json, from_json
from mere.transform.written_python import as_python
from mere.transform.written_sql import as_spark_sql
from mere.transform.written_words import in_words

__all__ = ["as_json", "as_python", "as_spark_sql", "from_json", "in_words"]
