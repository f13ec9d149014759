import Foundation
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The daemon reports and survives a refused system call", .endsWithin(minutes: 15, instances: 4))
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
}

/// A system call that the kernel refuses a program with EMFILE, as when a limit of its user is reached.
///
/// The refusal is a seccomp(2) filter for that one program, so no other test is affected.
enum RefusedCall {
    case inotify

    /// The command line that runs `command` under the filter.
    func wrapping(_ command: [String]) -> [String] {
        ["/usr/bin/python3", "-c", Self.program, "inotify_init1"] + command
    }

    /// The filter: loads the number of the call (offset 0 of struct seccomp_data) and compares it.
    private static let program = """
        import ctypes, errno, os, platform, struct, sys
        numbers = {"x86_64": {"inotify_init1": 294}, "aarch64": {"inotify_init1": 26}}
        number = numbers[platform.machine()][sys.argv[1]]
        load, equal, answer = 0x20, 0x15, 0x06
        refuse, allow = 0x00050000 | errno.EMFILE, 0x7fff0000
        steps = [(load, 0, 0, 0), (equal, 0, 1, number), (answer, 0, 0, refuse), (answer, 0, 0, allow)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        program = ctypes.create_string_buffer(struct.pack("H6xP", len(steps), ctypes.addressof(code)))
        libc = ctypes.CDLL(None, use_errno=True)
        no_new_privileges, set_filter, filter_mode = 38, 22, 2
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, filter_mode, program):
            sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
        os.execv(sys.argv[2], sys.argv[2:])
        """
}
