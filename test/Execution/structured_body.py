"""The text of a network that structured_networks.py writes: its operations, and the values
that others may read."""

from typing import NamedTuple

FLOATS, INTEGERS = ("f32", "f16", "bf16"), ("i32", "i16", "i8", "i1", "index")
WIDTHS = {"f32": 32, "f16": 16, "bf16": 16, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
#: What combines terms, by the kind of their type, in any order with the same result
#: but for rounding.
COMBINERS = {
    "float": ("addf", "maximumf", "minimumf", "maxnumf"),
    "truth": ("andi", "ori", "xori"),
    "index": ("addi", "maxsi", "minsi"),
    "integer": ("addi", "muli", "maxsi", "minsi", "andi", "ori", "xori", "maxui"),
}


class Value(NamedTuple):
    """A tensor: sizes are numbers, or the names of dynamic ones."""

    name: str
    shape: tuple
    element: str

    @property
    def type(self):
        sizes = ("?x" if isinstance(size, str) else f"{size}x" for size in self.shape)
        return f"tensor<{''.join(sizes)}{self.element}>"


def get_kind(element):
    if element in FLOATS:
        return "float"
    return {"i1": "truth", "index": "index"}.get(element, "integer")


class Body:
    """The operations of a region, and the values that they may read."""

    def __init__(self, draw, condition):
        self.draw, self.condition = draw, condition
        self.lines, self.values, self.sizes = [], [], {}
        self.functions, self.depth, self.count = [], 1, 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def write(self, text):
        self.lines.append("  " * self.depth + text)

    def compute(self, text):
        name = self.name()
        self.write(f"{name} = {text}")
        return name

    def keep(self, text, shape, element):
        self.values.append(Value(self.compute(text), tuple(shape), element))

    def pick(self, test=lambda value: True):
        fitting = [value for value in self.values if test(value)]
        return self.draw.choice(fitting) if fitting else None

    def pick_alike(self, value):
        return self.pick(lambda v: (v.shape, v.element) == (value.shape, value.element))

    # Scalars ------------------------------------------------------------------

    def constant(self, element, number):
        if element in FLOATS:
            return self.compute(f"arith.constant {float(number)} : {element}")
        if element == "i1":
            return self.compute(f"arith.constant {'true' if number else 'false'}")
        return self.compute(f"arith.constant {number} : {element}")

    def convert(self, x, source, target):
        """A number of another type; what floats say to integers is whether they are
        above a quarter."""
        if source == target:
            return x
        if source in FLOATS and target in FLOATS:
            if "f32" not in (source, target):
                x, source = self.compute(f"arith.extf {x} : {source} to f32"), "f32"
            word = "extf" if target == "f32" else "truncf"
            return self.compute(f"arith.{word} {x} : {source} to {target}")
        if source in FLOATS:
            quarter = self.constant(source, 0.25)
            truth = self.compute(f"arith.cmpf ogt, {x}, {quarter} : {source}")
            return self.convert(truth, "i1", target)
        if target in FLOATS:
            if source == "index":
                x, source = self.compute(f"arith.index_cast {x} : index to i32"), "i32"
            word = "uitofp" if source == "i1" else "sitofp"
            return self.compute(f"arith.{word} {x} : {source} to {target}")
        if "index" in (source, target):
            word = "index_castui" if source == "i1" else "index_cast"
            return self.compute(f"arith.{word} {x} : {source} to {target}")
        word = "extsi" if WIDTHS[source] < WIDTHS[target] else "trunci"
        word = "extui" if source == "i1" else word
        return self.compute(f"arith.{word} {x} : {source} to {target}")

    def change(self, x, element):
        """A number that is computed of another one."""
        kind = get_kind(element)
        if kind == "float":
            word = self.draw.choice(("math.absf", "arith.negf", "math.tanh"))
            return self.compute(f"{word} {x} : {element}")
        if kind == "truth":
            return self.compute(f"arith.xori {x}, {self.constant(element, 1)} : i1")
        word = self.draw.choice(("remsi", "divsi", "floordivsi", "maxsi"))
        seven = self.constant(element, self.draw.choice((3, 7)))
        return self.compute(f"arith.{word} {x}, {seven} : {element}")

    def limit(self, x, element):
        """A small number, of which many can be added up."""
        if get_kind(element) == "float":
            low, high = self.constant(element, -1), self.constant(element, 1)
            return self.compute(f"math.clampf {x} to [{low}, {high}] : {element}")
        if get_kind(element) in ("index", "integer"):
            return self.compute(f"arith.remsi {x}, {self.constant(element, 13)} : {element}")
        return x

    # Tensors ------------------------------------------------------------------

    def empty(self, shape, element):
        sizes = ", ".join(self.sizes[size] for size in shape if isinstance(size, str))
        made = Value("", tuple(shape), element)
        return made._replace(name=self.compute(f"tensor.empty({sizes}) : {made.type}"))

    def fill(self, shape, element, number):
        start, room = self.constant(element, number), self.empty(shape, element)
        text = f"ins({start} : {element}) outs({room.name} : {room.type}) -> {room.type}"
        return room._replace(name=self.compute(f"linalg.fill {text}"))

    def list_sizes(self, shape):
        return ", ".join(self.sizes.get(size, str(size)) for size in shape)


def list_typed(values):
    names, types = (", ".join(words) for words in zip(*((v.name, v.type) for v in values)))
    return f"{names} : {types}"
