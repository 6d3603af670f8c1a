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
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import codegen, compiler, config, types

# Without numba's memory manager, which would count references (locked instructions, a fifth of the
# time) wherever a kernel hands an array on; kernels allocate nothing, and Python holds the arrays.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": False}
_INLINE_LIMIT = 400  # instructions; inlining larger kernels only makes the code swell
_KEPT_DAYS = 14


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


def _prune(root: Path) -> None:
    """Remove caches long unused, so that a working copy does not fill the disk."""
    oldest = time.time() - _KEPT_DAYS * 86_400
    for folder in root.glob("kernels-*"):
        with suppress(FileNotFoundError):  # another process may be at it too
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


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
        self.folder.mkdir(exist_ok=True)
        os.utime(self.folder)  # the time of the last use
        if self.is_cold:
            _prune(root)

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


class _NoEnvironment(codegen.JITCPUCodegen):
    """Stands in for the code generator where a library has no global to write to."""

    def __init__(self) -> None:
        """Generate nothing."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Linked kernels raise nothing, so they need no environment."""


class _LinkedLibrary(codegen.CPUCodeLibrary):
    """Code that is only ever linked into other code: not optimised and not made executable."""

    @property
    def codegen(self) -> codegen.JITCPUCodegen:
        return _NoEnvironment()

    def add_llvm_module(self, ll_module: Any) -> None:
        """Add the code of one kernel; a large one stays a function wherever it is called."""
        for function in ll_module.functions:
            if sum(1 for block in function.blocks for _ in block.instructions) > _INLINE_LIMIT:
                function.add_function_attribute("noinline")
        super().add_llvm_module(ll_module)

    def _optimize_final_module(self) -> None:
        """Leave optimising to the library of the entry, which sees everything at once."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _LinkedCompiler(compiler.CompilerBase):
    """numba's ordinary pipeline, into a ``_LinkedLibrary``."""

    def define_pipelines(self) -> list[Any]:
        name = self.state.func_id.func_qualname
        self.state.library = _LinkedLibrary(self.state.targetctx.codegen(), name)
        return [compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)]


def _plain(kind: types.Type) -> types.Type:
    """The type under which an argument is passed: any signed or small integer as int64."""
    kind = types.unliteral(kind)
    is_small = isinstance(kind, types.Integer) and (kind.signed or kind.bitwidth < 64)
    return types.int64 if is_small else kind


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that only other kernels call; Python cannot.

    The entries that reach it contain it. So it needs no Python wrapper, no cache and no machine
    code of its own, and no copy for each kind of integer it is called with: that makes a first
    compile three times as fast.
    """
    made = numba.njit(no_cpython_wrapper=True, pipeline_class=_LinkedCompiler, **_OPTIONS)(function)
    template = made.get_call_template

    def get_call_template(args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        return template(tuple(map(_plain, args)), {key: _plain(kws[key]) for key in kws})

    made.get_call_template = get_call_template
    return made


ENGINE = KernelCache(Path(__file__).parent)
entry = ENGINE.entry
