"""How results are written: the forms of files, the same over history and while data arrive."""
