import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "Only devices that trust each other see or use each other's activities",
    .endsWithin(minutes: 15, instances: 6)
)
struct TrustStories {
    @Test("A device whose trust is not returned sees no activity, and has nothing to continue")
    func stranger() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await tablet.trust(desktop)
                try await tablet.trust(laptop)
                try await laptop.publishing("org.example.edit") { _ in
                    try await desktop.publishing("org.example.draw") { _ in
                        try await tablet.watching { _ in
                            try await desktop.watching { _ = try await $0.one() }
                            try await laptop.watching { _ = try await $0.one() }
                            // By then the tablet, too, has received both devices' advertisements many times.
                            #expect(try await tablet.json("nearby").array.isEmpty)
                            #expect(try await tablet.run("continue", "--print").status != 0)
                        }
                    }
                }
            }
        }
    }

    @Test("A removed device cannot fetch, and its activity leaves the list at once")
    func removed() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await laptop.trust(tablet)
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit") { _ in
                        _ = try await watcher.one()
                        let removed = try await laptop.json("devices", "remove", "--yes", try await desktop.id)
                        #expect(removed["name"].string == "desktop")
                        let result = try await desktop.run("--json", "continue", "--print")
                        #expect(result.status == 1)
                        let error = result.stderr
                        // The laptop may have a new address already, with its new key.
                        let names = ["NotTrusted", "PeerUnreachable"].map { "org.handoffd.Error.\($0)" }
                        #expect(names.contains(try JSON(error)["name"].string), "\(error)")
                        // The same in the other direction.
                        _ = try await desktop.json("devices", "remove", "--yes", try await laptop.id)
                        try await atOnce { try await watcher.none() }
                    }
                }
            }
        }
    }

    @Test("A device whose last trusted device was removed stops advertising")
    func lastRemoved() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    _ = try await laptop.json("devices", "remove", "--yes", try await desktop.id)
                    // No withdrawal is sent, since no device is left that could read it: the entry times out.
                    let result = try await desktop.run("continue", "--print")
                    #expect(result.status == 1)
                }
            }
        }
    }

    @Test("Damaged cards, texts that are no card, and the device's own card are refused by name")
    func cards() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let card = try await laptop.json("devices", "card")["card"].string
                var damaged = Array(card)
                damaged[20] = damaged[20] == "a" ? "b" : "a"
                for (text, name) in [(card, "OwnCard"), (String(damaged), "InvalidCard"), ("hello", "InvalidCard")] {
                    let result = try await laptop.run("--json", "devices", "trust", text)
                    #expect(result.status == 64)
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.\(name)")
                }
                #expect(try await laptop.json("devices").array.isEmpty)
            }
        }
    }

    @Test("A device is removed by eight digits of its id, and not by fewer; an unknown id is not found")
    func removingByPrefix() async throws {
        try await World.runPair { _, laptop, desktop in
            #expect(try await laptop.run("devices", "remove", "nothing").status == 4)
            #expect(try await laptop.run("devices", "remove", "").status == 4)
            let prefix = String(try await desktop.id.prefix(8)).uppercased()
            let short = try await laptop.run("devices", "remove", "--yes", String(prefix.dropLast()))
            #expect(short.status == 4 && short.stderr.contains("cannot be undone"))
            #expect(try await laptop.json("devices").array.count == 1)
            #expect(try await laptop.json("devices", "remove", "--yes", prefix)["name"].string == "desktop")
            #expect(try await laptop.json("devices").array.isEmpty)
        }
    }

    @Test("A device is named by its name, in any case, and names that two devices share are told with the ids")
    func names() async throws {
        try await World.runPair { world, laptop, desktop in
            #expect(try await laptop.json("devices", "rename", "Desktop", "Büro")["name"].string == "Büro")
            try await world.withDevice("tablet") { tablet in
                try await laptop.trustEachOther(tablet)
                _ = try await laptop.json("devices", "rename", "tablet", "büro")
                let ambiguous = try await laptop.run("devices", "remove", "--yes", "büro")
                #expect(ambiguous.status == 4)
                for id in [try await desktop.id, try await tablet.id] { #expect(ambiguous.stderr.contains(id)) }
                #expect(
                    try await laptop.json("devices", "remove", "--yes", try await tablet.id)["name"].string == "büro"
                )
                #expect(try await laptop.json("devices", "remove", "--yes", "BÜRO")["name"].string == "Büro")
                #expect(try await laptop.json("devices").array.isEmpty)
            }
        }
    }

    @Test("Leaving and removing ask at a terminal, no is the default, and without a terminal they need --yes")
    func questions() async throws {
        try await World.runPair { world, laptop, desktop in
            let bus = ["--bus", laptop.bus.address.description]
            for command in [["devices", "leave"], ["devices", "remove", "desktop"]] {
                #expect(try await laptop.run(command).status == 64)
                let arguments = bus + command
                try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                    try await terminal.screen.line(containing: "Type yes, or anything else for no.")
                    terminal.type("")
                    #expect(await terminal.process.exitStatus() == 1)
                }
                #expect(try await laptop.json("devices").array.count == 1)
            }
            let arguments = bus + ["devices", "leave"]
            try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "This device forgets desktop.")
                terminal.type("yes")
                #expect(await terminal.process.exitStatus() == 0)
            }
            #expect(try await laptop.json("devices").array.isEmpty)
        }
    }

    @Test("Trust survives a restart of the daemon")
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
