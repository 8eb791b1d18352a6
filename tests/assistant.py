"""An assistant in an editor: the official client, with a real `attn tutor` at the other end."""

import os
import sys
from contextlib import contextmanager

import learners
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client


class Assistant:
    """Calls the tools of one server, and keeps what came back."""

    def __init__(self, portal, client):
        self.portal, self.client, self.replies = portal, client, []

    def ask(self, tool, **arguments):
        """The text of a reply, also of one that says what is wrong."""
        return self.text(self.portal.call(self.client.call_tool, tool, arguments))

    def ask_together(self, *calls):
        """The texts of the replies to calls that are made at the same time."""
        begun = [self.portal.start_task_soon(self.client.call_tool, *call) for call in calls]
        return [self.text(one.result()) for one in begun]

    def text(self, result):
        (part,) = result.content
        self.replies.append(part.text)
        return part.text


@contextmanager
def assistant(engine, folder, **variables):
    """Start the server in a folder, where only what a learner installs can be imported."""
    start = learners.START.format(names=learners.COURSE_ONLY)
    environment = {**os.environ, "PYTHONPATH": str(engine), **variables}
    server = StdioServerParameters(
        command=sys.executable, args=["-c", start, "tutor"], env=environment, cwd=folder
    )
    with start_blocking_portal() as portal:
        client = portal.wrap_async_context_manager(Client(stdio_client(server)))
        with client as session:
            yield Assistant(portal, session)
