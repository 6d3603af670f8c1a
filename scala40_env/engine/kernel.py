"""How kernels are compiled: one set of options, and a compile cache that is never stale.

numba keys a cached kernel on the file that holds it, so a kernel that inlines a constant or a
helper of another file would survive a change there. Every package of kernels therefore caches in
a folder named by a hash of all sources its kernels can reach; a change anywhere means a new folder.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config

_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_KEPT_FOLDERS = 6  # older caches are removed, newest first


def _cache_root() -> Path:
    """The folder that holds our caches: the user's, or a temporary one where that is read-only."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for root in (Path(base).expanduser(), Path(tempfile.gettempdir())):
        folder = root / "scala40_env"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise OSError("no writable folder for compiled kernels; set XDG_CACHE_HOME to one")


def _prune(root: Path, keep: Path) -> None:
    """Remove all but the newest caches, so that a working copy does not fill the disk."""
    folders = sorted(root.glob("kernels-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in folders[_KEPT_FOLDERS:]:
        if old != keep:
            shutil.rmtree(old, ignore_errors=True)


class KernelCache:
    """A decorator factory for the kernels of one package and of the packages it calls.

    Args:
        folders: the folders whose ``*.py`` files the kernels can reach.
    """

    def __init__(self, *folders: Path) -> None:
        digest = hashlib.sha256(numba.__version__.encode())
        for folder in folders:
            for source in sorted(folder.glob("*.py")):
                digest.update(source.name.encode())
                digest.update(source.read_bytes())
        root = _cache_root()
        self.folder = root / f"kernels-{digest.hexdigest()[:16]}"
        self.is_cold = not self.folder.exists()
        self._announced = False
        if self.is_cold:
            self.folder.mkdir(exist_ok=True)
            _prune(root, self.folder)

    def entry(self, function: Callable[..., Any]) -> Any:
        """Compile a kernel that Python calls: without the interpreter lock, and cached."""
        before = config.CACHE_DIR
        config.CACHE_DIR = str(self.folder)
        try:
            return numba.njit(cache=True, **_OPTIONS)(function)
        finally:
            config.CACHE_DIR = before

    def announce(self) -> None:
        """Say once, on standard error, that a cold cache makes the first call slow."""
        if self.is_cold and not self._announced:
            print(
                "scala40: compiling the kernels (first use only, about half a minute) ...",
                file=sys.stderr,
                flush=True,
            )
        self._announced = True


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that only other kernels call.

    It has no Python wrapper and no cache of its own, since the entries that use it contain it: that
    more than halves the time of a first compile. Python cannot call it.
    """
    return numba.njit(no_cpython_wrapper=True, **_OPTIONS)(function)


ENGINE = KernelCache(Path(__file__).parent)
entry = ENGINE.entry
