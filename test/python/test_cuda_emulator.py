"""The emulator of NVIDIA GPUs that other tests run kernels on: instructions of PTX against numbers computed here."""

import ctypes
import json
import operator
from fractions import Fraction
from itertools import product
from math import floor, inf, isfinite, isnan, nan
from pathlib import Path

import numpy as np
import pytest
import torch

same = np.testing.assert_array_equal
LIBRARY = ctypes.CDLL(str(Path(__file__).resolve().parents[2] / "build/lib/rgnn_cuda_emulator.so"))
HEADER = ".version 8.1\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .pred %p<20>; .reg .b16 %rs<40>; .reg .b32 %r<60>; .reg .b64 %rd<60>;\n"
PREFIX = {1: "%r", 2: "%rs", 4: "%r", 8: "%rd"}
TORCH = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
DIGITS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.uint16, "bf16": np.uint16,
         **{f"{kind}{bits}": np.dtype(f"{'int' if kind == 's' else 'uint'}{bits}").type
            for kind in "sub" for bits in (8, 16, 32, 64)}}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def context():
    context = ctypes.c_void_p()
    assert LIBRARY.cuInit(0) == LIBRARY.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert LIBRARY.cuCtxPushCurrent_v2(context) == 0
    yield
    assert LIBRARY.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0


def load(text: str) -> ctypes.c_void_p:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert LIBRARY.cuModuleLoadData(ctypes.byref(module), text.encode()) == 0
    assert LIBRARY.cuModuleGetFunction(ctypes.byref(function), module, b"kernel") == 0
    return function


def in_kernel(body: str, sizes: tuple = (), top: str = "", limit: int = 1024) -> str:
    """A module with a kernel whose %rd<i> is parameter i, and %rd<20+i> where the thread's item is in that array."""
    parameters = ",\n".join(f".param .u64 kernel_param_{i}" for i in range(len(sizes)))
    prologue = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r3, %r1, %r2, %r0;\n"
    for i, size in enumerate(sizes):
        prologue += f"ld.param.b64 %rd{i}, [kernel_param_{i}];\n"
        prologue += f"mul.wide.u32 %rd50, %r3, {size};\nadd.s64 %rd{20 + i}, %rd{i}, %rd50;\n"
    head = f".visible .entry kernel({parameters})\n.maxntid {limit}, 1, 1"
    return f"{HEADER}{top}\n{head}\n{{\n{REGISTERS}{prologue}{body}\nret;\n}}\n"


def start(function, arguments, blocks=(1,), threads=(32,), shared=0) -> int:
    sizes = [*blocks, 1, 1][:3] + [*threads, 1, 1][:3]
    pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    return LIBRARY.cuLaunchKernel(function, *sizes, shared, None, pointers, None)


def launch(body, *arrays, top="", limit=1024, result=0, **sizes):
    """Runs a kernel on arrays."""
    function = load(in_kernel(body, [array.itemsize for array in arrays], top, limit))
    assert start(function, [ctypes.c_uint64(array.ctypes.data) for array in arrays], **sizes) == result


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


def as_bits(values, kind):
    """Numbers of Python as an array of some type, which all of them are in."""
    numbers = torch.tensor(values, dtype=torch.float64).to(TORCH[kind])
    return (numbers.view(torch.int16) if "16" in kind else numbers).numpy().view(NUMPY[kind])


def as_numbers(array, kind):
    signed = array.view(f"int{8 * array.itemsize}")
    return torch.from_numpy(signed).view(TORCH[kind]).double().numpy()


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
        for name, function in {"rni": np.rint, "rmi": np.floor, "rzi": np.trunc}.items():
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
        ties = np.array([2**24 + 1, 2**24 + 3, 2**53 + 1, 2**63 - 1, 2049, 2051]).astype(NUMPY[kind])
        numbers = np.append(ints(kind), ties)
        wanted = [rounded(Fraction(int(x)), source) for x in numbers]
        got = as_numbers(compute(f"cvt.rn.{source}.{kind}", NUMPY[source], numbers), source)
        same(got, wanted)
    for to in ALL.split():
        if to != kind:
            same(compute(f"cvt.{to}.{kind}", NUMPY[to], ints(kind)), wrap(map(int, ints(kind)), NUMPY[to]))


