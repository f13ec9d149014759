import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A pairing whose last message was lost ends with the same result on both devices",
    .endsWithin(minutes: 15, instances: 6)
)
struct PairingReconciliationStories {
    /// Runs `body` with the terminal of a desktop that has confirmed, and whose peer died before its user confirmed.
    private static func withUnanswered(
        in world: World,
        _ desktop: Device,
        _ body: @escaping @Sendable (Terminal) async throws -> Void
    ) async throws {
        try await desktop.pairing { other in
            try await world.withDevice("tablet") { tablet in
                try await tablet.pairing { one in
                    _ = (try await one.digits(), try await other.digits())
                    tablet.signal(SIGSTOP)
                    other.type("yes")
                    try await other.screen.line(containing: "Waiting for the answer on tablet")
                    // The terminal shows what the user typed before the daemon has saved and sent the confirmation.
                    try await desktop.showsUnconfirmed("tablet")
                    tablet.signal(SIGKILL)
                    _ = await tablet.process.exitStatus()
                }
            }
            try await body(other)
        }
    }

    @Test("A device that dies before it receives the peer's confirmation is paired as soon as it is back")
    func diedBeforeTheAnswer() async throws {
        try await World.runUnpaired { world, _, desktop in
            try await desktop.pairing { other in
                try await world.withDevice("tablet") { tablet in
                    try await tablet.pairing { one in
                        _ = (try await one.digits(), try await other.digits())
                        // What was heard before is in the log when this is.
                        try await desktop.log.event("pairing.compared")
                        let heard = desktop.heard
                        one.type("yes")
                        _ = try await desktop.log.first { _ in desktop.heard > heard ? true : nil }
                        // The tablet has confirmed and receives nothing any more.
                        tablet.signal(SIGSTOP)
                        other.type("yes")
                        try await other.screen.line(containing: "Paired with tablet")
                        #expect(await other.process.exitStatus() == 0)
                        tablet.signal(SIGKILL)
                        _ = await tablet.process.exitStatus()
                        #expect(await one.process.exitStatus() == 3)
                    }
                }
            }
            #expect(try await desktop.trusts() == ["tablet trusted"])
            try await world.withDevice("tablet") { tablet in
                try await tablet.log.event("pairing.settled")
                #expect(try await tablet.trusts() == ["desktop trusted"])
            }
        }
    }

    @Test("A device whose peer dies before confirming learns that nothing was paired")
    func diedBeforeItsYes() async throws {
        try await World.runUnpaired { world, _, desktop in
            try await Self.withUnanswered(in: world, desktop) { other in
                try await world.withDevice("tablet") { tablet in
                    try await other.screen.line(containing: "The pairing was not confirmed on tablet")
                    #expect(await other.process.exitStatus() == 1)
                    #expect(try await tablet.trusts().isEmpty)
                }
            }
            #expect(try await desktop.trusts().isEmpty)
        }
    }

    @Test("An unconfirmed pairing is shown as unconfirmed, gives no rights, survives a restart and can be removed")
    func unconfirmed() async throws {
        try await World.runUnpaired { world, laptop, desktop in
            try await Self.withUnanswered(in: world, desktop) { other in
                try await other.screen.line(containing: "has not answered")
                #expect(await other.process.exitStatus() == 5)
            }
            desktop.signal(SIGTERM)
            #expect(await desktop.process.exitStatus() == 0)
            try await world.withDevice("desktop") { desktop in
                let devices = try await desktop.json("devices").array
                #expect(devices.map { $0["state"].string } == ["unconfirmed"])
                #expect(try await desktop.json("status")["trustedDevices"].number == 0)
                _ = try await desktop.json("devices", "remove", "--yes", devices[0]["id"].string)
                #expect(try await desktop.trusts().isEmpty)
            }
        }
    }
}

extension Device {
    /// The number of pairing messages that this device has received.
    var heard: Int { log.lines.count { $0.isLogLine(of: "pairing.heard") } }

    /// Waits until a device is shown as unconfirmed.
    func showsUnconfirmed(_ name: String) async throws {
        try await connected { client in
            try await client.first {
                try await client.unconfirmedDevices().contains { $0.name == name } ? () : nil
            }
        }
    }
}
