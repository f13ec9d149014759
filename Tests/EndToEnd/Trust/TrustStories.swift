import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "Only devices that trust each other have anything to do with each other",
    .endsWithin(minutes: 15, instances: 6)
)
struct TrustStories {
    @Test("a device that is not trusted sees nothing")
    func stranger() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("stranger") { stranger in
                try await stranger.trust(desktop)
                try await laptop.publishing("org.example.edit") { _ in
                    try await stranger.watching { watcher in
                        try await desktop.watching { _ = try await $0.one() }
                        try await desktop.publishing("org.example.draw") { _ in
                            // It sees the one that it trusts, and by then it has heard the other many times.
                            let seen = try await watcher.one()
                            #expect(seen["deviceName"].string == "desktop")
                        }
                    }
                }
            }
        }
    }

    @Test("a device that does not trust back refuses, in a sentence that says what to compare")
    func oneSided() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop") { desktop in
                    try await world.withDevice("tablet") { tablet in
                        // The laptop advertises, for somebody; the desktop can read it, and is a stranger there.
                        try await laptop.trust(tablet)
                        try await desktop.trust(laptop)
                        try await laptop.publishing("org.example.edit") { _ in
                            try await desktop.watching { watcher in
                                _ = try await watcher.one()
                                let result = try await desktop.run("--json", "continue", "--print")
                                #expect(result.status == 1)
                                let error = try JSON(result.stderr)
                                #expect(error["name"].string == "org.handoffd.Error.NotTrusted")
                                #expect(error["error"].string.contains("trust"))
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("a removed device leaves the list at once, and cannot fetch")
    func removed() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await laptop.trust(tablet)
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit") { _ in
                        _ = try await watcher.one()
                        let removed = try await laptop.json("devices", "remove", try await desktop.id)
                        #expect(removed["name"].string == "desktop")
                        let result = try await desktop.run("--json", "continue", "--print")
                        #expect(result.status == 1)
                        let error = result.stderr
                        #expect(try JSON(error)["name"].string == "org.handoffd.Error.NotTrusted", "\(error)")
                        // And the other way round.
                        _ = try await desktop.json("devices", "remove", try await laptop.id)
                        try await atOnce { try await watcher.none() }
                    }
                }
            }
        }
    }

    @Test("with its last trusted device removed, a device is silent")
    func lastRemoved() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    _ = try await laptop.json("devices", "remove", try await desktop.id)
                    // Nothing is told any more, and nobody is there to say farewell to: the entry times out.
                    let result = try await desktop.run("continue", "--print")
                    #expect(result.status == 1)
                }
            }
        }
    }

    @Test("cards that are damaged, newer, or this device's own are refused by name")
    func cards() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let card = try await laptop.json("devices", "card")["card"].string
                var damaged = Array(card)
                damaged[20] = damaged[20] == "a" ? "b" : "a"
                for (text, name) in [(card, "OwnCard"), (String(damaged), "InvalidCard"), ("hello", "InvalidCard")] {
                    let result = try await laptop.run("--json", "devices", "trust", text)
                    #expect(result.status == 1)
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.\(name)")
                }
                #expect(try await laptop.json("devices").array.isEmpty)
            }
        }
    }

    @Test("a device is named by the beginning of its id, if that is enough; one that is not there is not found")
    func removingByPrefix() async throws {
        try await World.runPair { _, laptop, desktop in
            #expect(try await laptop.run("devices", "remove", "nothing").status == 4)
            #expect(try await laptop.run("devices", "remove", "").status == 4)
            let prefix = String(try await desktop.id.prefix(6)).uppercased()
            #expect(try await laptop.json("devices", "remove", prefix)["name"].string == "desktop")
            #expect(try await laptop.json("devices").array.isEmpty)
        }
    }

    @Test("trust is kept over a restart")
    func kept() async throws {
        try await World.runPair { world, laptop, desktop in
            laptop.signal(SIGTERM)
            #expect(await laptop.process.exitStatus() == 0)
            try await world.withDevice("laptop") { (laptop) async throws in
                #expect(try await laptop.json("devices").array.map { $0["name"].string } == ["desktop"])
            }
        }
    }
}
