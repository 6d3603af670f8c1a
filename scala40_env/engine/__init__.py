"""The rules as numba kernels on flat game records: the only place that decides what is legal."""
