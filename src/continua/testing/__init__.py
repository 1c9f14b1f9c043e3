"""Tests of continuous queries in virtual time: scripts of streams, queries and expected results."""

from continua.testing.script import Script, ScriptFailure, run_script

__all__ = ["Script", "ScriptFailure", "run_script"]
