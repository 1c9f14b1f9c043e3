"""The queries of `queries.sql`, over a directory of reports."""

from __future__ import annotations

from pathlib import Path

from continua import Session

CROWDED = 50
"""Vehicles in a segment beyond which it costs something, in the benchmark."""


def declare(session: Session, reports: Path, crowded: int = CROWDED) -> None:
    """Declares the streams and all that is derived from them."""
    text = Path(__file__).with_name("queries.sql").read_text(encoding="utf-8")
    session.sql(text.format(reports=reports, crowded=crowded))