def test_approximations():
    powers = np.random.default_rng(0).uniform(-126, 127, 4096).astype(np.float32)
    got, exact = compute("ex2.approx.ftz.f32", np.float32, powers), np.exp2(powers.astype(np.float64))
    errors = np.abs(got - exact) / np.spacing(exact.astype(np.float32))
    assert 0.5 < errors.max() < 3
    whole = np.array([*range(-150, 151), inf, -inf], np.float32)
    with np.errstate(over="ignore"):
        wanted = np.where(whole < -126, 0, np.exp2(whole))
    same(compute("ex2.approx.ftz.f32", np.float32, whole), wanted)
    values = np.array([3.0, -7e100, 1e-300, 5e-324, inf, 1.7e308])
    got = compute("rcp.approx.ftz.f64", np.float64, values)
    np.testing.assert_allclose(got[:3], 1 / values[:3], rtol=2e-6)
    same(got[3:], [inf, 0, 0])
    assert not (got.view(np.uint64) & 0xFFFFFFFF).any()


def test_vectors():
    words, doubles = np.arange(128, dtype=np.uint32), np.arange(64, dtype=np.float64)
    got, got_doubles = np.zeros_like(words), np.zeros_like(doubles)
    body = """.shared .align 16 .b8 space[512];
        mul.wide.u32 %rd10, %r0, 16; add.s64 %rd11, %rd0, %rd10; add.s64 %rd12, %rd1, %rd10;
        add.s64 %rd13, %rd2, %rd10; add.s64 %rd14, %rd3, %rd10; mov.b64 %rd15, space; add.s64 %rd16, %rd15, %rd10;
        ld.global.nc.v4.b32 {%r10, %r11, %r12, %r13}, [%rd11]; ld.global.v2.b64 {%rd30, %rd31}, [%rd12];
        st.shared.v4.b32 [%rd16], {%r13, %r12, 7, %r10}; ld.shared.v2.b32 {%r14, %r15}, [%rd16];
        add.s64 %rd17, %rd16, 16; ld.shared.v2.b32 {_, %r16}, [%rd17+-8]; ld.shared.b32 %r17, [%rd17+-8];
        st.global.v2.b32 [%rd13], {%r14, %r15}; st.global.b32 [%rd13+8], %r16; st.global.b32 [%rd13+12], %r17;
        st.global.v2.b64 [%rd14], {%rd31, %rd30};"""
    launch(body, words, doubles, got, got_doubles)
    words, got = words.reshape(-1, 4), got.reshape(-1, 4)
    same(got[:, [0, 1, 2]], words[:, [3, 2, 0]])
    assert (got[:, 3] == 7).all()
    same(got_doubles.reshape(-1, 2), doubles.reshape(-1, 2)[:, ::-1])


@pytest.mark.parametrize("kind, size", [
    ("b8", 2), ("u8", 4), ("s8", 2), ("s8", 8), ("u16", 4), ("s16", 8), ("b32", 8), ("s32", 8),
])  # fmt: skip
def test_narrow_types(kind, size):
    numbers = np.arange(-16, 16).astype(NUMPY[kind])
    wide, back, register = np.zeros(32, f"int{8 * size}"), np.zeros_like(numbers), PREFIX[size] + "10"
    body = f"ld.global.{kind} {register}, [%rd20]; st.global.b{8 * size} [%rd21], {register};"
    body += f"st.global.{kind.replace('s', 'u')} [%rd22], {register};"
    launch(body, numbers, wide, back)
    same(wide, numbers.astype(wide.dtype))
    same(back, numbers)


