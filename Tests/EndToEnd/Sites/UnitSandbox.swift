import Foundation
import HandoffTestSupport
import Testing

/// What the directives of `systemd/handoffd.service.in` keep from the daemon, and so from the programs that it starts
/// as its children: system calls and families of addresses.
///
/// Where systemd runs no services, a filter of libseccomp does what systemd does with these directives, with the groups
/// of system calls that systemd-analyze(1) lists.
struct UnitSandbox {
    private let callFilters: String
    private let families: String

    init() throws {
        let unit = try String(contentsOf: Repository.file("systemd/handoffd.service.in"), encoding: .utf8)
        func values(of key: String) -> [Substring] {
            unit.split(separator: "\n").filter { $0.hasPrefix(key + "=") }.map { $0.dropFirst(key.count + 1) }
        }
        callFilters = values(of: "SystemCallFilter").joined(separator: "\n")
        families = try #require(values(of: "RestrictAddressFamilies").first.map(String.init))
    }

    /// The command line that runs `command` in the sandbox.
    func wrapping(_ command: [String]) -> [String] {
        ["/usr/bin/python3", "-c", Self.program, callFilters, families] + command
    }

    private static let program = """
        import ctypes, os, subprocess, sys
        def calls(group):
            if group[0] != "@":
                return {group}
            command = ["systemd-analyze", "syscall-filter", group]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\\n")[1:]
            words = {line.strip() for line in lines if line.strip() and not line.strip().startswith("#")}
            return set().union(*map(calls, words))
        # The errors of those calls that have one of their own, such as 0.
        allowed, errors = set(), {}
        for line in sys.argv[1].split("\\n"):
            words = [word.partition(":") for word in line.lstrip("~").split()]
            groups = set().union(*(calls(word) for word, _, _ in words))
            allowed = allowed - groups if line[0] == "~" else allowed | groups
            errors.update((word, int(error)) for word, colon, error in words if colon)
        # As for systemd, which always allows what a program needs to begin and to end.
        allowed |= calls("@default")
        class Comparison(ctypes.Structure):
            _fields_ = [
                ("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)
            ]
        filters = ctypes.CDLL("libseccomp.so.2")
        filters.seccomp_init.restype = ctypes.c_void_p
        allow, refuse, equal = 0x7fff0000, 0x00050000 | 1, 4
        made = ctypes.c_void_p(filters.seccomp_init(ctypes.c_uint32(refuse)))
        numbers = {name: filters.seccomp_syscall_resolve_name(name.encode()) for name in allowed}
        for name, number in numbers.items():
            if number >= 0 and name != "socket":
                filters.seccomp_rule_add_array(made, ctypes.c_uint32(allow), number, 0, None)
        for name, error in errors.items():
            number = filters.seccomp_syscall_resolve_name(name.encode())
            filters.seccomp_rule_add_array(made, ctypes.c_uint32(0x00050000 | error), number, 0, None)
        families = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_BLUETOOTH": 31}
        for name in sys.argv[2].split():
            comparison = Comparison(0, equal, families[name], 0)
            rule = (made, ctypes.c_uint32(allow), numbers["socket"], 1, ctypes.byref(comparison))
            filters.seccomp_rule_add_array(*rule)
        if ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) or filters.seccomp_load(made):
            sys.exit("no filter")
        os.execv(sys.argv[3], sys.argv[3:])
        """
}

extension SiteStories {
    private static var addresses: [String] {
        let switchedOff = try? String(contentsOfFile: "/proc/sys/net/ipv6/conf/lo/disable_ipv6", encoding: .utf8)
        return ["127.0.0.1"] + (switchedOff == "0\n" ? ["[::1]"] : [])
    }

    @Test(
        "In the sandbox of the unit, sites are asked over IPv4 and IPv6, and signatures are verified",
        arguments: addresses
    )
    func sandbox(address: String) async throws {
        try await Self.alone(in: try UnitSandbox()) { world in
            try world.write(address, to: "sites/address")
            try world.writeSiteApp("org.example.Editor", ["plain", "signed-rsa"])
        } _: { _, _, desktop in
            let domains = try await desktop.domains { all in
                all.count == 2 && all.values.allSatisfy { !$0["checked"].isNull }
            }
            #expect(domains.mapValues { $0["state"].string } == ["plain": "approved", "signed-rsa": "approved"])
            let status = try String(contentsOfFile: "/proc/\(desktop.process.processID)/status", encoding: .utf8)
            #expect(status.contains("Seccomp:\t2"))
        }
    }
}
