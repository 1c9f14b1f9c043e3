"""Sources: what `SOURCE f(…)` can name. `kinds.py` is the way in; each kind is a file."""
