"""The ids under which PettingZoo and Gymnasium make the environments.

Entry points are texts, so that nothing is loaded before an environment is made.
"""

from __future__ import annotations

from typing import Final

AEC_ID: Final = "scala40/scala40-v0"
GYMNASIUM_ID: Final = "scala40/Scala40-v0"


def register() -> None:
    """Register the environments, once; calling it again changes nothing."""
    import gymnasium
    import pettingzoo

    if AEC_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", AEC_ID, "scala40_env.aec:env")
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="scala40_env.single:SingleAgentEnv",
            vector_entry_point="scala40_env.vector:Scala40VectorEnv",
        )
