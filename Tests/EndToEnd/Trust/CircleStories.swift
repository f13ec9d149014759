import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The devices of one person know each other", .endsWithin(minutes: 15, instances: 8))
struct CircleStories {
    /// Three devices, of which the laptop and the tablet know the desktop, and not each other.
    private func run(
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device, _ tablet: Device) async throws -> Void
    ) async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await tablet.trust(desktop)
                try await desktop.trust(tablet)
                try await story(world, laptop, desktop, tablet)
            }
        }
    }

    @Test("who joins through one member is known to all as soon as they meet")
    func joining() async throws {
        try await run { _, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                try await tablet.knows("desktop", "laptop")
                // Whichever came first hears more of the other in its turn, without anything of its own on the air.
                try await laptop.hasHeard(of: "tablet")
                try await tablet.hasHeard(of: "laptop")
            }
            let own = try await desktop.id
            let seen = try #require(try await laptop.json("devices").array.first { $0["name"].string == "tablet" })
            #expect(seen["introducedBy"].string == own)
            // And what was never exchanged by hand can be used.
            try await tablet.watching { watcher in
                try await laptop.publishing("org.example.draw") { _ in
                    // What the desktop offered before may be there a little longer.
                    try await watcher.until { $0.map(\.["deviceName"].string) == ["laptop"] }
                    #expect(try await tablet.json("continue", "--print")["type"].string == "org.example.draw")
                }
            }
        }
    }

    @Test("a name that one device gives counts on all")
    func renaming() async throws {
        try await run { _, laptop, desktop, tablet in
            let laptopID = try await laptop.id
            let ownName = try await desktop.json("devices", "rename", try await desktop.id, "Kitchen")
            #expect(ownName["name"].string == "Kitchen")
            _ = try await desktop.json("devices", "rename", laptopID, "Travel")
            #expect(try await desktop.json("status")["deviceName"].string == "Kitchen")
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("Kitchen", "tablet")
                try await tablet.knows("Kitchen", "Travel")
            }
            #expect(try await laptop.json("status")["deviceName"].string == "Travel")
            let result = try await desktop.run("--json", "devices", "rename", laptopID, "")
            #expect(result.status == 1)
            #expect(try await desktop.run("devices", "rename", "nothing", "name").status == 4)
        }
    }

    @Test("who was away during a removal and has nothing itself is told by an advertisement for it alone")
    func passive() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.hasHeard(of: "tablet")
            }
            laptop.signal(SIGTERM)
            #expect(await laptop.process.exitStatus() == 0)
            _ = try await desktop.json("devices", "remove", try await tablet.id)
            try await world.withDevice("laptop") { laptop in
                #expect(try await laptop.json("devices").array.count == 2)
                try await desktop.publishing("org.example.draw") { _ in
                    try await laptop.knows("desktop")
                    try await laptop.watching { _ = try await $0.one() }
                    #expect(try await laptop.json("continue", "--print")["type"].string == "org.example.draw")
                }
            }
        }
    }

    @Test("a device that was removed and leaves can join again, and takes nobody away from the others")
    func leaving() async throws {
        try await run { _, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await tablet.knows("desktop", "laptop")
            }
            _ = try await desktop.json("devices", "remove", try await tablet.id)
            let left = try await tablet.json("devices", "leave").array
            #expect(left.map { $0["name"].string } == ["desktop", "laptop"])
            #expect(try await tablet.json("devices").array.isEmpty)
            try await desktop.trust(tablet)
            try await tablet.trust(desktop)
            try await desktop.publishing("org.example.edit") { _ in
                try await tablet.knows("desktop", "laptop")
                try await laptop.knows("desktop", "tablet")
            }
            #expect(try await desktop.json("devices").array.map { $0["name"].string } == ["laptop", "tablet"])
        }
    }

    @Test("a removal reaches who was away; the removed one can read nothing and open nothing, and may come back")
    func removing() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                try await tablet.knows("desktop", "laptop")
            }
            // The laptop is away while the tablet is removed.
            laptop.signal(SIGTERM)
            #expect(await laptop.process.exitStatus() == 0)
            let tabletID = try await tablet.id
            _ = try await desktop.json("devices", "remove", tabletID)
            try await world.withDevice("laptop") { laptop in
                try await laptop.publishing("org.example.draw") { _ in
                    try await laptop.knows("desktop")
                }
                try await desktop.publishing("org.example.edit") { _ in
                    // The laptop has the desktop's new key, and the tablet, which listens as hard, does not.
                    try await tablet.watching { watcher in
                        try await laptop.watching { _ = try await $0.one() }
                        try await watcher.until { $0.allSatisfy { $0["type"].string != "org.example.edit" } }
                    }
                }
                try await desktop.trust(tablet)
                try await tablet.trust(desktop)
                try await desktop.publishing("org.example.edit") { _ in
                    // What it fetches comes with the word that there is more to know.
                    try await laptop.watching { _ = try await $0.one() }
                    #expect(try await laptop.json("continue", "--print")["type"].string == "org.example.edit")
                    try await laptop.knows("desktop", "tablet")
                }
            }
        }
    }
}

extension Device {
    /// Waits until what that device says of itself has reached this one.
    fileprivate func hasHeard(of name: String) async throws {
        try await watching { _ in
            while true {
                let found = try await json("devices").array.first { $0["name"].string == name }
                if let found, found["protocolVersion"].number == 1 { return }
                await Task.yield()
            }
        }
    }

    /// Waits until this device trusts exactly those.
    fileprivate func knows(_ names: String...) async throws {
        try await watching { _ in
            while try await json("devices").array.map({ $0["name"].string }) != names { await Task.yield() }
        }
    }
}
