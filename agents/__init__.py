"""Agents: the computer levels, the learned player, and what they are built from.

>>> from scala40_env.agents import make_agent
>>> make_agent("easy", seed=1).name.split()[0]
'easy'
"""

from scala40_env.agents.base import Agent, AgentError
from scala40_env.agents.registry import make_agent

__all__ = ["Agent", "AgentError", "make_agent"]
