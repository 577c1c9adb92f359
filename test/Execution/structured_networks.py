"""Random networks of upstream's operations around a few of ours, which run_structured.py
compares with the reference.

There are loops over tensors of many shapes and types (maps that permute and broadcast,
reductions, several results, destinations that are read), slices, concatenations, reshapes,
branches, loops, calls, and for half of the seeds a set with convolutions and pooling between
them."""

import random

from structured_body import COMBINERS, FLOATS, INTEGERS, Body, Value, get_kind, list_typed

HEADER = """\
#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>
"""


# Steps: each adds operations and values, or does nothing where none fit ---------------


def add_loops(b):
    """A linalg.generic. Its loops are the axes of a value and perhaps one more."""
    base = b.pick()
    order = list(range(len(base.shape)))
    b.draw.shuffle(order)
    loops = [base.shape[order.index(i)] for i in range(len(order))]
    if len(loops) < 3 and b.draw.random() < 0.2:
        loops.append(b.draw.choice((1, 3, 16)))
    reduces = [b.draw.random() < 0.25 for _ in loops]
    inputs = [(base, order)]
    for _ in range(b.draw.choice((0, 1, 2))):
        other = b.pick()
        places = place_axes(b, other, loops)
        if places is not None:
            inputs.append((other, places))
    kept = [i for i, is_reduced in enumerate(reduces) if not is_reduced]
    outputs = [add_output(b, loops, kept, any(reduces)) for _ in range(b.draw.choice((1, 1, 2)))]
    used = {i for _, places in inputs for i in places} | set(kept)
    if len(used) == len(loops):
        write_loops(b, loops, reduces, inputs, outputs)


def place_axes(b, value, loops):
    """Loops that have the sizes of a value's axes, each once; or None."""
    places = []
    for size in value.shape:
        fitting = [i for i, loop in enumerate(loops) if loop == size and i not in places]
        if not fitting:
            return None
        places.append(b.draw.choice(fitting))
    return places


def add_output(b, loops, kept, is_sum):
    """A destination, its axes among the loops, and whether it is read."""
    places = list(kept)
    b.draw.shuffle(places)
    shape = tuple(loops[i] for i in places)
    element = b.draw.choice(("f32", "f32", "f32", *FLOATS, *INTEGERS))
    if is_sum and element in ("f16", "bf16"):
        element = "f32"
    is_read = is_sum or b.draw.random() < 0.3
    known = b.pick(lambda v: v.shape == shape and v.element == element)
    if is_read and known is not None and b.draw.random() < 0.5:
        return known, places, True
    if is_read:
        return b.fill(shape, element, b.draw.choice((0, 1))), places, True
    return b.empty(shape, element), places, False


def write_loops(b, loops, reduces, inputs, outputs):
    def write_map(places):
        names = ", ".join(f"d{i}" for i in range(len(loops)))
        return f"affine_map<({names}) -> ({', '.join(f'd{i}' for i in places)})>"

    maps = ", ".join(write_map(places) for _, places, *_ in (*inputs, *outputs))
    kinds = ", ".join('"reduction"' if r else '"parallel"' for r in reduces)
    results = [out._replace(name=b.name()) for out, *_ in outputs]
    types = ", ".join(out.type for out in results)
    b.write(
        f"{', '.join(out.name for out in results)} = linalg.generic {{indexing_maps = [{maps}], "
        f"iterator_types = [{kinds}]}} ins({list_typed([v for v, _ in inputs])}) "
        f"outs({list_typed([v for v, *_ in outputs])}) {{"
    )
    terms = [(b.name(), value.element) for value, _ in inputs]
    sums = [(b.name(), out.element) for out in results]
    b.write("^bb0(" + ", ".join(f"{name}: {kind}" for name, kind in terms + sums) + "):")
    b.depth += 1
    if loops and b.draw.random() < 0.2:
        terms.append((b.compute(f"linalg.index {b.draw.randrange(len(loops))} : index"), "index"))
    found = [write_term(b, terms, before, reads, any(reduces))
             for (_, _, reads), before in zip(outputs, sums)]  # fmt: skip
    b.write(f"linalg.yield {', '.join(found)} : {', '.join(kind for _, kind in sums)}")
    b.depth -= 1
    b.write(f"}} -> {types}" if len(results) == 1 else f"}} -> ({types})")
    b.values += results


