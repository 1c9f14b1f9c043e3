"""Sources: what `SOURCE f(…)` can name. `read.py` is the way in; each function is a file."""
