"""Learning and measuring, installed as `scala40_env.train`."""
