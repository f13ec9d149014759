import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A device that cannot save that it is paired, or dies meanwhile, is paired as soon as it can",
    .endsWithin(minutes: 15, instances: 6)
)
struct PairingCrashStories {
    /// Runs `body` when the digits are shown on both, and `desktop` has confirmed and `tablet` knows.
    private static func withOneAnswer(
        _ tablet: Device,
        _ desktop: Device,
        _ other: Terminal,
        _ body: @escaping @Sendable (Terminal) async throws -> Void
    ) async throws {
        try await tablet.pairing { one in
            _ = (try await one.digits(), try await other.digits())
            let heard = tablet.heard
            other.type("yes")
            try await other.screen.line(containing: "Waiting for the answer on tablet")
            _ = try await tablet.log.first { _ in tablet.heard > heard ? true : nil }
            try await body(one)
        }
    }

    @Test(
        "Killed while it saves its trust in the pairing, and again in the reconciliation, it is paired when it is back"
    )
    func killedTwice() async throws {
        try await World.runUnpaired { world, _, desktop in
            let blocked = world.stateDirectory(of: "tablet") + "/.devices.new"
            try await desktop.pairing { other in
                try await world.withDevice("tablet") { tablet in
                    try await Self.withOneAnswer(tablet, desktop, other) { one in
                        // Opening a pipe for writing blocks until somebody reads from it.
                        try #require(mkfifo(blocked, 0o600) == 0)
                        let writes = tablet.writes
                        one.type("yes")
                        try await other.screen.line(containing: "Paired with tablet")
                        #expect(await other.process.exitStatus() == 0)
                        try await tablet.kill(afterWrites: writes + 1)
                    }
                }
            }
            try await world.withDevice("tablet") { tablet in try await tablet.kill(afterWrites: 0) }
            try FileManager.default.removeItem(atPath: blocked)
            try await world.withDevice("tablet") { tablet in
                try await tablet.log.event("pairing.settled")
                #expect(try await tablet.trusts() == ["desktop trusted"])
            }
            #expect(try await desktop.trusts() == ["tablet trusted"])
        }
    }

    @Test("While its disk takes no list of devices it is unconfirmed, and with room on the disk it is paired")
    func fullDisk() async throws {
        try await World.runUnpaired { world, _, desktop in
            let blocked = world.stateDirectory(of: "tablet") + "/.devices.new"
            try await desktop.pairing { other in
                try await world.withDevice("tablet") { tablet in
                    try await Self.withOneAnswer(tablet, desktop, other) { one in
                        // The draft of `devices` cannot be opened (open(2), ENXIO); all other files can be written.
                        try #require(mknod(blocked, S_IFSOCK | 0o600, 0) == 0)
                        let start = tablet.log.lines.count
                        one.type("yes")
                        try await other.screen.line(containing: "Paired with tablet")
                        try await tablet.log.event("pairing.unwritten")
                        try await tablet.showsUnconfirmed("desktop")
                        // The desktop has asked, and the tablet could not save the answer.
                        try await tablet.log.event("session.failed", from: start)
                        #expect(try await tablet.trusts() == ["desktop unconfirmed"])
                        try FileManager.default.removeItem(atPath: blocked)
                        try await one.screen.line(containing: "Paired with desktop")
                        #expect(await one.process.exitStatus() == 0)
                        #expect(try await tablet.trusts() == ["desktop trusted"])
                    }
                }
            }
        }
    }
}

extension Device {
    /// How many writes the daemon has begun.
    fileprivate var writes: Int { log.lines.count { $0.isLogLine(of: "state.writing") } }

    /// Kills the daemon once it has begun one more write than that many.
    fileprivate func kill(afterWrites count: Int) async throws {
        _ = try await log.first { _ in writes > count ? true : nil }
        signal(SIGKILL)
        _ = await process.exitStatus()
    }
}
