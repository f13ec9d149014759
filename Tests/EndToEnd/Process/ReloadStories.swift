import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Settings change while the daemon runs", .endsWithin(minutes: 15, instances: 4))
struct ReloadStories {
    /// Runs `story` with a device whose configuration file is in the directory of its user.
    private static func run(
        _ text: String,
        _ story: @escaping @Sendable (Device, _ file: URL) async throws -> Void
    ) async throws {
        try await World.run { world in
            let file = world.directory.appending(path: "handoffd.conf")
            try Data(text.utf8).write(to: file)
            try await world.withDevice("laptop", ["--config", file.path()]) { try await story($0, file) }
        }
    }

    @Test("SIGHUP applies the file, and what is current stays offered")
    func signal() async throws {
        try await Self.run("") { laptop, file in
            try await laptop.publishing("org.example.edit") { _ in
                let before = try await laptop.json("status")["currentActivity"].string
                try Data("[handoffd]\nadapter = hci7\n[folders]\ndocs = /nowhere\n".utf8).write(to: file)
                laptop.signal(SIGHUP)
                try await laptop.log.event("settings.reloaded")
                let status = try await laptop.json("status")
                #expect(status["currentActivity"].string == before)
                #expect(try await laptop.json("folders").array.map { $0["id"].string } == ["docs"])
            }
        }
    }

    @Test("An invalid file keeps the old settings, and says what is wrong, in the log and in the answer")
    func invalid() async throws {
        try await Self.run("[folders]\ndocs = /nowhere\n") { laptop, file in
            try Data("[handoffd]\nfoldres = x\n".utf8).write(to: file)
            laptop.signal(SIGHUP)
            try await laptop.log.event("settings.refused")
            let answer = try await laptop.run("reload")
            #expect(answer.status == 1)
            #expect(answer.stderr.contains("line 2: foldres: there is no such setting"))
            #expect(try await laptop.json("folders").array.map { $0["id"].string } == ["docs"])
        }
    }

    @Test("A setting that needs a restart is named in the answer, in the log and by status")
    func needRestart() async throws {
        try await Self.run("[handoffd]\nbus = session\n") { laptop, file in
            try Data("[handoffd]\ntransport = gatt\nnotifies = no\n".utf8).write(to: file)
            let answer = try await laptop.json("reload")
            #expect(answer["applied"].array.map(\.string) == ["notifies"])
            #expect(answer["needRestart"].array.map(\.string) == ["transport"])
            try await laptop.log.line(containing: "a restart is needed for transport")
            #expect(try await laptop.run("status").stdout.contains("after a restart of handoffd: transport."))
        }
    }

    @Test("status --check exits with 1 and prints one line for each problem, and with 0 and nothing when all works")
    func check() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            let lonely = try await laptop.run("status", "--check")
            #expect(lonely.status == 1)
            #expect(lonely.stdout.hasPrefix("no-devices: "))
            #expect(lonely.stdout.split(separator: "\n").count == 1)
            let quiet = try await laptop.run("status", "--check", "--quiet")
            #expect((quiet.status, quiet.stdout, quiet.stderr) == (1, "", ""))
            #expect(try await laptop.run("--json", "status", "--check").stdout.contains(#""name":"no-devices""#))
            try await laptop.trustEachOther(desktop)
            let paired = try await laptop.run("status", "--check")
            #expect((paired.status, paired.stdout, paired.stderr) == (0, "", ""))
            #expect(try await laptop.run("--json", "status", "--check").stdout == "[]\n")
        }
        let absent = ["--bus", "unix:path=/nowhere", "status", "--check", "--quiet"]
        let result = try await HandoffTestSupport.run(Programs.handoffctl, absent, environment: [:])
        #expect((result.status, result.stdout, result.stderr) == (3, "", ""))
    }
}
