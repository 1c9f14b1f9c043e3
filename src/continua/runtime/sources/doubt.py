"""Where Spark may see a row otherwise than the exact reader.

Spark's readers are fast but have rules of their own. So a row that they might see otherwise is
never taken at its word: clean data is read by Spark, and as soon as there is doubt, the relation is
read by the exact reader, which also knows what to say about it.
"""

from __future__ import annotations

from continua.physical.failures import BAD_ROW
from continua.physical.spark_internals.error_texts import tells_of_unreadable_file


def is_doubt(error: Exception) -> bool:
    """Whether Spark has failed at a row or a file that it may not understand."""
    text = str(error)
    return BAD_ROW in text or tells_of_unreadable_file(text)
