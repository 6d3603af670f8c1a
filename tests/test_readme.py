"""The README is true: its code runs, its commands parse, its tables are what the code prints."""

from __future__ import annotations

import re
import shlex

import pytest
from readme import README, ROOT, with_tables

from scala40_env.cli import main

TEXT = README.read_text()
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = sorted(set(re.findall(r"(scala40 (?:train|play|evaluate|rules|bench)[^`&\n]*)", TEXT)))


@pytest.mark.parametrize("code", PYTHON)
def test_python_blocks_run(code, capsys):
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102


def test_there_are_blocks_and_commands():
    assert len(PYTHON) >= 3
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_every_verb_of_a_command_has_help(command, capsys):
    verb = shlex.split(command)[1]
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert not stop.value.code
    shown = capsys.readouterr().out
    for option in re.findall(r"--[a-z-]+", command):
        assert option in shown


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("scala40 rules")])
def test_commands_about_rules_run(command, capsys):
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


def test_tables_are_printed_by_the_code():
    assert with_tables(TEXT) == TEXT


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target