def test_halves_of_registers():
    numbers = np.random.default_rng(0).integers(0, 2**63, 32, np.uint64)
    got = np.zeros_like(numbers)
    body = """ld.global.b64 %rd10, [%rd20]; mov.b64 {%r10, %r11}, %rd10; mov.b32 {%rs1, %rs2}, %r10;
        mov.b32 %r12, {%rs2, %rs1}; mov.b64 %rd11, {%r11, %r12}; st.global.b64 [%rd21], %rd11;"""
    launch(body, numbers, got)
    low, high = numbers & 0xFFFFFFFF, numbers >> np.uint64(32)
    same(got, high | ((low >> np.uint64(16) | low << np.uint64(16)) & 0xFFFFFFFF) << np.uint64(32))


SHARED = """.shared .align 4 .b8 fixed[20];
    mov.b64 %rd10, dynamic; mov.b64 %rd11, fixed; mul.wide.u32 %rd12, %r0, 4; add.s64 %rd13, %rd10, %rd12;
    add.s64 %rd14, %rd11, %rd12; setp.lt.u32 %p1, %r0, 5; ld.shared.b32 %r10, [%rd13];
    st.shared.b32 [%rd13], %r0; @%p1 st.shared.b32 [%rd14], -1; ld.shared.b32 %r11, [%rd13];
    st.global.b32 [%rd20], %r10; st.global.b32 [%rd21], %r11;"""
DYNAMIC = ".extern .shared .align 16 .b8 dynamic[];"


def test_dynamic_shared_memory(capfd):
    before, after = np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    launch(SHARED, before, after, top=DYNAMIC, shared=128)
    assert (before == 2**32 - 1).all()  # nobody wrote to it
    same(after, np.arange(32))
    launch(SHARED, before, after, top=DYNAMIC, shared=124, result=719)
    assert "shared memory" in capfd.readouterr().err


def test_tables():
    numbers = np.array([1, -2, 300, 2**31 - 1], np.int32)
    bytes_of = ", ".join(map(str, numbers.view(np.uint8)))
    top = f".global .align 4 .b8 table[20] = {{{bytes_of}}};\n.global .align 8 .b64 other[2] = {{5, -6}};"
    got, rest = np.zeros(4, np.int32), np.zeros(4, np.int64)
    body = """mov.b64 %rd10, table; cvta.global.u64 %rd15, %rd10; cvta.to.global.u64 %rd10, %rd15;
        mul.wide.u32 %rd11, %r0, 4; add.s64 %rd12, %rd10, %rd11; ld.global.b32 %r10, [%rd12];
        ld.global.b32 %r11, [table+16]; add.s32 %r10, %r10, %r11; st.global.b32 [%rd20], %r10;
        ld.global.b64 %rd13, [other+8]; st.global.b64 [%rd21], %rd13;"""
    launch(body, got, rest, top=top, threads=(4,))
    same(got, numbers)
    assert (rest == -6).all()


def test_many_parameters():
    """More than 4 KB of them, each at a multiple of its size."""
    types = [ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint16, ctypes.c_uint32] * 256
    sizes = [ctypes.sizeof(kind) for kind in types]
    result = np.zeros(len(types), np.uint64)
    declared = ", ".join(f".param .b{8 * size} p{i}" for i, size in enumerate(sizes))
    body = "ld.param.b64 %rd0, [to];\n"
    for i, size in enumerate(sizes):
        body += f"ld.param.b{8 * size} {PREFIX[size]}1, [p{i}];\n"
        body += f"cvt.u64.u{8 * size} %rd1, {PREFIX[size]}1;\n" if size < 8 else ""
        body += f"st.global.b64 [%rd0+{8 * i}], %rd1;\n"
    function = load(f"{HEADER}.visible .entry kernel({declared}, .param .u64 to)\n{{{REGISTERS}{body}ret;\n}}")
    values = [kind(3 + 60 * i) for i, kind in enumerate(types)]
    assert start(function, [*values, ctypes.c_uint64(result.ctypes.data)], threads=(1,)) == 0
    same(result, [value.value for value in values])


