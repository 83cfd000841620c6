"""Memory, warps, blocks, launches and errors of the emulator of NVIDIA GPUs."""

import ctypes
import json
from itertools import product

import numpy as np
import pytest
import torch
from emulator import (
    HEADER,
    LIBRARY,
    NUMPY,
    PREFIX,
    REGISTERS,
    as_bits,
    as_numbers,
    context,  # noqa: F401
    in_kernel,
    launch,
    load,
    same,
    start,
)


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
    "call.uni other, (%r1);", "brx.idx %r1, $L__none;",
]  # fmt: skip


def test_memory_of_threads():
    """Each has its own, at the same address."""
    body = """.local .align 8 .b8 own[16]; mov.b64 %rd10, own; add.u64 %rd11, %rd10, 8;
        st.local.b32 [%rd11], %r3; xor.b32 %r10, %r3, 21; st.local.v2.b32 [own+8], {%r10, %r3};
        ld.local.b32 %r11, [%rd10+8]; ld.local.b32 %r12, [%rd11+4]; sub.s32 %r13, %r11, %r12;
        st.global.b32 [%rd20], %r13;"""
    got, threads = np.zeros(192, np.int32), np.arange(192)
    launch(body, got, blocks=(2,), threads=(96,))
    same(got, (threads ^ 21) - threads)


def test_tables_of_branches():
    body = """and.b32 %r10, %r3, 3; mov.b32 %r11, 5;
        $L_table: .branchtargets $L__first, $L__second, $L__third, $L__last;
        brx.idx %r10, $L_table;
        $L__first: mov.b32 %r11, 10; bra $L__end; $L__second: add.s32 %r11, %r11, 15;
        $L__third: add.s32 %r11, %r11, 25; bra $L__end; $L__last: mov.b32 %r11, 40;
        $L__end: st.global.b32 [%rd20], %r11;"""
    got = np.zeros(192, np.int32)
    launch(body, got, blocks=(2,), threads=(96,))
    same(got, np.array([10, 45, 30, 40])[np.arange(192) % 4])


def test_functions():
    """Each call has what it passes; two ways out of a function meet behind the call."""
    top = """.func (.param .align 8 .b8 result[16]) difference(.param .b64 first, .param .b32 second);
        .func (.param .align 8 .b8 result[16]) difference(.param .b64 first, .param .b32 second) {
            .local .align 8 .b8 own[8]; .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.b64 %rd1, [first]; ld.param.b32 %r1, [second]; cvt.u64.u32 %rd2, %r1;
            st.local.b64 [own], %rd2; ld.local.b64 %rd3, [own]; sub.s64 %rd2, %rd1, %rd3;
            st.param.b64 [result], %rd2; st.param.b32 [result+8], 7; and.b32 %r2, %r1, 1; setp.eq.b32 %p1, %r2, 0;
            @%p1 bra $L__even; st.param.b32 [result+8], 9; ret; $L__even: ret; }"""
    body = """cvt.u64.u32 %rd10, %r3; mul.lo.s64 %rd11, %rd10, 3;
        { .param .b64 param0; .param .b32 param1; .param .align 8 .b8 retval0[16]; st.param.b64 [param0], %rd11;
        st.param.b32 [param1], %r3; call.uni (retval0), difference, (param0, param1);
        ld.param.b64 %rd12, [retval0]; ld.param.b32 %r11, [retval0+8]; }
        { .param .b64 param0; .param .b32 param1; .param .align 8 .b8 retval0[16]; st.param.b64 [param0], %rd12;
        st.param.b32 [param1], %r11; call.uni (retval0), difference, (param0, param1); ld.param.b64 %rd13, [retval0]; }
        st.global.b64 [%rd20], %rd13;"""
    got, threads = np.zeros(192, np.int64), np.arange(192)
    launch(body, got, top=top, blocks=(2,), threads=(96,))
    same(got, 2 * threads - np.where(threads % 2, 9, 7))


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
    ".local .align 4 .b8 own[8]; mov.b64 %rd10, own; st.local.b32 [%rd10+8], %r0;": "the thread's memory",
    ".local .align 4 .b8 own[16]; st.local.b64 [own+4], %rd0;": "a multiple of 8",
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


def counted(tmp_path, monkeypatch, body, *buffers, **sizes):
    """What the emulator counts of a launch."""
    monkeypatch.setenv("RGNN_EMULATOR_COUNTS", str(tmp_path / "counts"))
    launch(body, *buffers, **sizes)
    return json.loads((tmp_path / "counts").read_text().splitlines()[-1])


APART = """setp.eq.u32 %p1, %r0, 0;
@%p1 bra $L__side;
$L__meet:
BODY
st.global.b32 [%rd0], %r0;
ret;
$L__side:
mov.b32 %r5, 1;
bra $L__meet;"""


def test_lanes_meet_where_all_ways_do(tmp_path, monkeypatch):
    """Also where LLVM put the code of some lanes behind that."""
    out = np.zeros(1, np.uint32)
    few = counted(tmp_path, monkeypatch, APART.replace("BODY", ""), out)
    many = counted(tmp_path, monkeypatch, APART.replace("BODY", "add.u32 %r6, %r0, 1;\n" * 50), out)
    assert many["instructions"] - few["instructions"] == 50


TIMED = {
    "one": ("ld.global.b64 %rd41, [%rd0];", 500, 540),
    "independent": ("ld.global.b64 %rd41, [%rd0];\nld.global.b64 %rd42, [%rd0];", 500, 540),
    "chain": ("ld.global.b64 %rd41, [%rd0];\nadd.s64 %rd43, %rd0, %rd41;\nld.global.b64 %rd42, [%rd43];", 1000, 1050),
    "branch": ("ld.global.b64 %rd41, [%rd0];\nsetp.eq.s64 %p1, %rd41, 1;\n@%p1 bra $L__end;\n"
               "ld.global.b64 %rd42, [%rd0];\n$L__end:", 1000, 1050),
    "many": ("add.u32 %r5, %r0, 1;\n" * 300, 300, 340),
    "copy": (".shared .align 8 .b8 memory[8];\nmov.b64 %rd41, memory;\ncp.async.ca.shared.global [%rd41], [%rd0], 8;\n"
             "cp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.b64 %rd42, [%rd41];", 530, 570),
    "some": ("ld.global.b64 %rd41, [%rd0];\nsetp.lt.u32 %p1, %r0, 4;\n@%p1 mov.b64 %rd41, 0;", 500, 540),
    "none": ("mov.b64 %rd41, 0;\nsetp.lt.u32 %p1, %r0, 0;\n@%p1 ld.global.b64 %rd41, [%rd0];", 0, 40),
    "others": ("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra $L__wait;\nld.global.b64 %rd41, [%rd0];\n"
               "add.s64 %rd43, %rd0, %rd41;\n$L__wait:\nbar.sync 0;\nld.global.b64 %rd42, [%rd0];", 1000, 1060),
}  # fmt: skip


@pytest.mark.parametrize("name", TIMED)
def test_time(tmp_path, monkeypatch, name):
    """Cycles of a block, which stores what it computed last: 500 for each load that waits for another."""
    body, least, most = TIMED[name]
    number = next((register for register in ("%rd42", "%rd41") if register in body), "%rd0")
    counts = counted(tmp_path, monkeypatch, f"{body}\nst.global.b64 [%rd0], {number};", np.zeros(256, np.uint64),
                     threads=({"some": 32, "others": 64}.get(name, 1),), blocks=(3,))  # fmt: skip
    assert least <= counts["longest_block"] <= most
    assert counts["block_cycles"] == 3 * counts["longest_block"]
