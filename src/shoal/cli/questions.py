"""The twelve questions on the context of a release, as `shoal init` asks them on a terminal."""

from rich.console import Console
from rich.prompt import Prompt

from shoal.foundation.errors import SpecError
from shoal.jobs.context import QUESTIONS, answered

_REST = "."  # leaves this question and all that follow open


def context_asked(console: Console) -> dict[str, str]:
    """Ask each question; what is not answered stays open."""
    console.print(f"An officer asks twelve questions. Enter leaves one open, '{_REST}' all that follow; see the job.")
    told: dict[str, str] = {}
    for key, (_, question) in QUESTIONS.items():
        answer = _answer(key, question, console)
        if answer is None:
            break
        told |= answer
    return told


def _answer(key: str, question: str, console: Console) -> dict[str, str] | None:
    """Return the answer to a question, nothing if it stays open, None if the rest does; ask again if it is not one."""
    while True:
        text = Prompt.ask(question, console=console, default="", show_default=False).strip()
        if text == _REST:
            return None
        try:
            return answered({key: text})
        except SpecError as refusal:
            console.print(str(refusal))
