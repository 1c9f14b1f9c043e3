"""What leans on the insides of Spark is in `continua.physical.spark_internals`, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import continua

ROOT = Path(continua.__file__).parent
INSIDE = ROOT / "physical" / "spark_internals"
SOURCES = sorted(path for path in ROOT.rglob("*.py") if INSIDE not in path.parents)

PRIVATE = {
    "_gateway",
    "_getJavaStorageLevel",
    "_jc",
    "_jdf",
    "_jmap",
    "_jrdd",
    "_jreader",
    "_jsc",
    "_jseq",
    "_jsparkSession",
    "_jsq",
    "_jvm",
    "_jwrite",
    "_sc",
}
"""Attributes by which PySpark reaches Java."""

OF_ERRORS = {
    "getCondition",
    "getErrorClass",
    "getMessageParameters",
    "getQueryContext",
    "getSqlState",
    "java_exception",
}
"""By which errors tell what Spark calls them."""


def leanings(tree: ast.AST) -> Iterator[str]:
    """What in a module leans on the insides of Spark."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE | OF_ERRORS:
            yield node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "py4j":
            yield f"from {node.module}"
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == "py4j")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if text.startswith(("org.apache.spark.", "py4j.")) or "QueryContextLogger" in text:
                yield text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_else_leans_on_the_insides_of_spark(path: Path) -> None:
    found = sorted(set(leanings(ast.parse(path.read_text(encoding="utf-8")))))
    assert not found, f"{path} uses {', '.join(found)}: that belongs in {INSIDE}"


@pytest.mark.parametrize("path", sorted(INSIDE.glob("[!_]*.py")), ids=lambda path: path.name)
def test_each_file_says_what_it_relies_on(path: Path) -> None:
    says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert "Relies on " in says
    assert "Tried with Spark " in " ".join(says.split())


@pytest.mark.parametrize(
    "text",
    [
        "frame._jdf.queryExecution()",
        "spark.sparkContext._jvm.java",
        "from py4j.protocol import Py4JError",
        "import py4j.protocol",
        "error.getCondition()",
        "logging.getLogger('py4j.clientserver')",
    ],
)
def test_leanings_are_found(text: str) -> None:
    assert list(leanings(ast.parse(text)))
