"""An MCP server that gives a learner's assistant the checks, hints and texts of the chapters.

Standard output belongs to the protocol. Nothing is loaded that a call does not need: an editor
starts this with itself.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from autograder.common.errors import CheckFailed, CourseError, SandboxUnavailable, WireError
from autograder.common.files import DISTRIBUTION
from autograder.learner.chapter_folders import chapters_in
from autograder.showing.wording import printable

if TYPE_CHECKING:  # it loads torch, which takes a second
    from autograder.learner.replies import Replies

RULES = "AGENTS.md"  # what the course asks of assistants
INSTRUCTIONS = (
    "A learner works on the exercises of this course in notebooks. This server runs what they "
    "wrote, and has the hints and the sections of the book that belong to each exercise. It has no "
    "solutions. Help the learner to find the answer, and do not write it for them."
)
EACH = f"Each chapter has its own rule for you, in its {RULES}. This is the rule of the first one:"
SAID = (CheckFailed, CourseError, OSError, SandboxUnavailable, WireError)


def serve(folder: Path) -> None:
    """Answer calls about the chapters in a folder until standard input ends.

    Raises CourseError if no chapter is there.
    """
    tutor = Tutor(folder, instructions(chapters_in(folder)))
    try:
        tutor.server.run("stdio")
    finally:
        tutor.close()


def instructions(chapters: list[Path]) -> str:
    """Return the first text that an assistant reads: what this is, and the course's rule."""
    rules = [path for chapter in chapters if (path := chapter / RULES).is_file()]
    told = [INSTRUCTIONS]
    if len(rules) > 1:
        told.append(EACH)
    return "\n\n".join([*told, *(path.read_text("utf-8").strip() for path in rules[:1])])


class Tutor:
    """The tools; the docstring of each is what a model reads of it.

    One thread makes all replies, one after another: the process that runs a learner's code ends
    with the thread that started it.
    """

    def __init__(self, folder: Path, told: str):
        self.folder = folder
        self.server = MCPServer(
            "attn tutor", instructions=told, version=version(DISTRIBUTION), log_level="WARNING"
        )
        self._thread = ThreadPoolExecutor(1)
        for tool in (self.exercises, self.check, self.hint, self.section):
            self.server.add_tool(tool, structured_output=False)

    async def exercises(self) -> str:
        """List the exercises of each chapter and what is next.

        Each line has the state, the points, the minutes, and the section of the book to read.
        """
        return await self._reply(lambda replies: replies.exercises())

    async def check(self, exercise: str, answer: str = "") -> str:
        """Run what the learner wrote for one exercise, and say what differs and what to look at.

        exercise: its name, as `exercises` lists it.
        answer: what the learner wrote and has not saved, to run instead of the saved cell. It needs
        bubblewrap. Leave it out to run the cell as it is saved, which also records the result.
        """
        return await self._reply(lambda replies: replies.check(exercise, answer))

    async def hint(self, exercise: str, level: Literal[1, 2, 3]) -> str:
        """Return one of the three hints of an exercise.

        Level 1 is a question, 2 an observation, 3 nearly the line. Give them in this order, and
        only after the learner has tried again.
        """
        return await self._reply(lambda replies: replies.hint(exercise, level))

    async def section(self, exercise: str) -> str:
        """Return the section of the book that explains what an exercise needs."""
        return await self._reply(lambda replies: replies.section(exercise))

    def close(self) -> None:
        """End what runs."""
        if "_replies" in vars(self):
            self._replies.close()
        self._thread.shutdown(cancel_futures=True)

    async def _reply(self, ask: "Callable[[Replies], str]") -> str:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._asked, ask)

    def _asked(self, ask: "Callable[[Replies], str]") -> str:
        """Raise ToolError, which the assistant reads, with a sentence that a person would read."""
        try:
            return ask(self._replies)
        except SAID as error:
            raise ToolError(printable(str(error))) from None

    @cached_property
    def _replies(self) -> "Replies":
        from autograder.learner.replies import Replies

        return Replies(self.folder)
