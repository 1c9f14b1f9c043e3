"""The commands of `continua` and their options."""

from __future__ import annotations

import logging
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from continua import __version__
from continua.cli import demo as demonstration
from continua.cli import explain as explanation
from continua.cli.guard import guarded
from continua.cli.live import run_live
from continua.cli.runner import presentation
from continua.cli.runner import run as run_source
from continua.cli.script import read_script, script_or_text
from continua.cli.shell import shell as run_shell
from continua.cli.show import FAILED, emit
from continua.errors import Source
from continua.runtime.live.control import tell as tell_engine
from continua.session import Session

app = typer.Typer(
    name="continua",
    help="Continuous queries over data streams, in SQL, with one exact meaning.",
    epilog="New here? Start with: continua demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Engine = Annotated[
    str,
    typer.Option(
        metavar="spark|reference",
        envvar="CONTINUA_ENGINE",
        help="What runs queries: Spark, or the reference, which is the specification: slow, and "
        "quick to start.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="table|csv|json|parquet",
        help="How to print results. By default as the name of --output says, else as a table.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Write the result to a file instead. The text must then have exactly one query.",
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Show the rows valid at this time, not the whole history: a whole number, "
        "or a timestamp such as '2026-01-01 12:00'.",
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        emit(f"continua {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command()
@guarded
def run(
    file: Annotated[str, typer.Argument(metavar="FILE.sql", help="A file of SQL, or - for stdin.")],
    format_: Format = None,
    output: Output = None,
    at: At = None,
    engine: Engine = "spark",
    live: Annotated[
        bool, typer.Option("--live", help="Run INSERT INTO and queries while data arrive.")
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIRECTORY",
            help="Where a live run keeps what it has read and what it needs to go on. By default "
            "FILE.sql.checkpoint.",
        ),
    ] = None,
    finish: Annotated[
        bool,
        typer.Option("--finish", help="Live: take what is there, end the streams, and stop."),
    ] = False,
) -> None:
    """Run the statements of a file and print the result of each query.

    A row of a result is valid from valid_from until just before valid_to.
    """
    if live:
        directory = checkpoint or Path(f"{file}.checkpoint")
        run_live(Session(engine, live=True), read_script(file), directory, finish)
        return
    how = presentation(format_, output, at)
    run_source(Session(engine), read_script(file), how)


@app.command()
@guarded
def tell(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="The checkpoint of a live run.")
    ],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Statements, separated by ;")],
    patience: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for an answer.")
    ] = 60,
) -> None:
    """Add queries to a live run that another terminal has started, or drop some.

    INSERT INTO adds a query, DROP QUERY drops one, SHOW QUERIES lists them.
    """
    emit(tell_engine(checkpoint, text, patience))


@app.command()
@guarded
def sql(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Statements, separated by ;")],
    format_: Format = None,
    output: Output = None,
    at: At = None,
    engine: Engine = "spark",
) -> None:
    """Run the statements given and print the result of each query."""
    run_source(Session(engine), Source(text), presentation(format_, output, at))


@app.command()
@guarded
def explain(
    query: Annotated[
        str, typer.Argument(metavar="QUERY|FILE.sql", help="SQL, a file of it, or - for stdin.")
    ],
    engine: Engine = "spark",
) -> None:
    """Show the plans of queries without running them.

    Declarations (CREATE, SET, and so on) are carried out; INSERT INTO a sink is explained too,
    and writes nothing.
    """
    explanation.explain(Session(engine), script_or_text(query))


@app.command()
@guarded
def shell(engine: Engine = "spark") -> None:
    """Type statements one after the other, with history and completion.

    When the input is not a terminal, statements are read from it without a prompt; an error does
    not stop the others, but makes the exit code 1.
    """
    if not run_shell(Session(engine)):
        raise typer.Exit(FAILED)


@app.command()
@guarded
def demo(engine: Engine = "spark") -> None:
    """Run a continuous query over a small auction, and explain it."""
    demonstration.demo(Session(engine))


def main() -> None:
    """Entry point of the program. What it writes is UTF-8, whatever the locale."""
    # A standard stream that was closed, as by >&-, is None; it gets one that takes everything.
    null = Path(os.devnull).open("r+")  # noqa: SIM115 (open as long as the program runs)
    sys.stdin = sys.stdin or null
    sys.stdout = sys.stdout or null
    sys.stderr = sys.stderr or null
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    # Otherwise Python prints what libraries log, and py4j logs every error that it raises.
    logging.getLogger().addHandler(logging.NullHandler())
    app()
