"""Many mutants in one build: each lies behind a switch, which the environment sets.

Mutant schemata, after Untch, Offutt and Harrold, "Mutation analysis using mutant
schemata", 1993. With SPARSECONV_MUTANT=7 in its environment a program is the mutant
of number 7; without it, it is the program that it was.
"""

import re

VARIABLE = "SPARSECONV_MUTANT"

# A file and a header that it includes may both have mutants.
_HEAD = f"""#ifndef {VARIABLE}
#define {VARIABLE}
#include <cstdlib>
static bool isMutant(int number) {{
  static const char *chosen = std::getenv("{VARIABLE}");
  return chosen && std::atoi(chosen) == number;
}}
#endif
#line 1
"""


def _place(text, mutants):
    """[(begin, end, number, mutant)] in the order of the text."""
    places = []
    for number, mutant in mutants:
        begin = text.index(mutant.old)
        places.append((begin, begin + len(mutant.old), number, mutant))
    return sorted(places)


def is_whole(text):
    """Whether text has every bracket's partner, ends where an operand ends, is no
    list of several, and declares nothing: what is declared behind a switch is not
    seen after it. A lambda has a type that its mutant lacks."""
    if re.match(r"[\w:<>]+ [*&]*\w+ =|\[", text):
        return False
    if re.match(r"(if|for|while|return)\b", text) and not text.endswith(";"):
        return False
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (letter in ",;" and depth == 0 and not text.endswith(";")):
            return False
    return depth == 0 and not text.rstrip().endswith((",", "+", "-", "*", "/", "%", "="))


def find_overlap(text, mutants):
    """Says which two of [(number, mutant)] change the same text, or nothing."""
    places = _place(text, mutants)
    for (_, end, _, one), (begin, _, _, other) in zip(places, places[1:]):
        if begin < end:
            return f"{one.old!r} and {other.old!r} overlap"
    return ""


def insert(text, mutants):
    """The text of a file with a switch for each of [(number, mutant)]."""
    parts, rest = [_HEAD], 0
    for begin, end, number, mutant in _place(text, mutants):
        chosen = f"::isMutant({number})"
        parts.append(text[rest:begin])
        if mutant.old.endswith(";"):
            parts.append(f"{{ if ({chosen}) {{ {mutant.new} }} else {{ {mutant.old} }} }}")
        else:
            parts.append(f"({chosen} ? ({mutant.new}) : ({mutant.old}))")
        rest = end
    return "".join(parts) + text[rest:]
