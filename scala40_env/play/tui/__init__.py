"""The full screen: play at a table, watch agents, look at records. It needs the extra `play`.

The doors are ``config.TuiConfig``, ``app.run_app`` and ``serve.serve``.
"""
