"""The mutation check: break one rule of the engine at a time, and see that a test fails.

    python tests/mutants/run.py                   # all mutants, some seconds each
    python tests/mutants/run.py --only opening    # those with this in their names
    python tests/mutants/run.py --compiled        # with numba; a minute and more each

Mutants are made of a copy of the repository; the engine runs as plain Python (see
``interpreted``), so that nothing is compiled. The exit status is 1 if a mutant survives.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from mutants import CHANGED, Changed, Forced, forced

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPIED = ("scala40_env", "tests", "docs", "pyproject.toml")

# Those that find most come first; a mutant that survives has passed all of them.
TESTS = (
    "tests/test_rules_page.py",
    "tests/test_rule_parameters.py",
    "tests/test_cases.py",
    "tests/test_positions.py::test_shared_positions_have_the_same_legal_moves",
)
COMPILED_TESTS = ("tests/test_records.py", "tests/test_engine_equals_reference.py")


def copy_repository(folder: Path) -> Path:
    """Copy what the tests need; the shared data stay beside the copy, as a link."""
    copy = folder / "repository"
    copy.mkdir()
    ignore = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=ignore)
        else:
            shutil.copy(source, copy / name)
    shared = ROOT.parent / "shared"
    if shared.exists():
        (folder / "shared").symlink_to(shared)
    return copy


def run_tests(copy: Path, mutant: Forced | Changed | None, compiled: bool) -> tuple[bool, str]:
    """Run the tests on a copy; returns whether all passed, and the first that did not."""
    arguments = ["-x", "-q", "--tb=line", "-p", "no:cacheprovider", "-p", "forced"]
    if isinstance(mutant, Forced):
        arguments += [f"--force-rule={mutant.name}"]
    if compiled:
        arguments += [*TESTS, *COMPILED_TESTS]
    else:
        arguments += ["-p", "interpreted", *TESTS]
    output = copy.parent / "output"
    child = os.fork()  # what is imported already need not be imported for every mutant
    if child == 0:
        os._exit(_run_pytest(copy, output, arguments))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = output.read_text(encoding="utf-8")
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
    if status not in (0, 1) and failed is None:
        raise SystemExit(f"the tests did not run:\n{text}")
    return status == 0, failed[1] if failed else ""


def _run_pytest(copy: Path, output: Path, arguments: list[str]) -> int:
    """Run pytest in this process, a forked one, on the package of a copy."""
    with output.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in sys.modules if name.split(".")[0] == "scala40_env"]:
        del sys.modules[name]
    os.chdir(copy)
    sys.path[:0] = [str(copy), str(copy / "tests" / "mutants")]
    os.environ["XDG_CACHE_HOME"] = str(copy.parent / "cache")
    status = int(pytest.main(arguments))
    sys.stdout.flush()
    return status


def changed_source(path: Path, mutant: Changed) -> str:
    """The source of an engine file with the change of a mutant made."""
    source = path.read_text(encoding="utf-8")
    if source.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {source.count(mutant.old)} places in {mutant.file}")
    return source.replace(mutant.old, mutant.new)


def is_killed(copy: Path, mutant: Forced | Changed, compiled: bool) -> bool:
    """Run the tests on one mutant and print what came out."""
    if isinstance(mutant, Changed):
        path = copy / "scala40_env" / "engine" / mutant.file
        before = path.read_text(encoding="utf-8")
        # Code of a source of the same second and size would pass for that of the mutant.
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
        path.write_text(changed_source(path, mutant), encoding="utf-8")
        try:
            passed, failed = run_tests(copy, mutant, compiled)
        finally:
            path.write_text(before, encoding="utf-8")
            shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    else:
        passed, failed = run_tests(copy, mutant, compiled)
    print(f"{'SURVIVED' if passed else 'killed':9} {mutant.name:70} {failed}", flush=True)
    return not passed


def main() -> int:
    """Run the mutants that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants whose names hold this text")
    parser.add_argument("--kind", choices=("all", "forced", "changed"), default="all")
    parser.add_argument("--compiled", action="store_true", help="compile every mutant")
    args = parser.parse_args()
    if not args.compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # numba reads it when it is imported
    for module in ("numba", "hypothesis"):
        importlib.import_module(module)
    mutants: list[Forced | Changed] = []
    mutants += forced() if args.kind != "changed" else []
    mutants += CHANGED if args.kind != "forced" else []
    chosen = [mutant for mutant in mutants if args.only.lower() in mutant.name.lower()]
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_repository(Path(folder))
        for mutant in chosen:  # before anything runs: each is still there to be made
            if isinstance(mutant, Changed):
                changed_source(copy / "scala40_env" / "engine" / mutant.file, mutant)
        passed, failed = run_tests(copy, None, args.compiled)
        if not passed:
            raise SystemExit(f"without a mutant {failed} fails already")
        killed = [is_killed(copy, mutant, args.compiled) for mutant in chosen]
    print(f"{sum(killed)} of {len(killed)} mutants killed")
    return 0 if all(killed) else 1


if __name__ == "__main__":
    sys.exit(main())
