"""Tables with a history on Spark: logs of changes in files, and versions of keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from continua import ContinuaError, Session

pytestmark = pytest.mark.spark

LOG = """
CREATE TABLE r (id INT, v STRING, op STRING, t TIMESTAMP, PRIMARY KEY (id))
SOURCE csv('{file}') CHANGES ORDERED BY t OPERATION op ON ERROR {policy}
"""
VERSIONS = """
CREATE TABLE r (id INT, v STRING, f INT, t INT, PRIMARY KEY (id))
SOURCE csv('{file}') VALID FROM f TO t ON ERROR {policy}
"""

GOOD = """id,v,op,t
1,a,insert,2026-01-01 00:00:01
2,b,I,2026-01-01 00:00:02
1,aa,u,2026-01-01 00:00:03
2,,DELETE,2026-01-01 00:00:04
"""


def outcome(session: Session, text: str) -> object:
    """The rows of the table, and how many were passed over; or the error."""
    try:
        session.sql(text)
        found = list(session.query("SELECT id, v FROM r").history())
        return found, [reason for _, reason, _ in session.rejected("r")]
    except ContinuaError as error:
        return error.code, error.message


@pytest.mark.parametrize("policy", ["FAIL", "DROP", "KEEP"])
@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (LOG, GOOD),
        (LOG, GOOD + "3,c,upside,2026-01-01 00:00:05\n"),
        (LOG, GOOD + ",c,insert,2026-01-01 00:00:05\n"),
        (LOG, GOOD + "3,c,,2026-01-01 00:00:05\n"),
        (LOG, GOOD + "2,c,update,2026-01-01 00:00:05\n"),
        (LOG, GOOD + "1,c,insert,2026-01-01 00:00:05\n2,x,i,2026-01-01 00:00:06\n"),
        (VERSIONS, "id,v,f,t\n1,a,,5\n1,b,5,\n2,c,1,9\n"),
        (VERSIONS, "id,v,f,t\n1,a,,5\n1,b,4,\n2,c,1,9\n1,c,5,6\n"),
        (VERSIONS, "id,v,f,t\n1,a,1,3\n1,b,1,3\n,c,1,9\n"),
    ],
)
def test_both_engines_read_the_same(
    sessions: Callable[[], Session], tmp_path: Path, declared: str, text: str, policy: str
) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    statement = declared.format(file=file, policy=policy)
    expected = outcome(Session(engine="reference"), statement)
    assert outcome(sessions(), statement) == expected
    assert isinstance(expected, tuple)


def test_changes_at_a_time(sessions: Callable[[], Session]) -> None:
    session = sessions()
    session.sql("""
        CREATE TABLE r (id INT, v STRING, PRIMARY KEY (id));
        INSERT INTO r VALUES (1, 'a') AT TIMESTAMP '2026-01-01 00:00:00';
        UPDATE r SET v = upper(v) WHERE id = 1 AT '2026-01-02 00:00:00';
        DELETE FROM r AT '2026-01-03 00:00:00'""")
    shown = str(session.query("SELECT v FROM r").history())
    assert shown.split("\n")[2:4] == [
        "a │ 2026-01-01 00:00:00 │ 2026-01-02 00:00:00",
        "A │ 2026-01-02 00:00:00 │ 2026-01-03 00:00:00",
    ]
