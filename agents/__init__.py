"""Players for every seat, installed as `scala40_env.agents`."""
