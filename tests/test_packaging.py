"""What is installed, under which names, and what an import loads."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata, resources
from pathlib import Path

import pytest

import scala40_env

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
MAPPED = {"agents", "train", "configs"}


def run_python(code: str) -> str:
    """Run code in a fresh interpreter outside the checkout and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return done.stdout.strip()


def package_of(folder: Path) -> str:
    """Return the import name of a folder of the checkout."""
    parts = folder.relative_to(ROOT).parts
    return ".".join(("scala40_env", *parts) if parts[0] in MAPPED else parts)


def test_packages_are_the_folders_with_an_init():
    tops = [ROOT / name for name in ("scala40_env", *MAPPED)]
    folders = {path.parent for top in tops for path in top.rglob("__init__.py")}
    assert {package_of(folder) for folder in folders} == set(SETUPTOOLS["packages"])


def test_every_python_file_lies_in_a_package():
    for top in ("scala40_env", *MAPPED):
        for path in (ROOT / top).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_the_mapped_folders_have_one_import_name():
    assert set(SETUPTOOLS["package-dir"].values()) == MAPPED
    for name in MAPPED:
        importlib.import_module(f"scala40_env.{name}")
    assert not MAPPED & set(sys.modules)


def test_no_module_is_named_like_one_of_the_standard_library():
    for top in ("scala40_env", *MAPPED):
        for path in (ROOT / top).rglob("*.py"):
            assert path.stem not in sys.stdlib_module_names, path


def test_configs_hold_files_only():
    folders = {path.name for path in (ROOT / "configs").iterdir() if path.is_dir()}
    assert folders <= {"__pycache__"}
    names = {path.name for path in resources.files("scala40_env.configs").iterdir()}
    assert {path.name for path in (ROOT / "configs").glob("*.toml")} <= names


def test_the_version_has_one_source():
    assert "version" in PROJECT["project"]["dynamic"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", scala40_env.__version__)
    assert metadata.version("scala40-env") == scala40_env.__version__


def test_the_typing_marker_is_installed():
    assert (resources.files("scala40_env") / "py.typed").is_file()


def test_import_is_light():
    heavy = {"torch", "textual", "prompt_toolkit", "matplotlib", "numba"}
    code = f"import sys, scala40_env; print(sorted({heavy!r} & set(sys.modules)))"
    assert run_python(code) == "[]"


def test_import_registers_the_environments():
    code = (
        "import scala40_env, gymnasium, pettingzoo;"
        "print('scala40/Scala40-v0' in gymnasium.registry,"
        " 'scala40/scala40-v0' in pettingzoo.aec_registry)"
    )
    assert run_python(code) == "True True"


def test_the_front_door_loads_its_names_at_first_use():
    code = "import sys, scala40_env as s; s.Rules(); print('scala40_env.rules' in sys.modules)"
    assert run_python(code) == "True"
    assert {"Rules", "Game", "BatchGame", "env", "raw_env", "make_agent"} <= set(dir(scala40_env))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        scala40_env.nonsense  # noqa: B018


@pytest.mark.parametrize("name", scala40_env.__all__)
def test_every_exported_name_exists(name):
    assert getattr(scala40_env, name) is not None


def test_agents_need_neither_torch_nor_a_screen():
    heavy = {"torch", "textual", "prompt_toolkit", "matplotlib"}
    code = f"import sys, scala40_env.agents; print(sorted({heavy!r} & set(sys.modules)))"
    assert run_python(code) == "[]"


def pins() -> list[str]:
    """Return the lines of constraints.txt that pin something."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_constraints_pin_exact_versions_without_a_build():
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins())
    assert "torch==2.13.0" in pins()


def test_every_requirement_is_pinned():
    project = PROJECT["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {re.match(r"[\w-]+", line).group() for lines in lists for line in lines}
    assert wanted - {"scala40-env"} <= {pin.partition("==")[0] for pin in pins()}


@pytest.mark.slow
def test_the_wheel_holds_the_packages_and_no_tests(tmp_path):
    # Built from a copy: setuptools leaves a build/ folder, and would pack what an older one holds.
    unwanted = shutil.ignore_patterns(".*", "build", "dist", "runs", "venv", "*.egg-info")
    source = shutil.copytree(ROOT, tmp_path / "source", ignore=unwanted)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, source]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"scala40_env", f"scala40_env-{scala40_env.__version__}.dist-info"}
    held = {name.rpartition("/")[0].replace("/", ".") for name in names if name.endswith(".py")}
    assert held == set(SETUPTOOLS["packages"])
    for top in MAPPED:
        data = [p for p in (ROOT / top).rglob("*") if p.suffix in (".toml", ".npz")]
        assert {f"scala40_env/{p.relative_to(ROOT).as_posix()}" for p in data} <= set(names)
