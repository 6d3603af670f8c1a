"""The verbs of `scala40`, a module each: ``Options``, whose fields are the options, and ``run``."""
