import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Handoff on a lossy or partitioned air", .endsWithin(minutes: 15, instances: 4))
struct AirStories {
    @Test("A fetch cut off by a partition fails in bounded time, and both daemons keep working")
    func partitionDuringContinue() async throws {
        try await World.runPair { world, laptop, desktop in
            // Slow enough to be cut off in the middle: 60 KB at 2000 bytes a second.
            try world.setAir { $0.bandwidth = 2000 }
            let text = String(repeating: "x", count: 60_000)
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--user-info", #"{"text": "\#(text)"}"#]) { _ in
                    _ = try await watcher.one()
                    try await desktop.withControl(["continue", "--print"]) { process, _ in
                        try await laptop.log.event("request.received")
                        try world.setAir { $0.apart = [["laptop"], ["desktop"]] }
                        let errors = await process.stderr.text()
                        #expect(await process.exitStatus() == 1)
                        let name = try JSON(errors)["name"].string
                        #expect(["PeerUnreachable", "TimedOut"].map { "org.handoffd.Error.\($0)" }.contains(name))
                    }
                    try world.setNearAir()
                    // The origin may have changed its address meanwhile; the entry follows when it is heard.
                    try await watcher.untilNear()
                    #expect(try await desktop.json("continue", "--print")["userInfo"]["text"].string == text)
                }
            }
        }
    }

    @Test("An origin out of reach is reported with its name")
    func outOfReach() async throws {
        try await World.runPair { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    try world.setAir { $0.apart = [["laptop"], ["desktop"]] }
                    let result = try await desktop.run("--json", "continue", "--print")
                    #expect(result.status == 1)
                    let error = try JSON(result.stderr)
                    #expect(error["name"].string == "org.handoffd.Error.PeerUnreachable")
                    #expect(error["error"].string.contains("laptop"))
                }
            }
        }
    }

    @Test("An activity is discovered and continued while half of all packets are lost")
    func loss() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.setAir { $0.loss = 0.5 }
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["title"].string == "T")
                }
            }
        }
    }

    @Test("After the origin's radio is switched off and on, its entry comes back without user action")
    func powerCycle() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                let before = laptop.log.lines.count
                try world.setAir { $0.off = ["laptop"] }
                try await laptop.log.event("radio.unavailable", from: before)
                let status = try await laptop.json("status")
                #expect(status["radioState"].string == "BluetoothOff")
                #expect(!status["radioMessage"].string.isEmpty)
                try world.setNearAir()
                try await laptop.log.event("radio.ready", from: before)
                try await desktop.watching { watcher in
                    try await watcher.untilNear()
                    #expect(try await desktop.json("continue", "--print")["type"].string == "org.example.edit")
                }
            }
        }
    }

    @Test("A continuation on a device whose radio is off fails with BluetoothOff")
    func ownRadioOff() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                try world.setAir { $0.off = ["desktop"] }
                try await desktop.log.event("radio.unavailable")
                let result = try await desktop.run("--json", "continue", "--print")
                #expect(result.status == 1)
                #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.BluetoothOff")
            }
        }
    }

    @Test("While this device's radio is off, nothing is nearby, and what was there fails with the reason")
    func nothingWhileOff() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { watcher in
                    let first = try await watcher.one()
                    try world.setAir { $0.off = ["desktop"] }
                    // Long before the entry would time out.
                    try await watcher.none()
                    try await Self.checkAbsence(of: try #require(first["id"].number), on: desktop)
                    try world.setAir { _ in }
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["type"].string == "org.example.edit")
                }
            }
        }
    }

    /// Checks what is told about an activity that was nearby before the radio was switched off.
    private static func checkAbsence(of id: Double, on desktop: Device) async throws {
        let message = try await desktop.json("status")["radioMessage"].string
        #expect(try await desktop.run("nearby").stdout == "nothing nearby: \(message)\n")
        for arguments in [["continue", String(Int(id))], ["continue", "--type", "org.example.edit"]] {
            let result = try await desktop.run(["--json"] + arguments)
            #expect(result.status == 1)
            #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.BluetoothOff")
            #expect(try JSON(result.stderr)["error"].string == message)
        }
        try await desktop.connected { client in
            let error = await #expect(throws: DBusError.self) {
                try await client.continueActivity(HandoffName.nearbyActivity(UInt64(id)))
            }
            #expect(error?.name == "org.handoffd.Error.BluetoothOff")
            #expect(error?.message == message)
            let unknown = await #expect(throws: DBusError.self) {
                try await client.continueActivity(HandoffName.nearbyActivity(99))
            }
            #expect(unknown?.name == .unknownObject)
        }
    }

    @Test(
        "An unauthenticated peer that knows the port gets no answer and disturbs no one",
        arguments: [
            RawRequest("no bytes", []), RawRequest("an empty frame", [0, 0]),
            RawRequest("a frame header without its content", [0xFF, 0xFF]),
            RawRequest("a frame that is too short", [0, 3, 1, 2, 3]),
            RawRequest("many arbitrary bytes", [UInt8](repeating: 7, count: 2000)),
            RawRequest("arbitrary bytes in a frame of the right size", [0, 96] + [UInt8](repeating: 1, count: 96)),
        ]
    )
    func stranger(_ request: RawRequest) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                #expect(try await UntrustedClient.exchange(request.bytes, at: laptop) == [])
                try await laptop.log.event("session.failed")
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["title"].string == "T")
                }
            }
        }
    }
}

/// What an unauthenticated peer sends, with its name in the test report.
struct RawRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        testDescription = name
        self.bytes = bytes
    }
}

/// The strength at which a device is heard for the first time in the air of ``World/setNearAir()``, in dBm.
private let nearSignal: Int8 = -40

extension World {
    /// Changes the air to one without faults, in which the laptop and the desktop are nearer than in any other: what is
    /// heard from then on is heard with another strength.
    fileprivate func setNearAir() throws {
        try setAir { $0.signals = [Air.Pair("laptop", "desktop"): nearSignal] }
    }
}

extension NearbyWatcher {
    /// Waits until the one activity was heard in the air of ``World/setNearAir()``.
    fileprivate func untilNear() async throws {
        try await until { $0.count == 1 && $0[0]["rssi"].number == Double(nearSignal) }
    }
}
