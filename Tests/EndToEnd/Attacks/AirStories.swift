import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("When the air is bad", .endsWithin(minutes: 15, instances: 4))
struct AirStories {
    @Test("the way is cut while an activity is being fetched: an error in bounded time, and the daemons are well")
    func partitionDuringContinue() async throws {
        try await World.runPair { world, laptop, desktop in
            // Slow enough to be cut in the middle: 60 KB at 2000 bytes a second.
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
                    try world.setAir { _ in }
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["userInfo"]["text"].string == text)
                }
            }
        }
    }

    @Test("the origin is out of reach: an error that says what to do")
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

    @Test("half of all packets are lost: it is seen and continued all the same")
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

    @Test("the origin's radio is switched off and on: the entry comes back by itself")
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
                let seen = try await desktop.json("nearby").array.first?["lastSeen"].number ?? 0
                try world.setAir { _ in }
                try await laptop.log.event("radio.ready", from: before)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    try await desktop.untilHeard(after: seen)
                    #expect(try await desktop.json("continue", "--print")["type"].string == "org.example.edit")
                }
            }
        }
    }

    @Test("a device whose radio is off says so to whoever wants to continue")
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

    @Test(
        "a stranger who knows the port gets nothing, and disturbs nobody",
        arguments: [
            RawRequest("nothing", []), RawRequest("an empty frame", [0, 0]),
            RawRequest("a frame of which nothing comes", [0xFF, 0xFF]),
            RawRequest("a frame that is too short", [0, 3, 1, 2, 3]),
            RawRequest("much of anything", [UInt8](repeating: 7, count: 2000)),
            RawRequest("a frame of the right size", [0, 96] + [UInt8](repeating: 1, count: 96)),
        ]
    )
    func stranger(_ request: RawRequest) async throws {
        try await World.runPair { world, laptop, desktop in
            let card = try await laptop.json("devices", "card")["card"].string
            try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                #expect(try await UntrustedClient.exchange(request.bytes, at: card, in: world.airDirectory) == [])
                try await laptop.log.event("session.failed")
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["title"].string == "T")
                }
            }
        }
    }
}

/// What a stranger says, with a name by which the tests' log speaks of it.
struct RawRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        testDescription = name
        self.bytes = bytes
    }
}

extension Device {
    /// Waits until something was heard after that moment, in microseconds since 1970.
    fileprivate func untilHeard(after moment: Double) async throws {
        while try await json("nearby").array.first?["lastSeen"].number ?? 0 <= moment { await Task.yield() }
    }
}
