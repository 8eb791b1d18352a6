"""The tables with which `make bench` ends, from the fresh records.

python book/experiments/grading_table.py
"""

import measurements
from measurements import FRESH, Numbers
from rich.console import Console
from rich.table import Table

WAYS = {
    "two": "attn grade, two workers",
    "one": "attn grade, one worker",
    "floor": "the floor: fork, cells, calls",
    "plugin": "nbgrader autograde, our plugin",
    "stock": "nbgrader autograde, stock",
}
PARTS = {
    "count_forks": "forks",
    "count_calls": "calls",
    "count_faults": "page faults",
    "count_sent": "sent",
    "count_received": "received",
    "part_submission": "of processor time in its processes",
    "part_worker": "in the worker that forks them",
    "part_judge": "in the judge",
}
RATIOS = {  # by record, what is compared, and the keys of how many times
    "grading_cost": {
        "chapter 4, two workers, times stock nbgrader": "two_faster_than_stock",
        "chapter 4, two workers, processor time over the floor": "two_heavier_than_floor",
        "chapter 4, two workers over one": "two_faster_than_one",
        "chapter 4, stock nbgrader over our plugin": "plugin_faster_than_stock",
    },
    "grading_capstone": {
        "chapter 12, two workers, times stock nbgrader": "two_faster_than_stock",
        "chapter 12, two workers, processor time over the floor": "two_heavier_than_floor",
    },
    "grading_scale": {"a class with submissions that hang over one without": "beside_to_without"},
    "check_cost": {"nbgrader validate over the slowest check": "quicker_than_validate"},
}
CONSOLE = Console(width=110)


def text(found: Numbers, key: str) -> str:
    return measurements.text_of({"numbers": found}, key, spread=True)


def costs(found: Numbers, chapter: str) -> None:
    """What a submission costs in each way, and what it is made of."""
    table = Table(title=f"One submission of {chapter}")
    for column in ("", "a second", "x stock", "x floor", "CPU", "stock / it", "it / floor"):
        table.add_column(column, justify="right" if column else "left")
    for way, said in WAYS.items():
        keys = ("rate", "faster_than_stock", "faster_than_floor", "processor",
                "lighter_than_stock", "heavier_than_floor")  # fmt: skip
        table.add_row(said, *(text(found, f"{way}_{key}") for key in keys))
    CONSOLE.print(table)
    made_of = ", ".join(f"{text(found, key)} {what}" for key, what in PARTS.items())
    print(f"It is made of {made_of}.")
    print(f"Stock nbgrader gives {text(found, 'marks_equal')} of {text(found, 'marks')} marks as "
          f"we do; {text(found, 'marks_behind_a_mistake')} differ behind a mistake in an earlier "
          f"exercise, {text(found, 'marks_otherwise')} otherwise.")  # fmt: skip


def ratios() -> None:
    """Every ratio of the records of one run, and the machine."""
    table = Table(title="Ratios, each of two times of one run")
    table.add_column("")
    table.add_column("times", justify="right")
    for name, keys in RATIOS.items():
        record = measurements.load(name, FRESH)
        for said, key in keys.items():
            table.add_row(said, text(record["numbers"], key))
        table.caption = f"measured on {record['machine']}"
    CONSOLE.print(table)


if __name__ == "__main__":
    ratios()
