"""Arithmetic, comparisons and conversions of the emulator of NVIDIA GPUs, against numbers computed here."""

import operator
from fractions import Fraction
from itertools import product
from math import floor, inf, isfinite, isnan, nan

import numpy as np
import pytest
from emulator import NUMPY, PREFIX, TORCH, as_bits, as_numbers, context, launch, same  # noqa: F401

DIGITS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}


def compute(instruction, dtype, *inputs):
    """What an instruction makes of numbers."""
    count = len(inputs[0])
    blocks = -(-count // 64)
    arrays = [np.resize(array, 64 * blocks) for array in inputs]
    result = np.zeros(64 * blocks, dtype)
    names = [f"{PREFIX[array.itemsize]}{10 + i}" for i, array in enumerate(arrays)]
    body = ""
    for i, (array, name) in enumerate(zip(arrays, names)):
        body += f"ld.global.b{8 * array.itemsize} {name}, [%rd{20 + i}];\n"
    to = "%p1" if dtype is bool else PREFIX[result.itemsize] + "30"
    body += f"{instruction} {to}, {', '.join(names)};\n"
    if dtype is bool:
        to = "%r30"
        body += "selp.b32 %r30, 1, 0, %p1;\n"
    body += f"st.global.b{8 * result.itemsize} [%rd{20 + len(arrays)}], {to};"
    launch(body, *arrays, result, blocks=(blocks,), threads=(64,))
    return result[:count]


def cross(*values):
    return [np.ascontiguousarray(grid.ravel()) for grid in np.meshgrid(*values, indexing="ij")]


def rounded(number, kind, down=False):
    """An exact number as the nearest of a type."""
    digits, least, most = DIGITS[kind]
    if number == 0:
        return 0.0
    size = abs(number)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** (max(exponent, least) - digits + 1)
    result = (floor(number / unit) if down else round(number / unit)) * unit
    if abs(result) >= Fraction(2) ** (most + 1):
        greatest = (2 - 2.0 ** (1 - digits)) * 2.0**most
        return greatest if down and number > 0 else inf if number > 0 else -inf
    return float(result)


def edges(kind):
    """Numbers of a type: the least, the greatest, those that make ties and those that are none."""
    digits, least, most = DIGITS[kind]
    some = [0.0, 1.0, 1 + 2.0 ** (1 - digits), 1.5, 3.0, 2.0**-digits, 2.0 ** (least - digits + 1), 2.0**least,
            (2 - 2.0 ** (1 - digits)) * 2.0**most, 2.0 ** (digits // 2) + 1, 0.6640625, inf]  # fmt: skip
    return some + [-x for x in some] + [nan]


def ints(kind):
    bits = int(kind[1:])
    some = [0, 1, 2, 3, 7, 100, 0xA5A5, 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits) - 1, (1 << bits) - 7]
    return np.array(some, f"uint{bits}").view(NUMPY[kind])


def wrap(values, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    return np.array([value % (1 << bits) for value in values], f"uint{bits}").view(dtype)


def quotient(a, b):
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ALL = "s16 u16 s32 u32 s64 u64"


@pytest.mark.parametrize("name, function, kinds", [
    ("add", lambda n, a, b: a + b, ALL), ("sub", lambda n, a, b: a - b, ALL), ("mul.lo", lambda n, a, b: a * b, ALL),
    ("mul.hi", lambda n, a, b: a * b >> n, ALL), ("mad.lo", lambda n, a, b, c: a * b + c, ALL),
    ("div", lambda n, a, b: quotient(a, b), ALL), ("rem", lambda n, a, b: a - b * quotient(a, b) if b else a, ALL),
    ("min", lambda n, a, b: min(a, b), ALL), ("max", lambda n, a, b: max(a, b), ALL),
    ("and", lambda n, a, b: a & b, "b16 b32 b64"), ("or", lambda n, a, b: a | b, "b16 b32 b64"),
    ("xor", lambda n, a, b: a ^ b, "b16 b32 b64"), ("not", lambda n, a: ~a, "b16 b32 b64"),
    ("neg", lambda n, a: -a, "s16 s32 s64"), ("abs", lambda n, a: abs(a), "s16 s32 s64"),
])  # fmt: skip
def test_integers(name, function, kinds):
    for kind in kinds.split():
        inputs = cross(*[ints(kind)] * (function.__code__.co_argcount - 1))
        wanted = wrap((function(int(kind[1:]), *map(int, row)) for row in zip(*inputs)), NUMPY[kind])
        same(compute(f"{name}.{kind}", NUMPY[kind], *inputs), wanted)


def test_bytes():
    selectors = np.array([0x3210, 0x7654, 0x1054, 0xFB73, 0x8888, 0x90246], np.uint32)
    a, b, selector = cross(ints("u32"), ints("u32"), selectors)

    def permute(a, b, selector):
        numbers = (b << 32 | a).to_bytes(8, "little")
        chosen = [(numbers[c & 7], c & 8) for c in (selector >> 4 * i & 15 for i in range(4))]
        return int.from_bytes(bytes((0xFF if n & 0x80 else 0) if sign else n for n, sign in chosen), "little")

    same(compute("prmt.b32", np.uint32, a, b, selector), [permute(*map(int, row)) for row in zip(a, b, selector)])


@pytest.mark.parametrize("kind, wide", [("s16", "s32"), ("u16", "u32"), ("s32", "s64"), ("u32", "u64")])
def test_wide_products(kind, wide):
    a, b, c = cross(ints(kind), ints(kind), ints(wide))
    products = [int(x) * int(y) for x, y in zip(a, b)]
    dtype = NUMPY[wide]
    same(compute(f"mul.wide.{kind}", dtype, a, b), wrap(products, dtype))
    sums = [x + int(y) for x, y in zip(products, c)]
    same(compute(f"mad.wide.{kind}", dtype, a, b, c), wrap(sums, dtype))


def extract(a, first, length, bits, signed):
    """The definition of bfe."""
    sign = a >> min(first + length - 1, bits - 1) & 1 if signed and length else 0
    return sum((a >> first + i & 1 if i < length and first + i < bits else sign) << i for i in range(bits))


@pytest.mark.parametrize("kind", ALL.split())
def test_bits(kind):
    bits, dtype = int(kind[1:]), NUMPY[kind]
    a, by = cross(ints(kind), np.array([0, 1, 5, bits - 1, bits, bits + 1, 255, 2**32 - 1], np.uint32))
    rows = [(int(x), int(y)) for x, y in zip(a, by)]
    same(compute(f"shl.b{bits}", dtype, a, by), wrap((x << min(y, 64) for x, y in rows), dtype))
    same(compute(f"shr.{kind}", dtype, a, by), wrap((x >> min(y, 64) for x, y in rows), dtype))
    if bits == 16:
        return
    unsigned = [int(x) % (1 << bits) for x in ints(kind)]
    same(compute(f"popc.b{bits}", np.uint32, ints(kind)), [x.bit_count() for x in unsigned])
    same(compute(f"clz.b{bits}", np.uint32, ints(kind)), [bits - x.bit_length() for x in unsigned])
    places = np.array([0, 1, 8, bits - 1, bits, bits + 3, 255, 256], np.uint32)
    a, first, length = cross(ints(kind), places, places)
    wanted = [extract(int(x) % (1 << bits), int(y) & 255, int(z) & 255, bits, kind[0] == "s")
              for x, y, z in zip(a, first, length)]  # fmt: skip
    same(compute(f"bfe.{kind}", dtype, a, first, length), wrap(wanted, dtype))


def exactly(function, kind, *row):
    """A function of exact numbers, rounded; with what is no number, of floats."""
    try:
        return function(*row) if not all(map(isfinite, row)) else rounded(function(*map(Fraction, row)), kind)
    except ZeroDivisionError:
        return nan if row[0] == 0 or isnan(row[0]) else inf * np.copysign(1, row[0]) * np.copysign(1, row[1])


FLOATS = {"add.rn": operator.add, "sub.rn": operator.sub, "mul.rn": operator.mul, "neg": operator.neg, "abs": abs,
          "fma.rn": lambda a, b, c: a * b + c, "div.rn": lambda a, b: a / b}  # fmt: skip
ARITY = {"neg": 1, "abs": 1, "fma.rn": 3}


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("name", list(FLOATS))
def test_floats(name, kind):
    if name == "div.rn" and "16" in kind:
        return
    values = edges(kind) if ARITY.get(name) != 3 else [x for x in edges(kind) if isfinite(x) and abs(x) != 1.5]
    rows = list(product(values, repeat=ARITY.get(name, 2)))
    if name == "fma.rn":  # what two roundings get wrong
        digits = DIGITS[kind][0] - 1
        one = 1 + 2.0**-digits
        rows += [(one, one, -1.0), (1.0, one, 2.0 ** (-digits - 1))]
        rows += [(one, 1.5, sign * 2.0 ** DIGITS[kind][1]) for sign in (1, -1)]
    inputs = [as_bits(column, kind) for column in zip(*rows)]
    wanted = np.array([exactly(FLOATS[name], kind, *row) for row in rows])
    same(as_numbers(compute(f"{name}.{kind}", NUMPY[kind], *inputs), kind), wanted)
    if "16" in kind and name != "abs":
        pairs = [np.stack([array, np.roll(array, 1)], 1).view(np.uint32).ravel() for array in inputs]
        both = as_numbers(compute(f"{name}.{kind}x2", np.uint32, *pairs).view(np.uint16), kind)
        same(both[::2], wanted)
        same(both[1::2], np.roll(wanted, 1))


def test_fma_down():
    values = [x for x in edges("f32") if isfinite(x)] + [2.0**-60, -(2.0**-60)]
    rows = list(product(values, repeat=3))
    wanted = [rounded(Fraction(a) * Fraction(b) + Fraction(c), "f32", down=True) for a, b, c in rows]
    got = compute("fma.rm.f32", np.float32, *[as_bits(column, "f32") for column in zip(*rows)])
    same(got, wanted)
    assert np.signbit(compute("fma.rm.f32", np.float32, *np.float32([[1], [1], [-1]])))[0]


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_functions(kind):
    values = as_bits(edges(kind), kind)
    with np.errstate(all="ignore"):
        same(compute(f"rcp.rn.{kind}", NUMPY[kind], values), 1 / values)
        same(compute(f"sqrt.rn.{kind}", NUMPY[kind], values), np.sqrt(values))
        same(compute(f"rsqrt.approx.{kind}", NUMPY[kind], values), 1 / np.sqrt(values))
    a, b = cross(values, values)
    wanted = np.copysign(b, a)
    got = compute(f"copysign.{kind}", NUMPY[kind], a, b)
    same(got, wanted)
    same(np.signbit(got), np.signbit(wanted))


def extreme(pick, a, b, gives_nan):
    if isnan(a) or isnan(b):
        return nan if gives_nan or isnan(a) and isnan(b) else b if isnan(a) else a
    return pick((a, b), key=lambda x: (x, np.copysign(1, x)))


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("name", ["min", "max", "min.NaN", "max.NaN"])
def test_extremes(name, kind):
    if (name[3:], kind) == (".NaN", "f64"):
        return
    rows = list(product([0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 2.0 ** DIGITS[kind][1]], repeat=2))
    got = as_numbers(compute(f"{name}.{kind}", NUMPY[kind], *[as_bits(x, kind) for x in zip(*rows)]), kind)
    wanted = np.array([extreme({"min": min, "max": max}[name[:3]], a, b, len(name) > 3) for a, b in rows])
    same(got, wanted)
    valid = ~np.isnan(wanted)
    same(np.signbit(got[valid]), np.signbit(wanted[valid]))


COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_comparisons_of_floats(kind):
    rows = list(product([0.0, -0.0, 1.0, -1.0, inf, nan], repeat=2))
    inputs = [as_bits(column, kind) for column in zip(*rows)]
    some_nan = [isnan(a) or isnan(b) for a, b in rows]
    wanted = {name: [f(a, b) and not n for (a, b), n in zip(rows, some_nan)] for name, f in COMPARISONS.items()}
    wanted |= {f"{name}u": [x or n for x, n in zip(wanted[name], some_nan)] for name in COMPARISONS}
    wanted |= {"nan": some_nan, "num": [not n for n in some_nan]}
    for name, results in wanted.items():
        same(compute(f"setp.{name}.{kind}", bool, *inputs), results, name)
    if "16" in kind:
        low, high = np.zeros(len(rows), np.uint32), np.zeros(len(rows), np.uint32)
        pairs = [np.stack([array, np.roll(array, 1)], 1).view(np.uint32).ravel() for array in inputs]
        body = f"""ld.global.b32 %r10, [%rd20]; ld.global.b32 %r11, [%rd21];
            setp.gt.{kind}x2 %p1|%p2, %r10, %r11; selp.b32 %r12, 1, 0, %p1; selp.b32 %r13, 1, 0, %p2;
            st.global.b32 [%rd22], %r12; st.global.b32 [%rd23], %r13;"""
        launch(body, *pairs, low, high, threads=(len(rows),))
        same(low, wanted["gt"])
        same(high, np.roll(wanted["gt"], 1))


@pytest.mark.parametrize("kind", ALL.split())
def test_comparisons_of_integers(kind):
    a, b = cross(ints(kind), ints(kind))
    for name, function in COMPARISONS.items():
        same(compute(f"setp.{name}.{kind}", bool, a, b), function(a, b), name)


def test_predicates():
    got = np.zeros((32, 4), np.uint16)
    body = """and.b32 %r10, %r0, 1; and.b32 %r11, %r0, 2; setp.ne.b32 %p1, %r10, 0; setp.ne.b32 %p2, %r11, 0;
        and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2; xor.pred %p5, %p1, %p2; not.pred %p6, %p1; mov.pred %p7, %p6;
        mov.pred %p8, -1; @%p1 mov.pred %p8, 0;
        selp.b16 %rs1, 1, 0, %p3; selp.b16 %rs2, 1, 0, %p4; selp.b16 %rs3, 1, 0, %p5; selp.b16 %rs4, 1, 0, %p7;
        @!%p8 mov.b16 %rs4, 5;
        mul.wide.u32 %rd10, %r0, 8; add.s64 %rd11, %rd0, %rd10; st.global.v4.b16 [%rd11], {%rs1, %rs2, %rs3, %rs4};"""
    launch(body, got)
    a, b = np.arange(32) & 1, np.arange(32) >> 1 & 1
    same(got, np.stack([a & b, a | b, a ^ b, np.where(a, 5, 1)], 1))


@pytest.mark.parametrize(
    "source, to", [("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16"), ("f64", "bf16")]
)
def test_narrower_floats(source, to):
    digits, least, most = DIGITS[to]
    units = [Fraction(2) ** (e - digits + 1) for e in (least, least, 0, most)]
    starts = [Fraction(0), Fraction(2) ** least, Fraction(1), (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** most]
    near = Fraction(2) ** (digits + 1 - DIGITS[source][0])
    steps = [0, Fraction(1, 2), Fraction(1, 2) + near, Fraction(1, 2) - near, 1, Fraction(3, 2), 3]
    values = [float(start + unit * step) for start, unit in zip(starts, units) for step in steps]
    values = [x for v in values for x in (v, -v)] + [1e-40, 2.0**-149, inf, -inf, nan]
    inputs = as_bits(values, source)
    exact = as_numbers(inputs, source)
    wanted = [rounded(Fraction(x), to) if isfinite(x) else x for x in exact]
    same(as_numbers(compute(f"cvt.rn.{to}.{source}", NUMPY[to], inputs), to), wanted)
    if source == "f32":
        both = compute(f"cvt.rn.{to}x2.f32", np.uint32, inputs, np.roll(inputs, 1)).view(np.uint16)
        same(as_numbers(both[1::2], to), wanted)  # the first is the upper half
        same(as_numbers(both[::2], to), np.roll(wanted, 1))


def test_other_floats():
    for source, to in [*product(["f16", "bf16"], ["f32", "f64"]), ("f32", "f64")]:
        inputs = as_bits(edges(source), source)
        same(compute(f"cvt.{to}.{source}", NUMPY[to], inputs), edges(source))
    for kind in ("f32", "f64"):
        values = as_bits([0.5, 1.5, 2.5, -0.5, -1.5, -2.7, 2.7, 1e30, inf, nan, 0.25, -0.0, 1.0, 7.0], kind)
        for name, function in {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}.items():
            same(compute(f"cvt.{name}.{kind}.{kind}", NUMPY[kind], values), function(values))
        clipped = np.where(np.isnan(values), 0, np.clip(values, 0, 1))
        same(compute(f"cvt.sat.{kind}.{kind}", NUMPY[kind], values), clipped)
    rows = {0x3F800FFF: 0x3F800000, 0x3F801000: 0x3F802000, 0x3F802FFF: 0x3F802000, 0x3F803000: 0x3F804000,
            0xBF801000: 0xBF802000, 0x7F7FFFFF: 0x7F800000, 0x7F800000: 0x7F800000, 0x1000: 0x2000,
            0xFFF: 0}  # fmt: skip
    bits, wanted = np.array(list(rows), np.uint32), list(rows.values())
    same(compute("cvt.rna.tf32.f32", np.uint32, bits), wanted)


@pytest.mark.parametrize("kind", ALL.split())
def test_integers_and_floats(kind):
    limits = np.iinfo(NUMPY[kind])
    for source in TORCH:
        some = [0.0, 0.99, -0.99, 1.5, -1.5, 300.7, 65504.0, inf, -inf, nan]
        some += [sign * 2.0**power for sign in (1, -1) for power in (15, 31, 32, 63, 64)]
        inputs = as_bits(some, source)
        none = 1 << limits.bits - 1 if source == "f64" or limits.bits == 64 else 0
        wanted = [none if isnan(x) else min(max(int(x), limits.min), limits.max) if isfinite(x)
                  else limits.max if x > 0 else limits.min for x in as_numbers(inputs, source)]  # fmt: skip
        same(compute(f"cvt.rzi.{kind}.{source}", NUMPY[kind], inputs), wrap(wanted, NUMPY[kind]))
        halves = as_bits([0.5, 1.5, 2.5, -0.5, -1.5, 2.7, -2.7, 100.5], source)
        wanted = [min(max(round(x), limits.min), limits.max) for x in as_numbers(halves, source)]
        same(compute(f"cvt.rni.{kind}.{source}", NUMPY[kind], halves), wrap(wanted, NUMPY[kind]))
        ties = np.array([2**24 + 1, 2**24 + 3, 2**53 + 1, 2**63 - 1, 2049, 2051]).astype(NUMPY[kind])
        numbers = np.append(ints(kind), ties)
        wanted = [rounded(Fraction(int(x)), source) for x in numbers]
        got = as_numbers(compute(f"cvt.rn.{source}.{kind}", NUMPY[source], numbers), source)
        same(got, wanted)
    for to in ALL.split():
        if to != kind:
            same(compute(f"cvt.{to}.{kind}", NUMPY[to], ints(kind)), wrap(map(int, ints(kind)), NUMPY[to]))


def test_sums_towards_zero():
    generator = np.random.default_rng(0)
    a, b, c = (generator.choice([-1, 1], 4096) * np.exp2(generator.uniform(-30, 30, 4096)) for _ in range(3))
    a, b, c = (np.append(array, [1, -1, 3]).astype(np.float32) for array in (a, b, c))
    b[-3:] = np.float32([-(2.0**-60), 2.0**-60, -3])
    exact = [[Fraction(float(x)) for x in array] for array in (a, b, c)]
    for name, inputs, sums in (("add", (a, b), [x + y for x, y, _ in zip(*exact)]),
                               ("sub", (a, b), [x - y for x, y, _ in zip(*exact)]),
                               ("fma", (a, b, c), [x * y + z for x, y, z in zip(*exact)])):  # fmt: skip
        wanted = [rounded(abs(x), "f32", down=True) * (1 if x > 0 else -1) for x in sums]
        same(compute(f"{name}.rz.f32", np.float32, *inputs), np.float32(wanted))


def test_carries():
    """Products of 64 bits with 32, as what reduces the argument of a sine has them."""
    generator = np.random.default_rng(0)
    low, high, factor, extra = (generator.integers(1 << 32, size=256, dtype=np.uint32) for _ in range(4))
    results = [np.zeros(256, np.uint32) for _ in range(3)]
    body = """ld.global.b32 %r10, [%rd20]; ld.global.b32 %r11, [%rd21]; ld.global.b32 %r12, [%rd22];
        ld.global.b32 %r13, [%rd23]; mad.lo.cc.u32 %r14, %r10, %r12, %r13; madc.hi.u32 %r15, %r10, %r12, 0;
        mad.lo.cc.u32 %r16, %r11, %r12, %r15; madc.hi.cc.u32 %r17, %r11, %r12, 0;
        st.global.b32 [%rd24], %r14; st.global.b32 [%rd25], %r16; st.global.b32 [%rd26], %r17;"""
    launch(body, low, high, factor, extra, *results, blocks=(4,), threads=(64,))
    for i, (a, b, c, d) in enumerate(zip(*(map(int, array) for array in (low, high, factor, extra)))):
        assert (b << 32 | a) * c + d == sum(int(part[i]) << 32 * k for k, part in enumerate(results))
    sums, rests = ([np.zeros(256, np.uint32) for _ in range(2)] for _ in range(2))
    body = """ld.global.b32 %r10, [%rd20]; ld.global.b32 %r11, [%rd21]; ld.global.b32 %r12, [%rd22];
        ld.global.b32 %r13, [%rd23]; add.cc.u32 %r14, %r10, %r12; addc.u32 %r15, %r11, %r13;
        sub.cc.u32 %r16, %r10, %r12; subc.u32 %r17, %r11, %r13; st.global.b32 [%rd24], %r14;
        st.global.b32 [%rd25], %r15; st.global.b32 [%rd26], %r16; st.global.b32 [%rd27], %r17;"""
    launch(body, low, high, factor, extra, *sums, *rests, blocks=(4,), threads=(64,))
    first, second = (np.uint64(high) << 32 | low), (np.uint64(extra) << 32 | factor)
    same(np.uint64(sums[1]) << 32 | sums[0], first + second)
    same(np.uint64(rests[1]) << 32 | rests[0], first - second)
    counts = np.arange(256, dtype=np.uint32)
    wanted = [((int(h) << 32 | int(w)) << (int(n) & 31)) >> 32 & 0xFFFFFFFF for w, h, n in zip(low, high, counts)]
    same(compute("shf.l.wrap.b32", np.uint32, low, high, counts), wanted)


def test_approximations():
    powers = np.random.default_rng(0).uniform(-126, 127, 4096).astype(np.float32)
    got, exact = compute("ex2.approx.ftz.f32", np.float32, powers), np.exp2(powers.astype(np.float64))
    errors = np.abs(got - exact) / np.spacing(exact.astype(np.float32))
    assert 0.5 < errors.max() < 3
    whole = np.array([*range(-150, 151), inf, -inf], np.float32)
    with np.errstate(over="ignore"):  # NumPy's own in float32 is not exact on every processor
        wanted = np.where(whole < -126, 0, np.exp2(whole.astype(np.float64)).astype(np.float32))
    same(compute("ex2.approx.ftz.f32", np.float32, whole), wanted)
    low = np.array([-126.5, -140.25, -149, -200], np.float32)
    got = compute("ex2.approx.f32", np.float32, low)
    assert np.abs(got - np.exp2(low.astype(np.float64))).max() <= 2.0**-148 and got[2] == 2.0**-149
    same(compute("ex2.approx.ftz.f32", np.float32, low), [0, 0, 0, 0])
    single = np.array([3, -7e30, 1e-40, inf, 1.7e38, 0.1], np.float32)
    same(compute("rcp.approx.ftz.f32", np.float32, single)[[0, 2, 3, 4]], np.float32([1 / 3, inf, 0, 0]))
    same(compute("sqrt.approx.f32", np.float32, abs(single)), np.sqrt(abs(single)))
    same(compute("div.approx.f32", np.float32, single[:2], single[-2:]), single[:2] / single[-2:])
    values = np.array([3.0, -7e100, 1e-300, 5e-324, inf, 1.7e308])
    got = compute("rcp.approx.ftz.f64", np.float64, values)
    np.testing.assert_allclose(got[:3], 1 / values[:3], rtol=2e-6)
    same(got[3:], [inf, 0, 0])
    assert not (got.view(np.uint64) & 0xFFFFFFFF).any()
