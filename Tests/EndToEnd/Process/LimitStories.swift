import Foundation
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "The daemon reports what the system refuses it, and survives it where it can",
    .endsWithin(minutes: 15, instances: 6)
)
struct LimitStories {
    @Test("Without inotify, the apps and the air are polled, and one log line for each of them reports it")
    func noInotify() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await world.withDaemon("laptop", on: bus, refusing: .inotify) { laptop in
                    let reason = "fs.inotify.max_user_instances"
                    try await laptop.log.event("watch.unavailable")
                    let advisories = try await laptop.json("status")["advisories"].array
                    #expect(advisories.contains { $0["message"].string.contains(reason) })
                    let ready = laptop.log.lines.count
                    try world.setAir { $0.off = ["laptop"] }
                    try await laptop.log.event("radio.unavailable", from: ready)
                    let off = laptop.log.lines.count
                    try world.setAir { $0.off = [] }
                    try await laptop.log.event("radio.ready", from: off)
                    #expect(laptop.log.lines.count { $0.isLogLine(of: "watch.unavailable") } == 1)
                }
            }
        }
    }

    @Test("Without any thread, the daemon ends with a sentence that says what to do, and so does the command")
    func noThreads() async throws {
        try await World.run { world in
            let daemon = [Programs.handoffd, "--state-dir", world.stateDirectory(of: "laptop")]
            for command in [daemon, [Programs.handoffctl, "status"]] {
                let words = RefusedCall.threads.wrapping(command)
                let result = try await run(words[0], Array(words.dropFirst()), environment: world.environment)
                #expect(result.status == 1)
                #expect(result.stderr.contains("threads and can have 0"), "\(result.stderr)")
                #expect(result.stderr.contains("TasksMax="), "\(result.stderr)")
            }
        }
    }

    @Test(
        "With too few threads, the daemon ends with a sentence that names the limit; it never waits",
        arguments: 1...7
    )
    func fewThreads(_ limit: Int) async throws {
        try await World.run { world in
            let command = [
                Programs.handoffd, "--radio", "simulated:\(world.airDirectory)", "--bus", "unix:path=/nowhere",
                "--state-dir", world.stateDirectory(of: "laptop"),
            ]
            let words = ProcessLimit(limit).wrapping(command)
            let result = try await run(words[0], Array(words.dropFirst()), environment: world.environment)
            #expect(result.status == 1)
            #expect(result.stderr.contains("ulimit -u is \(limit)"), "\(result.stderr)")
        }
    }

    @Test("A daemon that can keep nothing says so from its start on, also to scripts")
    func nothingKept() async throws {
        try await World.runMet { world, laptop, desktop in
            try await laptop.stop()
            try await withPrivateBus { bus in
                try await world.withDaemon("laptop", on: bus, refusing: .fileContents) { laptop in
                    try await laptop.log.event("state.unwritable")
                    let check = try await laptop.run("status", "--check")
                    #expect(check.status == 1)
                    #expect(check.stdout.hasPrefix("state-unwritable: "))
                    for text in [check.stdout, try await laptop.run("status").stdout] {
                        #expect(text.contains("File too large"))
                    }
                    // It serves all the same.
                    try await desktop.publishing("org.example.edit") { _ in
                        try await laptop.watching(isLooking: true) { _ = try await $0.one() }
                    }
                }
            }
        }
    }

    @Test("A state directory whose name cannot be made durable is not used")
    func noDurability() async throws {
        try await World.run { world in
            let parent = world.directory.appending(path: "new").path()
            let words = RefusedCall.synchronisation.wrapping([Programs.handoffd, "--state-dir", parent + "/state"])
            let result = try await run(words[0], Array(words.dropFirst()), environment: world.environment)
            #expect(result.status == 1)
            let place = String(world.directory.path().trimmingCharacters(in: ["/"]))
            #expect(result.stderr.contains("\(place) cannot be written: Input/output error"), "\(result.stderr)")
        }
    }
}

/// The kernel's limit of a user's processes and threads (RLIMIT_NPROC).
///
/// It does not hold for root, so a test that is run by root starts the program as a user of its own, who has no other
/// process. Any other user has more processes than the limit already.
private struct ProcessLimit {
    private let number: Int
    /// A user that no system has, for each limit.
    private var user: Int { 2_000_000_000 + number }

    init(_ number: Int) {
        self.number = number
    }

    /// The command line that runs `command` under the limit.
    func wrapping(_ command: [String]) -> [String] {
        let limited = ["/usr/bin/prlimit", "--nproc=\(number)"] + command
        guard geteuid() == 0 else { return limited }
        // The files of the test belong to root.
        let rights = "=+dac_override,+dac_read_search"
        let own = [
            "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps" + rights, "--ambient-caps" + rights,
        ]
        return ["/usr/bin/setpriv"] + own + limited
    }
}

/// A kind of system calls that the kernel refuses a program, as when a limit of its user is reached.
///
/// The refusal is a seccomp(2) filter for that one program, so no other test is affected.
enum RefusedCall {
    case inotify, synchronisation, threads
    /// To write anything into a file, as on a full disk: by the limit of a file's size (setrlimit(2), RLIMIT_FSIZE), since a
    /// filter does not know what is a file.
    case fileContents

    /// The error, and the system calls that fail with it.
    private var words: [String] {
        switch self {
        case .inotify: ["EMFILE", "inotify_init1"]
        case .synchronisation: ["EIO", "fsync"]
        case .threads: ["EAGAIN", "clone", "clone3"]
        case .fileContents: []
        }
    }

    /// The command line that runs `command` under the filter.
    func wrapping(_ command: [String]) -> [String] {
        guard self != .fileContents else {
            return ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"] + command
        }
        return ["/usr/bin/python3", "-c", Self.program, words.joined(separator: " ")] + command
    }

    /// The filter: loads the number of the call (offset 0 of struct seccomp_data) and compares it.
    private static let program = """
        import ctypes, errno, os, platform, struct, sys
        numbers = {
            "x86_64": {"inotify_init1": 294, "fsync": 74, "clone": 56, "clone3": 435},
            "aarch64": {"inotify_init1": 26, "fsync": 82, "clone": 220, "clone3": 435},
        }[platform.machine()]
        error, *calls = sys.argv[1].split()
        load, equal, answer = 0x20, 0x15, 0x06
        refuse, allow = 0x00050000 | getattr(errno, error), 0x7fff0000
        compare = [(equal, len(calls) - index, 0, numbers[call]) for index, call in enumerate(calls)]
        steps = [(load, 0, 0, 0), *compare, (answer, 0, 0, allow), (answer, 0, 0, refuse)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        program = ctypes.create_string_buffer(struct.pack("H6xP", len(steps), ctypes.addressof(code)))
        libc = ctypes.CDLL(None, use_errno=True)
        no_new_privileges, set_filter, filter_mode = 38, 22, 2
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, filter_mode, program):
            sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
        os.execv(sys.argv[2], sys.argv[2:])
        """
}
