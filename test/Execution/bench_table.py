"""The choices that run_bench.py timed side by side, as tables in Markdown."""

import math

TITLES = {"layers": "Forward convolutions, in microseconds", "maps": "Maps, in microseconds"}


def collect(results):
    """By table and cell, the microseconds of each choice; none for one that is wrong, or
    could not be measured, or takes no longer than what noise hides. What is selected has
    no name."""
    tables = {}
    for row in results:
        if "cell" in row:
            table, *cell = row["cell"]
            choices = tables.setdefault(table, {}).setdefault(tuple(cell), {})
            us = None if "error" in row else row["median_us"]
            choices[row["choice"]] = us if us and us > 0 else None
    return tables


def compare(choices):
    """The fastest choice, and how many times its time what is selected takes."""
    timed = {choice: us for choice, us in choices.items() if us is not None}
    if timed.get("") is None:
        return None, math.nan
    best = min(timed, key=timed.get)
    return best, timed[""] / timed[best]


def summarise(title, cells):
    """One line about the cells that have several choices."""
    ratios = {cell: compare(choices)[1] for cell, choices in cells.items() if len(choices) > 1}
    measured = {cell: ratio for cell, ratio in ratios.items() if not math.isnan(ratio)}
    if not measured:
        return f"{title}: no choices to compare"
    mean = math.exp(sum(map(math.log, measured.values())) / len(measured))
    worst = max(measured, key=measured.get)
    text = f"{title}: selected / fastest {mean:.3f} in geometric mean over {len(measured)} cells"
    text += f", at most {measured[worst]:.2f} ({' '.join(worst)})"
    lost = len(ratios) - len(measured)
    return text + (f"; {lost} not measured" if lost else "")


def format_table(title, cells):
    """A row for each cell, in which the fastest choice is bold."""
    names = list(dict.fromkeys(choice for choices in cells.values() for choice in choices))
    head = ["scene", "what", *(name or "selected" for name in names), "selected / fastest"]
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (scene, what), choices in cells.items():
        best, ratio = compare(choices)
        figures = []
        for name in names:
            us = choices.get(name)
            text = "" if us is None else f"{us:.1f}"
            figures.append(f"**{text}**" if text and name == best else text)
        line = [scene, what, *figures, "" if math.isnan(ratio) else f"{ratio:.2f}"]
        lines.append(f"| {' | '.join(line)} |")
    return "\n".join([*lines, "", summarise("All cells", cells), ""])


def write(path, report):
    """Writes the tables of a report of run_bench.py; returns a summary of each."""
    tables = collect(report["rows"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# Choices on {report['chip']} at {report['commit']}\n\n")
        for table, cells in tables.items():
            file.write(format_table(TITLES[table], cells) + "\n")
    return [summarise(table, cells) for table, cells in tables.items()]