def shuffled(mode, lane, by, limits):
    """The definition of shfl.sync: the lane that is read, and the predicate."""
    segment, clamp = limits >> 8 & 31, limits & 31
    least, most = lane & segment, lane & segment | clamp & ~segment
    source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": least | by & ~segment}[mode]
    found = source >= most if mode == "up" else source <= most
    return (source if found else lane), found


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles(mode):
    lanes = np.arange(32, dtype=np.uint32)
    clamps = [31, 0, 11] if mode != "up" else [0]
    for by, segment, clamp in product([0, 1, 3, 16, 31], [0, 0x10, 0x18, 0x1C, 0x1E], clamps):
        values, found = np.zeros(32, np.uint32), np.zeros(32, np.uint32)
        body = f"""mul.lo.s32 %r10, %r0, 3; shfl.sync.{mode}.b32 %r11|%p1, %r10, {by}, {segment << 8 | clamp}, -1;
            selp.b32 %r12, 1, 0, %p1; st.global.b32 [%rd20], %r11; st.global.b32 [%rd21], %r12;"""
        launch(body, values, found)
        wanted = np.array([shuffled(mode, int(lane), by, segment << 8 | clamp) for lane in lanes])
        same(values, 3 * wanted[:, 0])
        same(found, wanted[:, 1])


def test_shuffles_of_some_lanes():
    values = np.zeros(32, np.uint32)
    body = """setp.lt.u32 %p1, %r0, 8; @%p1 bra $L__some; shfl.sync.idx.b32 %r10, %r0, 9, 31, 0xFFFFFF00;
        bra.uni $L__end; $L__some: xor.b32 %r11, %r0, 1; shfl.sync.idx.b32 %r10, %r0, %r11, 31, 255;
        $L__end: st.global.b32 [%rd20], %r10;"""
    launch(body, values)
    same(values, [lane ^ 1 if lane < 8 else 9 for lane in range(32)])


