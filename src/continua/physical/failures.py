"""How failures inside Spark are distinguished: prefixes of the messages that queries raise."""

from __future__ import annotations

AT_A_TIME = "CONTINUA:AT_A_TIME:"
"""Something is wrong at a time; its number among the failures and the time follow."""

BAD_ROW = "CONTINUA:BAD_ROW"
"""A row of a source cannot be read as declared, or only the exact reader can tell."""

PYTHON = "CONTINUA:PYTHON:"
"""A function that the user wrote raised; its name and a message follow, up to the same mark."""
