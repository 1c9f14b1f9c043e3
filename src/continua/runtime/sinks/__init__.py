"""Where results go: one file per kind of sink, and the door that all of them have."""