@pytest.mark.parametrize("m, k, kind", [
    (16, 8, "tf32"), (16, 8, "f16"), (16, 8, "bf16"), (16, 16, "f16"), (16, 16, "bf16"), (8, 4, "f64"),
])  # fmt: skip
def test_products_of_matrices(m, k, kind):
    """Which lane has which number is written down as in the PTX ISA."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-9, 10, shape).astype(np.float64) for shape in [(m, k), (k, 8), (m, 8)])
    sum_kind = "f64" if kind == "f64" else "f32"
    lane = np.arange(32)[:, None]
    group, thread = lane // 4, lane % 4
    if "16" in kind:
        i = np.arange(m * k // 32)
        parts_a = a[group + 8 * (i // 2 % 2), 2 * thread + i % 2 + 8 * (i // 4)]
        i = np.arange(k // 4)
        parts_b = b[2 * thread + i % 2 + 8 * (i // 2), group]
    else:
        i = np.arange(m * k // 32)
        parts_a = a[group + 8 * (i % 2), thread + 4 * (i // 2)]
        i = np.arange(k // 4)
        parts_b = b[thread + 4 * i, group]
    i = np.arange(m // 4)
    rows, columns = group + 8 * (i // 2), 2 * thread + i % 2
    element, size = ("f32" if kind == "tf32" else kind), 8 if kind == "f64" else 4
    lists, arrays, body, register = [], [], "", 10
    for j, (parts, type_) in enumerate([(parts_a, element), (parts_b, element), (c[rows, columns], sum_kind)]):
        arrays.append(np.ascontiguousarray(as_bits(np.ascontiguousarray(parts), type_)).view(NUMPY[f"u{8 * size}"]))
        count = arrays[-1].shape[1]
        lists.append([f"{PREFIX[size]}{register + x}" for x in range(count)])
        body += f"mul.wide.u32 %rd40, %r0, {size * count}; add.s64 %rd41, %rd{j}, %rd40;\n"
        body += "".join(f"ld.global.b{8 * size} {name}, [%rd41+{size * x}];\n" for x, name in enumerate(lists[-1]))
        register += count
    texts = ["{" + ", ".join(names) + "}" for names in lists]
    body += f"mma.sync.aligned.m{m}n8k{k}.row.col.{sum_kind}.{kind}.{kind}.{sum_kind} {texts[2]}, {', '.join(texts)};\n"
    body += f"mul.wide.u32 %rd40, %r0, {size * m // 4}; add.s64 %rd41, %rd3, %rd40;\n"
    body += "".join(f"st.global.b{8 * size} [%rd41+{size * x}], {name};\n" for x, name in enumerate(lists[2]))
    got, result = np.zeros((32, m // 4), NUMPY[sum_kind]), np.zeros((m, 8))
    launch(body, *arrays, got)
    result[rows, columns] = got
    same(result, a @ b + c)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_matrices_of_shared_memory(count, trans):
    matrices = np.arange(256, dtype=np.uint16).reshape(4, 8, 8)
    order = np.random.default_rng(0).permutation(32).astype(np.uint64)  # where the rows lie
    places, got = order * 16, np.zeros((32, 4), np.uint32)
    names = ", ".join(f"%r{14 + i}" for i in range(count))
    body = f""".shared .align 16 .b8 space[512];
        mul.wide.u32 %rd10, %r0, 16; add.s64 %rd11, %rd0, %rd10; ld.global.v4.b32 {{%r10, %r11, %r12, %r13}}, [%rd11];
        mov.b64 %rd12, space; ld.global.b64 %rd13, [%rd21]; add.s64 %rd14, %rd12, %rd13;
        st.shared.v4.b32 [%rd14], {{%r10, %r11, %r12, %r13}}; bar.sync 0;
        ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%rd14];
        add.s64 %rd15, %rd2, %rd10; st.global.v4.b32 [%rd15], {{%r14, %r15, %r16, %r17}};"""
    launch(body, matrices, places, got)
    lane = np.arange(32)
    for i in range(count):
        matrix = matrices[i].T if trans else matrices[i]
        pairs = np.stack([got[:, i] & 0xFFFF, got[:, i] >> 16], 1)
        same(pairs, matrix[lane[:, None] // 4, 2 * (lane[:, None] % 4) + [0, 1]])


COPIES = """.shared .align 16 .b8 space[1024]; mov.b64 %rd10, space; mul.wide.u32 %rd11, %r0, 32;
    add.s64 %rd12, %rd10, %rd11; st.shared.v4.b32 [%rd12], {9, 9, 9, 9};
    st.shared.v4.b32 [%rd12+16], {9, 9, 9, 9}; and.b32 %r20, %r0, 15;
    cp.async.ca.shared.global [%rd12], [%rd20], 4; cp.async.commit_group;
    cp.async.cg.shared.global [%rd12+16], [%rd1], 16, %r20; cp.async.commit_group;
    ld.shared.b32 %r10, [%rd12]; cp.async.wait_group 1; ld.shared.b32 %r11, [%rd12]; ld.shared.b32 %r12, [%rd12+28];
    cp.async.wait_group 0; ld.shared.v4.b32 {%r13, %r14, %r15, %r16}, [%rd12+16];
    mul.wide.u32 %rd13, %r0, 32; add.s64 %rd13, %rd2, %rd13; st.global.v4.b32 [%rd13], {%r10, %r11, %r12, %r13};
    st.global.v4.b32 [%rd13+16], {%r13, %r14, %r15, %r16};"""


def test_copies_beside_threads():
    """They are there when they were waited for, not before; what the source has not is 0."""
    memory = torch.full((20,), 0x04030201, dtype=torch.int32).numpy()
    row = memory[-memory.ctypes.data % 16 // 4 :][:4]
    numbers, got = np.arange(100, 132, dtype=np.uint32), np.zeros((32, 8), np.uint32)
    launch(COPIES, numbers, row, got)
    same(got[:, :3], [[9, 100 + lane, 9] for lane in range(32)])
    wanted = [[1, 2, 3, 4] * 4] * 32
    wanted = [[x if i < lane % 16 else 0 for i, x in enumerate(bytes_of)] for lane, bytes_of in enumerate(wanted)]
    same(np.ascontiguousarray(got[:, 4:]).view(np.uint8), wanted)


@pytest.mark.parametrize("kind", ["u32", "u64", "f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_sums_of_threads(kind, space):
    size = np.dtype(NUMPY[kind]).itemsize
    add, register = f"add{'.noftz' * ('16' in kind)}.{kind}", PREFIX[size]
    sums, seen, blocks = np.zeros(2, NUMPY[kind]), np.zeros((4, 64), NUMPY[kind]), 4 if space == "global" else 1
    one = np.array([1], NUMPY[kind]) if kind[0] == "u" else as_bits([1.0], kind)
    place = "%rd0" if space == "global" else "%rd10"
    body = f""".shared .align 8 .b8 space[16]; mov.b64 %rd10, space; ld.global.b{8 * size} {register}30, [%rd2];
        mov.b64 %rd13, 0; st.shared.b64 [%rd10], %rd13; st.shared.b64 [%rd10+8], %rd13; bar.sync 0;
        atom.{space}.{add} {register}31, [{place}], {register}30; red.{space}.{add} [{place}+{size}], {register}30;
        st.global.b{8 * size} [%rd21], {register}31; bar.sync 0;"""
    for at in (0, size) if space == "shared" else ():
        body += f"ld.shared.b{8 * size} {register}32, [%rd10+{at}]; st.global.b{8 * size} [%rd0+{at}], {register}32;"
    launch(body, sums, seen, one, blocks=(blocks,), threads=(64,))
    seen = seen[:blocks].ravel()
    numbers, seen = (sums, seen) if kind[0] == "u" else (as_numbers(sums, kind), as_numbers(seen, kind))
    assert (numbers == 64 * blocks).all()  # 256 is the last whole number that bf16 can count to
    same(np.sort(seen), np.arange(64 * blocks))


def test_small_floats_in_sums():
    """Global memory flushes what is less than all normal numbers."""
    tiny, sums = np.float32([2.0**-140]), np.float32([2.0**-141, 0])
    body = """ld.global.b32 %r10, [%rd0]; red.global.add.f32 [%rd1], %r10; .shared .align 4 .b8 space[4];
        st.shared.b32 [space], %r10; red.shared.add.f32 [space], %r10; ld.shared.b32 %r11, [space];
        st.global.b32 [%rd1+4], %r11;"""
    launch(body, tiny, sums, threads=(1,))
    assert sums.tolist() == [0, 2.0**-139]


def test_swaps():
    """Additions by compare-and-swap, which lanes repeat until they succeed."""
    sums = np.array([5, 7], np.uint64)
    body = """$L__BB0_1: ld.global.b64 %rd10, [%rd0]; add.s64 %rd11, %rd10, 2;
        atom.global.cas.b64 %rd12, [%rd0], %rd10, %rd11;
        setp.ne.b64 %p1, %rd12, %rd10; @%p1 bra $L__BB0_1;
        atom.global.cas.b32 %r10, [%rd0+8], 8, 9;"""
    launch(body, sums, blocks=(3,), threads=(48,))
    assert sums.tolist() == [5 + 2 * 3 * 48, 7]


def test_blocks_and_threads_of_three_dimensions():
    blocks, threads = (3, 4, 2), (5, 3, 4)
    got = np.zeros((24 * 60, 12), np.uint32)
    names = [f"%{name}.{d}" for name in ("ctaid", "tid", "nctaid", "ntid") for d in "xyz"]
    linear = """mad.lo.s32 %r50, %r12, %r17, %r11; mad.lo.s32 %r50, %r50, %r16, %r10;
        mad.lo.s32 %r51, %r15, %r20, %r14; mad.lo.s32 %r51, %r51, %r19, %r13; mad.lo.s32 %r52, %r50, 60, %r51;
        mul.wide.u32 %rd10, %r52, 48; add.s64 %rd11, %rd0, %rd10;"""
    body = "".join(f"mov.u32 %r{10 + i}, {name};\n" for i, name in enumerate(names)) + linear
    body += "".join(f"st.global.b32 [%rd11+{4 * i}], %r{10 + i};\n" for i in range(12))
    launch(body, got, blocks=blocks, threads=threads)
    places = product(np.ndindex(blocks[::-1]), np.ndindex(threads[::-1]))
    wanted = [(*block[::-1], *thread[::-1], *blocks, *threads) for block, thread in places]
    same(got, wanted)


EXCHANGE = """.shared .align 4 .b8 space[1024];
    mov.b64 %rd10, space; mul.wide.u32 %rd11, %r0, 4; add.s64 %rd12, %rd10, %rd11; mov.b32 %r10, 0; mov.b32 %r11, %r0;
    $L__BB0_1: setp.ge.u32 %p1, %r11, 200; @%p1 bra $L__BB0_3;
    and.b32 %r12, %r11, 1; setp.eq.b32 %p2, %r12, 0; @!%p2 bra $L__BB0_2; add.s32 %r10, %r10, %r11;
    $L__BB0_2: add.s32 %r11, %r11, 7; bra.uni $L__BB0_1;
    $L__BB0_3: shfl.sync.bfly.b32 %r13, %r10, 1, 31, -1; add.s32 %r10, %r10, %r13; st.shared.b32 [%rd12], %r10;
    BARRIER xor.b32 %r14, %r0, 224; mul.wide.u32 %rd13, %r14, 4; add.s64 %rd14, %rd10, %rd13;
    ld.shared.b32 %r15, [%rd14]; st.global.b32 [%rd20], %r15;"""


def exchanged(monkeypatch, seed, barrier):
    monkeypatch.setenv("RGNN_EMULATOR_SEED", str(seed))
    got = np.zeros((3, 256), np.uint32)
    launch(EXCHANGE.replace("BARRIER", barrier), got, blocks=(3,), threads=(256,))
    return got


def test_orders(monkeypatch):
    """Lanes that make loops of different lengths meet again, and warps at barriers, in every order."""
    sums = np.array([sum(x for x in range(thread, 200, 7) if x % 2 == 0) for thread in range(256)])
    wanted = (sums + sums[np.arange(256) ^ 1])[np.arange(256) ^ 224]
    for seed in range(6):
        same(exchanged(monkeypatch, seed, "bar.sync 0;"), [wanted] * 3)
    races = [exchanged(monkeypatch, seed, "") for seed in (1, 1, 2, 3, 4)]
    same(races[0], races[1])
    assert len({race.tobytes() for race in races}) > 1


INVALID = [
    "sin.approx.f32 %r1, %r2;", "add.s32 %r1, %r2;", "add.s32 %r1, %r2, %rs1;", "bra $L__none;",
    "add.rp.f32 %r1, %r2, %r3;", "cvt.rm.f32.f64 %r1, %rd1;", "cvt.rn.relu.f16x2.f32 %r1, %r2, %r3;",
    "div.full.f32 %r1, %r2, %r3;", "ld.volatile.global.b32 %r1, [%rd1];", "add.s32 %r1, %f2, 1;",
    "ld.global.v2.b32 %r1, [%rd1];", "ld.param.b32 %r1, [none];", "@%r1 ret;", "add.s32 %r1 %r2, %r3;",
]  # fmt: skip


def test_invalid_modules(capfd):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    for code in (b"\x7fELF", b"hello"):
        assert LIBRARY.cuModuleLoadData(ctypes.byref(module), code) == 209
    text = f"{HEADER}.visible .entry kernel()\n{{\n{REGISTERS}{{}}\nret;\n}}"
    line = text[: text.index("{}")].count("\n") + 1
    for instruction in INVALID:
        assert LIBRARY.cuModuleLoadData(ctypes.byref(module), text.replace("{}", instruction).encode()) == 218
        assert f"error: line {line}: " in capfd.readouterr().err
    assert LIBRARY.cuModuleLoadData(ctypes.byref(module), text.replace("{}", "").encode()) == 0
    assert LIBRARY.cuModuleGetFunction(ctypes.byref(function), module, b"other") == 500
    assert LIBRARY.cuModuleUnload(module) == 0


FAULTS = {
    "st.shared.b32 [space+64], %r0;": "shared memory",
    "mov.b64 %rd10, space; ld.shared.b32 %r10, [%rd10+-4];": "shared memory",
    "ld.shared.b64 %rd10, [space+4];": "a multiple of 8",
    "mov.b64 %rd10, 0; ld.global.b32 %r10, [%rd10+8];": "the GPU's memory",
    "ld.global.b32 %r10, [%rd0+2];": "a multiple of 4",
    "cp.async.ca.shared.global [space], [%rd0], 4, %r2;": "at most 4 bytes",
    "setp.lt.u32 %p1, %r0, 5; @%p1 ret; shfl.sync.bfly.b32 %r10, %r0, 1, 31, -1;": "lanes",
    "setp.lt.u32 %p1, %r0, 5; @%p1 bra $L__e; shfl.sync.bfly.b32 %r10, %r0, 1, 31, -1;\n$L__e: bar.sync 0;": "lanes",
    "shfl.sync.idx.b32 %r10, %r0, 9, 31, 255;": "lane",
    "setp.lt.u32 %p1, %r0, 5; @%p1 ret; bar.sync 0;": "ended",
    "setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 0;": "ended",
}


@pytest.mark.parametrize("body", FAULTS)
@pytest.mark.parametrize("seed", [0, 3])
def test_faults(body, seed, capfd, monkeypatch):
    monkeypatch.setenv("RGNN_EMULATOR_SEED", str(seed))
    monkeypatch.setenv("RGNN_EMULATOR_THREADS", "1")
    array = torch.zeros(64, dtype=torch.int64).numpy()
    text = ".shared .align 8 .b8 space[64];\nsetp.ne.b32 %p9, %r1, 1; @%p9 ret;\n" + body
    launch(text, array, blocks=(3,), threads=(64,), result=719)
    error = capfd.readouterr().err
    lines = in_kernel(text, [8]).splitlines()
    assert "kernel kernel, " in error and "block 1: " in error and FAULTS[body] in error
    line = int(error.split("line ")[1].split()[0])
    wanted = [i + 1 for i, x in enumerate(lines) if x in body.splitlines()]
    assert line in wanted, error


def test_launches_that_are_too_large(capfd):
    out = np.zeros(4096, np.uint32)
    for sizes in [{"threads": (1025,)}, {"threads": (32, 33)}, {"threads": (0,)}, {"blocks": (0,)},
                  {"blocks": (1, 65536)}, {"shared": 227 * 1024 + 1}, {"threads": (256,), "limit": 255}]:  # fmt: skip
        launch("", out, result=1, **sizes)
        assert "a launch of kernel" in capfd.readouterr().err


@pytest.mark.parametrize("step, store, sectors", [(4, "b32 [%rd40], %r5", 4), (8, "b32 [%rd40], %r5", 8),
                                                  (16, "v4.b32 [%rd40], {%r5, %r5, %r5, %r5}", 16)])  # fmt: skip
def test_counts(tmp_path, monkeypatch, step, store, sectors):
    """Parts of 32 bytes that stores of lanes touch, ``step`` bytes apart; and cycles of shared memory."""
    monkeypatch.setenv("RGNN_EMULATOR_COUNTS", str(tmp_path / "counts"))
    out = torch.zeros(32 * step, dtype=torch.uint8).numpy()  # begins at a multiple of 64
    body = f"""mul.wide.u32 %rd40, %r0, {step};
mov.b32 %r5, 1;
mov.b64 %rd41, memory;
add.s64 %rd41, %rd41, %rd40;
st.shared.{store.replace("%rd40", "%rd41")};
add.s64 %rd40, %rd40, %rd0;
st.global.{store};"""
    launch(f".shared .align 16 .b8 memory[{32 * step}];\n{body}", out)
    counts = json.loads((tmp_path / "counts").read_text())
    assert (counts["blocks"], counts["threads"], counts["sectors_read"]) == (1, 32, 0)
    assert counts["sectors_written"] == sectors and counts["shared_cycles"] == step // 4
    assert counts["lanes"] == 32 * counts["instructions"] > 0
