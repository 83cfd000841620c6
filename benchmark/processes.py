"""Peers that are measured side by side, each a process of its own that is asked to work while the others wait."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import worker

SERVER = multiprocessing.get_context("forkserver")


class PeerError(Exception):
    """A peer that died, did not finish in time, or reported an error."""


class Worker:
    """A process of worker.py. Every answer has to come within `limit` seconds.

    Args:
        session: what is made in the process of `spec`, and has a method for each command.
        spec: with the name of the "peer", and the bytes of its "memory_limit".
        folder: for what it writes.
        limit: in seconds.
    """

    def __init__(self, session: type, spec: dict, folder: Path, limit: float):
        # Compiled code goes to a folder of this run: a cache left by an earlier one would hide what compiling costs.
        places = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "RGNN_CACHE_DIR", "XDG_CACHE_HOME")
        self.limit, self.log = limit, folder / f"{spec['peer']}.log"
        self.connection, theirs = SERVER.Pipe()
        environment = {place: str(folder / spec["peer"]) for place in places} | {"PYTHONWARNINGS": "ignore"}
        self.process = SERVER.Process(target=worker.serve, args=(theirs, str(self.log), environment, session))
        self.process.start()
        theirs.close()
        try:
            self.about = self.ask("setup", **spec)
        except PeerError:
            self.close()
            raise

    def ask(self, command: str, **arguments) -> dict:
        try:
            self.connection.send({"do": command, **arguments})
            if not self.connection.poll(self.limit):
                raise PeerError(f"did not finish in {self.limit:g} s")
            answer = self.connection.recv()
        except (EOFError, OSError):
            raise PeerError(self._death()) from None
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def _death(self) -> str:
        self.process.join()
        code = self.process.exitcode
        if code == -signal.SIGKILL:
            return "killed (out of memory)"
        last = self.log.read_text(errors="replace").strip().splitlines()[-1:] if self.log.exists() else []
        return f"died ({signal.Signals(-code).name if code < 0 else f'exit {code}'}) {''.join(last)}".strip()

    def close(self) -> None:
        """Ends the process and what it started (compiler processes); it leads a process group of its own."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self.process.kill()  # it has not come to make its group, or is gone
        self.process.join()
        self.connection.close()


class Progress:
    """A line that is overwritten on a terminal; elsewhere nothing, the tables are the log."""

    def __init__(self):
        self.live = sys.stderr.isatty()
        self.start = time.monotonic()

    def show(self, text: str) -> None:
        if self.live:
            sys.stderr.write(f"\r\033[K[{time.monotonic() - self.start:4.0f} s] {text}")
            sys.stderr.flush()

    def clear(self) -> None:
        if self.live:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def available_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 1 << 62


def measure_in_turns(workers: dict[str, Worker], first: dict[str, float], options, show, give_up) -> dict[str, list]:
    """Times of calls of each peer, in short bursts that go round all of them: what disturbs the machine disturbs all.

    Args:
        workers: the peers; `give_up` takes those out that fail.
        first: seconds that the first call took.
        options: `rounds`, `burst` (seconds), `least` (calls of a peer) and `time_limit`.
        show: called before a burst, with the round and the peer.
        give_up: called with a peer and why it failed.
    """
    times: dict[str, list[float]] = {name: [] for name in workers}
    for turn in range(options.rounds):
        order = list(workers)
        shift = turn % max(1, len(order))
        for name in order[shift:] + order[:shift]:
            seen = times[name]
            # A slow peer has its few calls in the first rounds, and needs no warm-up. First calls may compile.
            if sum(seen) > options.burst * options.rounds and len(seen) >= options.least:
                continue
            if sum(seen) > options.time_limit and len(seen) >= 2:
                continue
            show(f"round {turn + 1}/{options.rounds}, {name}")
            is_slow = min(seen) > options.burst if seen else first[name] > options.time_limit / 10
            warm_up = 0 if is_slow else options.burst / 2
            try:
                seen += workers[name].ask("measure", seconds=options.burst, warm_up=warm_up)["times"]
            except PeerError as reason:
                give_up(name, reason)
    return times


def start_server(modules: list[str]) -> None:
    """Has peers forked of a process that has imported these modules; warns where others work on the machine."""
    if os.getloadavg()[0] > 0.5:
        # A parallel region waits for its slowest thread: peers of hundreds of small operations can slow down 100-fold.
        print(f"warning: load average {os.getloadavg()[0]:.1f}: other programs disturb these times")
    # Compilers' processes that are ended with their worker leave semaphores to it; no news.
    os.environ.setdefault("PYTHONWARNINGS", "ignore::UserWarning:multiprocessing.resource_tracker")
    SERVER.set_forkserver_preload(modules)
