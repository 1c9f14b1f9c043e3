"""What the shell proposes."""

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from continua import Session
from continua.cli.completion import SqlCompleter


@pytest.fixture
def complete():
    session = Session(engine="reference")
    session.sql(
        "CREATE STREAM Bids (item INT, price INT, t INT) ORDERED BY t;"
        "CREATE TABLE people (id INT, `full name` STRING);"
        "CREATE STREAM dear AS SELECT item AS thing FROM Bids WHERE price > 9;"
        "CREATE SINK results USING csv OPTIONS (path 'out.csv');"
    )
    completer = SqlCompleter(session, {"\\d": "describe", "\\?": "help", "\\q": "quit"})

    def texts(before: str) -> list[str]:
        found = completer.get_completions(Document(before), CompleteEvent())
        return [before[: len(before) + c.start_position] + c.text for c in found]

    return texts


def test_keywords_in_the_case_of_the_word(complete):
    assert complete("SELE") == ["SELECT"]
    assert complete("sele") == ["select"]


def test_names_of_streams_tables_and_sinks(complete):
    assert "SELECT * FROM Bids" in complete("SELECT * FROM bi")
    assert "SELECT * FROM people" in complete("SELECT * FROM peo")
    assert "INSERT INTO results" in complete("INSERT INTO res")
    assert "SELECT * FROM dear" in complete("SELECT * FROM de")


def test_columns_and_functions(complete):
    assert "SELECT price" in complete("SELECT pri")
    assert "SELECT thing" in complete("SELECT thi")
    assert "SELECT count" in complete("SELECT cou")


def test_columns_of_a_qualified_name_only(complete):
    assert complete("SELECT Bids.") == ["SELECT Bids.item", "SELECT Bids.price", "SELECT Bids.t"]
    assert complete("SELECT dear.") == ["SELECT dear.thing"]


def test_an_alias_may_have_any_column(complete):
    assert complete("SELECT b.pri") == ["SELECT b.price"]


def test_names_that_need_quotes_get_them(complete):
    assert complete("SELECT full") == ["SELECT full", "SELECT `full name`"]


def test_a_sink_has_no_columns(complete):
    assert complete("SELECT results.pat") == []


def test_commands_at_the_beginning_only(complete):
    assert complete("\\") == ["\\d", "\\?", "\\q"]
    assert complete("\\q") == ["\\q"]
    assert complete("\\d Bi") == ["\\d Bids"]


def test_nothing_fits(complete):
    assert complete("SELECT zzz") == []


def test_what_is_created_later_is_proposed_too():
    session = Session(engine="reference")
    completer = SqlCompleter(session, {})
    session.sql("CREATE STREAM late_one (a INT, t INT) ORDERED BY t")
    found = completer.get_completions(Document("FROM late_"), CompleteEvent())
    assert [c.text for c in found] == ["late_one"]
