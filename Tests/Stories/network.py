#!/usr/bin/env python3
"""Streams over the local network: two computers in network namespaces, on one simulated air.

network.py STORY…         some of the stories, or all of them; who is not root needs user namespaces
network.py speed MB       how fast MB million bytes go from app to app, beside a bare TCP copy over the same link
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import budget
from world import (
    PROGRAMS, TIMEOUT, Failure, Steps, check, device, process, run_story, simulated, trust_each_other, type_hash,
)

# The bytes of each half of a stream. The second one is sent when it is known which way the stream goes.
HALF = 300_000
# The port of the bare copy.
PORT = 5001
ENDS = pathlib.Path(__file__).with_name("stream_ends.py")


class Host:
    """A network namespace, which exists for as long as a process in it."""

    def __init__(self, stack=None):
        self.pid, self.prefix = os.getpid(), []
        if stack:
            self._hold(stack)
        self.ip("link set lo up")

    @classmethod
    def own(cls):
        """The namespace of this process."""
        return cls()

    def _hold(self, stack):
        command = ["unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity"]
        holder = stack.enter_context(process(command, stdout=subprocess.PIPE, text=True))
        check(holder.stdout.readline(), "ready\n")
        self.pid = holder.pid
        self.prefix = ["nsenter", f"--net=/proc/{self.pid}/ns/net"]

    def run(self, *command, data=None):
        """What a command in the namespace prints."""
        done = subprocess.run([*self.prefix, *command], input=data, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def ip(self, words):
        return self.run("ip", *words.split())

    def interface(self, name, *addresses):
        """Gives an interface these addresses and no others, and brings it up."""
        self.ip(f"addr flush dev {name}")
        self.ip(f"link set {name} addrgenmode none")
        self.ip(f"link set {name} up")
        for address in addresses:
            # An IPv6 address can be used at once, without a search for duplicates.
            self.ip(f"addr add {address} dev {name}" + (" nodad" if ":" in address else ""))

    def firewall(self, *rules, verdict="drop"):
        """Drops the incoming packets to which one of the rules applies, or does with them what else is said; without
        rules, nothing."""
        lines = ["table inet filter", "delete table inet filter", "table inet filter {", "chain input {"]
        lines += ["type filter hook input priority 0; policy accept;", *(f"{rule} {verdict}" for rule in rules), "}", "}"]
        self.run("nft", "-f", "-", data="\n".join(lines) + "\n")

    def listening(self):
        """The TCP sockets that listen in the namespace."""
        return self.run("ss", "--tcp", "--listening", "--numeric", "--no-header").splitlines()


def connect(one, other, name="net"):
    """Joins two namespaces by a cable; each has an end of that name, unless a second one is given for the other."""
    one.run("ip", "link", "add", name, "type", "veth", "peer", "name", name, "netns", str(other.pid))


class Pair:
    """Two computers that trust each other, each in a namespace of its own, and a cable between them."""

    def __init__(self, stack, directory):
        self.stack, self.directory, self.steps, self.count = stack, directory, Steps(), 0
        self.here, self.there = Host(stack), Host(stack)
        connect(self.here, self.there)
        radios = simulated(directory)
        hosts = {"laptop": self.here, "desktop": self.there}
        self.settings = {name: directory / f"{name}.conf" for name in hosts}
        for path in self.settings.values():
            path.write_text("")
        self.laptop, self.desktop = (
            stack.enter_context(device(name, directory, [*radio, "--config", self.settings[name]], host.prefix, directory))
            for (name, host), radio in zip(hosts.items(), radios)
        )
        trust_each_other(self.laptop, self.desktop)

    def address(self, one=(), other=()):
        self.here.interface("net", *one)
        self.there.interface("net", *other)

    def new_kind(self):
        """Another activity type than before, whose entry may still be listed."""
        self.count += 1
        return f"org.example.pipe{self.count}"

    @contextlib.contextmanager
    def stream(self):
        """A stream: the program at the laptop that writes into it, and the one at the desktop that reads."""
        kind = self.new_kind()
        publish = [PROGRAMS / "handoffctl", "publish", "--type", kind, "--stream", "--bus", self.laptop.bus]
        receive = [PROGRAMS / "handoffctl", "stream", "--type", kind, "--bus", self.desktop.bus]
        # Their errors are printed by the story.
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        for machine in (self.laptop, self.desktop):
            machine.lines.skip()
        with self.desktop.watching() as nearby, process(publish, **pipes) as writer:
            nearby.wait_for_type(type_hash(kind))
            with process(receive, **pipes) as reader:
                for machine in (self.laptop, self.desktop):
                    machine.wait_log("event=stream.opened")
                yield writer, reader

    def transfers(self, moves):
        """Transfers bytes both ways, half of them when it is known whether the stream moves to the network."""
        first, second, answer = os.urandom(HALF), os.urandom(HALF), os.urandom(HALF)
        with self.stream() as (writer, reader):
            writer.stdin.write(first)
            writer.stdin.flush()
            received = reader.stdout.read(HALF)
            for machine in (self.laptop, self.desktop) if moves else (self.desktop,):
                machine.wait_log(f"event=stream.{'moved' if moves else 'stayed'}")
            reader.stdin.write(answer)
            reader.stdin.close()
            writer.stdin.write(second)
            writer.stdin.close()
            answered = writer.stdout.read()
            received += reader.stdout.read()
            statuses = [program.wait(timeout=TIMEOUT) for program in (writer, reader)]
        check((received == first + second, answered == answer, statuses), (True, True, [0, 0]))
        for host in (self.here, self.there):
            check(host.listening(), [])


def too_late(*_):
    raise Failure("the story has not ended in time")


def same_link(computers):
    with computers.steps.step("IPv4 on one link: the stream moves"):
        computers.address(["10.9.0.1/24"], ["10.9.0.2/24"])
        computers.transfers(moves=True)
    with computers.steps.step("other addresses, while both daemons run: the next stream moves"):
        computers.address(["192.168.7.1/24"], ["192.168.7.2/24"])
        computers.transfers(moves=True)
    with computers.steps.step("link-local IPv6 alone: the stream moves"):
        computers.address(["fe80::1/64"], ["fe80::2/64"])
        computers.transfers(moves=True)
    with computers.steps.step("global addresses of one network: the stream moves"):
        computers.address(["2001:db8::1/64"], ["2001:db8::2/64"])
        computers.transfers(moves=True)


def firewalls(computers):
    computers.address(["10.9.0.1/24", "fe80::1/64"], ["10.9.0.2/24", "fe80::2/64"])
    # Streams to apps use the loopback interface, which no usual firewall restricts.
    closed = "iifname net tcp flags & (syn | ack) == syn"
    for name, host in (("laptop", computers.here), ("desktop", computers.there)):
        with computers.steps.step(f"the firewall of {name} drops incoming connections: the stream moves"):
            host.firewall(closed)
            computers.transfers(moves=True)
            host.firewall()
    with computers.steps.step("both firewalls drop them: the stream stays on the radio"):
        for host in (computers.here, computers.there):
            host.firewall(closed)
        computers.transfers(moves=False)
        for host in (computers.here, computers.there):
            host.firewall()


def one_side(computers):
    with computers.steps.step("one side has no network: the stream stays on the radio"):
        computers.address(["10.9.0.1/24"])
        computers.transfers(moves=False)
    with computers.steps.step("the user of one side does not want it: the stream stays on the radio"):
        computers.address(["10.9.0.1/24"], ["10.9.0.2/24"])
        computers.settings["laptop"].write_text("[handoffd]\nlocalNetwork = no\n")
        check(computers.laptop.ctl("reload")["applied"], ["localNetwork"])
        computers.transfers(moves=False)
        computers.settings["laptop"].write_text("")
        computers.laptop.ctl("reload")
    with computers.steps.step("two networks of which neither has a way to the other: the stream stays on the radio"):
        computers.address(["10.9.0.1/24"], ["192.168.7.2/24"])
        computers.transfers(moves=False)


def routed(computers):
    with computers.steps.step("a router between two networks: the stream moves"):
        router = Host(computers.stack)
        computers.address()
        for number, host in ((1, computers.here), (2, computers.there)):
            host.run("ip", "link", "add", "lan", "type", "veth", "peer", "name", f"lan{number}", "netns", str(router.pid))
            router.interface(f"lan{number}", f"10.8.{number}.254/24")
            host.interface("lan", f"10.8.{number}.1/24")
            host.ip(f"route add default via 10.8.{number}.254")
        router.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        computers.transfers(moves=True)


def vanishing(computers):
    for is_busy in (False, True):
        what = "while both sides write as much as they can" if is_busy else "while little is sent"
        with computers.steps.step(f"the network vanishes {what}: both programs fail"):
            vanish(computers, is_busy)


def vanish(computers, is_busy):
    """Takes the network away from a stream in use; nobody takes what has arrived for everything."""
    computers.address(["10.9.0.1/24"], ["10.9.0.2/24"])
    with contextlib.ExitStack() as stack:
        writer, reader = stack.enter_context(computers.stream())
        writer.stdin.write(bytes(HALF))
        writer.stdin.flush()
        check(reader.stdout.read(HALF), bytes(HALF))
        for machine in (computers.laptop, computers.desktop):
            machine.wait_log("event=stream.moved")
        if is_busy:
            for program in (writer, reader):
                stack.enter_context(process(["cat", "/dev/zero"], stdout=program.stdin, stderr=subprocess.DEVNULL))
            # Until every buffer on the way is full.
            reader.stdout.read(100 * HALF)
        computers.there.ip("link set net down")
        if not is_busy:
            writer.stdin.write(bytes(HALF))
        for program in (writer, reader):
            program.stdin.close()
        # What was on its way is read, as an app would.
        for program in (writer, reader):
            stack.enter_context(process(["cat"], stdin=program.stdout, stdout=subprocess.DEVNULL))
        check([program.wait(timeout=TIMEOUT) for program in (writer, reader)], [1, 1])


STORIES = {story.__name__: story for story in (same_link, firewalls, one_side, routed, vanishing)}


@contextlib.contextmanager
def pair():
    """Two computers with a daemon each."""
    with tempfile.TemporaryDirectory(prefix="handoff-network-") as name, contextlib.ExitStack() as stack:
        yield Pair(stack, pathlib.Path(name))


def tell(names):
    for name in names:
        signal.alarm(int(4 * TIMEOUT))
        with pair() as computers:
            STORIES[name](computers)
        print(f"{name}: ok", flush=True)


def speed(count):
    """Measures streams, and a bare TCP copy over the same link."""
    with pair() as computers:
        computers.address(["10.9.0.1/24"], ["10.9.0.2/24"])
        for rate in (None, "1gbit"):
            if rate:
                computers.here.run("tc", *f"qdisc add dev net root tbf rate {rate} burst 256k latency 50ms".split())
            bare = bare_copy(computers, count)
            print(f"{rate or 'a cable without a limit'}: bare TCP {bare:.0f} MB/s", flush=True)
            for what, copy in (("two apps", app_copy), ("handoffctl", stream_copy)):
                stream = copy(computers, count)
                print(f"  stream of {what} {stream:.0f} MB/s, {stream / bare:.2f} ×, "
                      f"{budget.at_least(stream / bare, 0.5, '×')}", flush=True)


@contextlib.contextmanager
def writing(count, command):
    """The writing end of a copy, which sends `count` bytes once it is asked for."""
    with process(["head", "-c", count, "/dev/zero"], stdout=subprocess.PIPE) as source:
        with process(command, stdin=source.stdout, stdout=subprocess.PIPE, text=True) as writer:
            source.stdout.close()
            yield writer


def rate(reader, count):
    """The millions of bytes per second that the reading end of a copy has got."""
    check(reader.stdout.readline(), "ready\n")
    received, seconds = reader.stdout.readline().split()
    check(int(received), count)
    return count / float(seconds) / 1e6


def bare_copy(computers, count):
    """Copies bytes between two programs over a TCP connection."""
    receive = [*computers.there.prefix, ENDS, "receive", PORT]
    with process(receive, stdout=subprocess.PIPE, text=True) as reader:
        check(reader.stdout.readline(), "listening\n")
        with writing(count, [*computers.here.prefix, ENDS, "send", "10.9.0.2", PORT]):
            return rate(reader, count)


def app_copy(computers, count):
    """Copies bytes between the same two programs, as apps that have the descriptor of a stream."""
    kind = computers.new_kind()
    with computers.desktop.watching() as nearby:
        with writing(count, [ENDS, "write", computers.laptop.bus, kind]) as writer:
            check(writer.stdout.readline(), "ready\n")
            nearby.wait_for_type(type_hash(kind))
            with process([ENDS, "read", computers.desktop.bus, kind], stdout=subprocess.PIPE, text=True) as reader:
                return rate(reader, count)


def stream_copy(computers, count):
    """Copies bytes between pipes by handoffctl."""
    with computers.stream() as (writer, reader), process(["head", "-c", count, "/dev/zero"], stdout=writer.stdin):
        writer.stdin.close()
        reader.stdin.close()
        received = len(reader.stdout.read(65536))
        begin, buffer = time.monotonic(), bytearray(65536)
        while part := reader.stdout.readinto1(buffer):
            received += part
        check((received, reader.wait(timeout=TIMEOUT)), (count, 0))
        return count / (time.monotonic() - begin) / 1e6


def main(arguments):
    if os.geteuid():
        # In a namespace in which this user is root, all that the story needs is allowed.
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", sys.executable, *sys.argv])
    # A read from a program that does not go on has no other limit.
    signal.signal(signal.SIGALRM, too_late)
    match arguments:
        case ["speed", megabytes]:
            run_story(lambda: speed(int(megabytes) * 1_000_000))
        case names if all(name in STORIES for name in names):
            run_story(lambda: tell(names or STORIES))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
