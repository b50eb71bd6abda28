"""Ids that the CLI gives to agents and tasks: drawn anew in every run, and repeated by the model that was told them."""

import re

import orjson

_PLACES = re.compile(
    r"""(?:\b(?:agentId|agent_id|task_id|with ID)(?:\\*"?: ?\\*"?)|<task-id>|/tasks/|SendMessage with to: ')(\w{6,})"""
)


def renamed(old: object, new: object) -> dict[str, str]:
    """The ids of a recorded body by what stands in their place in the body that came now.

    Nothing where the two do not name ids in the same places.
    """
    then, now = (_PLACES.findall(orjson.dumps(body).decode()) for body in (old, new))
    if len(then) != len(now):
        return {}
    return {was: is_ for was, is_ in zip(then, now, strict=True) if was != is_}
