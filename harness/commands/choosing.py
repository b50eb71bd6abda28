"""Options that choose rows, shared by the commands that ask questions of results."""

from typing import Annotated

import typer

from harness.commands.options import Scenarios

Suite = Annotated[
    list[str] | None, typer.Option("--suite", metavar="NAME", help="Only rows of it; repeatable.")
]
Scenario = Scenarios
Arm = Annotated[list[str] | None, typer.Option("--arm", metavar="NAME", help="Only rows of it; repeatable.")]
Model = Annotated[
    list[str] | None, typer.Option("--model", metavar="NAME", help="Only rows of it; repeatable.")
]
Unlock = Annotated[
    bool, typer.Option("--unlock-held-out", help="Use held-out scenarios too; noted beside the results.")
]
