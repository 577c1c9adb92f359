"""Random networks on a target, by sparseconv-fuzz-operations, which compares many in one
process: what run_checks.py --random runs."""

import os
import re
import shlex
import subprocess

IN_A_JOB = 25
MAX_SKIPPED_PERCENT = 2  # of all networks: more, and the run says nothing
TYPES = ("f32", "tf32", "f16", "bf16")
OUTCOMES = {"agrees": "passed", "skipped": "skipped", "differs": "failed"}
NAME = "random network "


class RandomJob:
    """The networks of some seeds that follow each other."""

    def __init__(self, seeds, number_type, settings):
        self.seeds, self.settings = seeds, settings
        self.command = ["sparseconv-fuzz-operations", f"--target={settings.target}"]
        self.command += settings.options
        if number_type:
            self.command.append(f"--type={number_type}")

    def get_names(self):
        return [f"{NAME}{seed}" for seed in self.seeds]

    def run(self):
        rows = []
        while len(rows) < len(self.seeds):
            rows += self.run_from(self.seeds[len(rows)])
        return rows

    def run_from(self, first):
        """Rows of the networks from a seed to the first that fails."""
        seeds = range(first, self.seeds.stop)
        output, ending = self.execute(seeds)
        lines = re.findall(r"^network (\d+), (\w+): ((\w+).*)$", output, re.M)
        rows = []
        for (seed, number_type, text, word) in lines:
            outcome = OUTCOMES[word]
            # Alone it is in front of a person: with the files that repeat it.
            if outcome == "failed":
                text += f"; again: {self.get_command(range(int(seed), int(seed) + 1))}"
            rows.append((f"{NAME}{seed}", outcome, f"{number_type}: {text}"))
        if len(rows) < len(seeds) and not (rows and rows[-1][1] == "failed"):
            seed = seeds[len(rows)]
            again = self.get_command(range(seed, seed + 1))
            rows.append((f"{NAME}{seed}", "failed", f"{ending}; again: {again}"))
        return rows

    def get_command(self, seeds):
        options = [f"--runs={len(seeds)}", f"--seed={seeds.start}"]
        return shlex.join([*self.command, *options, f"--save=network{seeds.start}"])

    def execute(self, seeds):
        """What was printed, and how it ended."""
        command = [*self.command, f"--runs={len(seeds)}", f"--seed={seeds.start}", "--verbose"]
        try:
            done = subprocess.run(
                command,
                # One network keeps few threads busy.
                env=dict(os.environ, OMP_NUM_THREADS="2"),
                capture_output=True,
                text=True,
                timeout=self.settings.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            output = (error.stdout or b"").decode(errors="replace")
            return output, f"no end after {self.settings.timeout} s"
        last = " | ".join(done.stderr.strip().splitlines()[-3:])
        return done.stdout, f"exit {done.returncode}: {last}"


def make_jobs(options, settings):
    first, count = options.seed, options.random
    step = max(1, min(IN_A_JOB, -(-count // options.jobs)))
    return [
        RandomJob(range(start, min(start + step, first + count)), options.type, settings)
        for start in range(first, first + count, step)
    ]


def judge(rows):
    """A row more where too many networks were skipped."""
    outcomes = [row["outcome"] for row in rows if row["name"].startswith(NAME)]
    skipped = outcomes.count("skipped")
    if skipped * 100 <= len(outcomes) * MAX_SKIPPED_PERCENT:
        return []
    message = f"{skipped} of {len(outcomes)} were skipped, at most {MAX_SKIPPED_PERCENT} percent may be"
    return [("random networks", "failed", message)]