def write_term(b, terms, before, is_read, is_sum):
    name, element = before
    x = b.convert(*b.draw.choice(terms), element)
    for _ in range(b.draw.choice((0, 1, 2))):
        x = b.change(x, element)
    if not is_read:
        return x
    words = COMBINERS[get_kind(element)]
    x = b.limit(x, element)
    if is_sum and b.draw.random() < 0.1:
        return x  # the last term
    sides = (name, x) if b.draw.random() < 0.5 else (x, name)
    return b.compute(f"arith.{b.draw.choice(words)} {', '.join(sides)} : {element}")


def add_transpose(b):
    value = b.pick(lambda v: len(v.shape) > 1)
    if value is None:
        return
    order = list(range(len(value.shape)))
    b.draw.shuffle(order)
    shape = [value.shape[i] for i in order]
    room = b.empty(shape, value.element)
    b.keep(f"linalg.transpose ins({value.name} : {value.type}) outs({room.name} : {room.type}) "
           f"permutation = {order}", shape, value.element)  # fmt: skip


def add_concatenation(b):
    value = b.pick(lambda v: v.shape and not isinstance(v.shape[-1], str) and v.shape[-1] < 40)
    if value is None:
        return
    other, axis = b.pick_alike(value), len(value.shape) - 1
    shape = (*value.shape[:-1], 2 * value.shape[-1])
    made = Value("", shape, value.element)
    b.keep(f"tensor.concat dim({axis}) {value.name}, {other.name} : ({value.type}, {other.type}) "
           f"-> {made.type}", shape, value.element)  # fmt: skip


