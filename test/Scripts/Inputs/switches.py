"""Prints a function with two mutants in it, and what texts give that cannot be."""

from mutants import Mutant, switches

TEXT = "int half(int x) {\n  x += 1;\n  return x / 2;\n}\n"
ROUND = Mutant("half.cpp", "x += 1;", "", [])
DIVIDE = Mutant("half.cpp", "x / 2", "x", [])
LATE = Mutant("half.cpp", "1;", "2;", [])

print(switches.insert(TEXT, [(7, DIVIDE), (8, ROUND)]))
print(switches.find_overlap(TEXT, [(7, LATE), (8, ROUND)]))
TEXTS = ("f(x, y)", "x += 1;", "x,", "f(x", "int y = x;", "if (x)", "[&] { f(x); }", "x, y", "x; y")
print([switches.is_whole(text) for text in TEXTS])