def add_slice(b):
    """Some of the columns of each axis; all where their number is not known."""
    value = b.pick(lambda v: v.shape)
    if value is None:
        return
    places, counts, steps = [], [], []
    for size in value.shape:
        whole = isinstance(size, str) or size < 2
        step = 1 if whole else b.draw.choice((1, 1, 2))
        count = size if whole else b.draw.randint(1, (size + step - 1) // step)
        places.append(0 if whole else b.draw.randint(0, size - 1 - (count - 1) * step))
        counts.append(count)
        steps.append(step)
    made = Value("", tuple(counts), value.element)
    b.keep(f"tensor.extract_slice {value.name}{places} [{b.list_sizes(counts)}] {steps} : "
           f"{value.type} to {made.type}", counts, value.element)  # fmt: skip


def add_reshape(b):
    value = b.pick(lambda v: len(v.shape) == 2 and not isinstance(v.shape[1], str) and v.shape[1])
    if value is None:
        return
    rows, columns = value.shape
    factor = b.draw.choice([n for n in range(1, columns + 1) if columns % n == 0])
    shape = (rows, factor, columns // factor)
    made = Value("", shape, value.element)
    b.keep(f"tensor.expand_shape {value.name} [[0], [1, 2]] output_shape [{b.list_sizes(shape)}] : "
           f"{value.type} into {made.type}", shape, value.element)  # fmt: skip


def add_elementwise(b):
    value = b.pick()
    other, kind = b.pick_alike(value), get_kind(value.element)
    if b.draw.random() < 0.3:
        b.keep(f"arith.select {b.condition}, {value.name}, {other.name} : {value.type}",
               value.shape, value.element)  # fmt: skip
        return
    words = ("addf", "subf", "maximumf") if kind == "float" else ("addi", "xori", "minsi")
    word = b.draw.choice(words)
    b.keep(f"arith.{word} {value.name}, {other.name} : {value.type}", value.shape, value.element)


def add_inner(b, value, steps):
    """A region that gives a value like another one."""
    known = list(b.values)
    b.depth += 1
    for _ in range(b.draw.randrange(3)):
        b.draw.choice(steps)(b)
    b.write(f"scf.yield {b.pick_alike(value).name} : {value.type}")
    b.depth -= 1
    b.values = known


def add_branch(b):
    value, name = b.pick(), b.name()
    b.write(f"{name} = scf.if {b.condition} -> {value.type} {{")
    add_inner(b, value, FLAT_STEPS)
    b.write("} else {")
    add_inner(b, value, FLAT_STEPS)
    b.write("}")
    b.values.append(value._replace(name=name))


def add_loop(b):
    value, name, carried = b.pick(), b.name(), b.name()
    first, last, step = (b.constant("index", n) for n in (0, b.draw.randrange(4), 1))
    b.write(f"{name} = scf.for {b.name()} = {first} to {last} step {step} "
            f"iter_args({carried} = {value.name}) -> ({value.type}) {{")  # fmt: skip
    b.values.append(value._replace(name=carried))
    add_inner(b, value, FLAT_STEPS)
    b.values.pop()
    b.write("}")
    b.values.append(value._replace(name=name))


def add_call(b):
    """A call of a function that gives one of its arguments, or their sum."""
    value = b.pick(lambda v: get_kind(v.element) == "float")
    if value is None:
        return
    other, function = b.pick_alike(value), f"@f{len(b.functions)}"
    sum_of = f"  %2 = arith.addf %0, %1 : {value.type}\n"
    result = b.draw.choice(("%0", "%2"))
    b.functions.append(
        f"func.func private {function}(%0: {value.type}, %1: {value.type}) -> {value.type} "
        f"{b.draw.choice(('', 'attributes {no_inline} '))}{{\n"
        f"{sum_of if result == '%2' else ''}  return {result} : {value.type}\n}}\n"
    )
    b.keep(f"call {function}({value.name}, {other.name}) : ({value.type}, {value.type}) -> "
           f"{value.type}", value.shape, value.element)  # fmt: skip


def add_features(b):
    """An operation on the rows of the set, where the network has one."""
    value = b.pick(lambda v: len(v.shape) == 2 and v.shape[0] == "s" and v.element in FLOATS
                   and not isinstance(v.shape[1], str) and 0 < v.shape[1] < 40)  # fmt: skip
    if value is None:
        return
    channels, element = value.shape[1], value.element
    word = b.draw.choice(("conv", "conv", "pool", "gather", "global_pool"))
    if word == "conv":
        weights = b.fill((3, channels, b.draw.choice((1, 3, 16))), element, 0.125)
        made = value._replace(shape=("s", weights.shape[2]))
        text = f"conv {value.name}, {weights.name}, %map : {value.type}, {weights.type}, !map"
    elif word == "pool":
        made = value
        text = f"pool {b.draw.choice(('max', 'sum'))} {value.name}, %map : {value.type}, !map"
    elif word == "gather":
        made = value._replace(shape=("n", channels))
        text = f"gather {value.name}, %row_of : {value.type}, tensor<?xi32>"
    else:
        made = value._replace(shape=(2, channels))
        text = f"global_pool avg {value.name}, %set : {value.type}, !set"
    b.keep(f"sparseconv.{text} -> {made.type}", made.shape, element)


FLAT_STEPS = (*[add_loops] * 5, add_transpose, add_concatenation, add_slice, add_reshape,
              add_elementwise, add_elementwise)  # fmt: skip
STEPS = (*FLAT_STEPS, *[add_features] * 4, add_branch, add_loop, add_call)


def make_network(seed):
    """The text of a network, and the shapes and types of its arguments by name."""
    draw = random.Random(seed)
    b = Body(draw, "%cond")
    has_set = draw.random() < 0.5
    arguments = [
        Value("%a", ("n", draw.choice((1, 3, 8, 24))), draw.choice((*FLOATS, "i32"))),
        Value("%b", (draw.choice((8, 16)), draw.choice((2, 3, 8))),
              draw.choice(("f32", "i8", "i32"))),
    ]
    b.values += arguments
    b.sizes["n"] = "%n"
    b.write("%first = arith.constant 0 : index")
    b.write(f"%n = tensor.dim %a, %first : {arguments[0].type}")
    if has_set:
        features = Value("%x", ("n", draw.choice((1, 4, 16))), draw.choice(FLOATS))
        arguments.append(features)
        b.write("%set, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set")
        b.write("%map = sparseconv.kernel_map %set to %set offsets(box<3>) : !map")
        b.write("%s = sparseconv.size %set : !set")
        b.sizes["s"] = "%s"
        made = features._replace(shape=("s", features.shape[1]))
        b.keep(f"sparseconv.gather %x, %order : {features.type}, tensor<?xi32> -> {made.type}",
               made.shape, made.element)  # fmt: skip
    for _ in range(draw.randint(4, 14)):
        draw.choice(STEPS)(b)
    results = [b.values[-1], *draw.sample(b.values, min(len(b.values), 3))]
    b.write(f"return {list_typed(results)}")
    listed = [f'{v.name}: {v.type} {{sparseconv.name = "{v.name[1:]}"}}' for v in arguments]
    if has_set:
        listed.append('%points: tensor<?x2xi32> {sparseconv.name = "points"}')
    listed.append('%cond: i1 {sparseconv.name = "cond"}')
    types = ", ".join(value.type for value in results)
    lines = "\n".join(b.lines)
    text = f"{HEADER}func.func @main({', '.join(listed)}) -> ({types}) {{\n{lines}\n}}\n"
    return text + "".join(b.functions), arguments, has_set
