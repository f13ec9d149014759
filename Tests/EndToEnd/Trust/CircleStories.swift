import DBus
import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("All devices of a user trust each other", .endsWithin(minutes: 15, instances: 12))
struct CircleStories {
    /// Runs `story` with three devices: the laptop and the tablet trust the desktop, and do not know each other.
    private func run(
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device, _ tablet: Device) async throws -> Void
    ) async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await tablet.trustEachOther(desktop)
                try await story(world, laptop, desktop, tablet)
            }
        }
    }

    @Test("A device that joins through one member is known to all members as soon as they meet")
    func joining() async throws {
        try await run { _, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                try await tablet.knows("desktop", "laptop")
                try await laptop.hasLearnt(of: "tablet")
                try await tablet.hasLearnt(of: "laptop")
            }
            let own = try await desktop.id
            let seen = try #require(try await laptop.json("devices").array.first { $0["name"].string == "tablet" })
            #expect(seen["introducedBy"].string == own)
            #expect(seen["protocolVersion"].isNull, "they have not met yet")
            // The two devices can use each other although no card was exchanged between them.
            try await tablet.watching { watcher in
                try await laptop.publishing("org.example.draw") { _ in
                    // The desktop's entry may still be there for a moment.
                    try await watcher.until { $0.map(\.["deviceName"].string) == ["laptop"] }
                    #expect(try await tablet.json("continue", "--print")["type"].string == "org.example.draw")
                    let met = try await tablet.json("devices").array.first { $0["name"].string == "laptop" }
                    #expect(met?["protocolVersion"].number == 2)
                }
            }
        }
    }

    @Test(
        "Each member is notified when a device joins and when it is removed, even without notifications of activities"
    )
    func notifications() async throws {
        let screen = FakeNotificationServer("actions", "body")
        try await World.run { world in
            let configuration = world.directory.appending(path: "quiet.conf")
            try Data("[handoffd]\nnotifies = no\n".utf8).write(to: configuration)
            try await world.withDevice("laptop", ["--config", configuration.path()]) { laptop in
                try await screen.whileOnBus(on: laptop.bus) { _ in
                    try await world.withDevice("desktop") { desktop in
                        try await world.withDevice("tablet") { tablet in
                            try await laptop.trustEachOther(desktop)
                            #expect(try await screen.next().summary == "desktop joined your devices")
                            try await tablet.trustEachOther(desktop)
                            try await desktop.publishing("org.example.edit") { _ in
                                let joined = try await screen.next()
                                #expect(joined.summary == "tablet joined your devices")
                                #expect(joined.body == "desktop reported it. Remove it if it is not yours.")
                                _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
                                #expect(try await screen.next().summary == "tablet was removed from your devices")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("What nobody could show when a device joined and was removed is shown by the next notification server, once")
    func unseen() async throws {
        let screen = FakeNotificationServer("actions", "body")
        try await run { _, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
                try await laptop.knows("desktop")
            }
            try await screen.whileOnBus(on: laptop.bus) { _ in
                let summaries = [try await screen.next(), try await screen.next()].map(\.summary)
                #expect(summaries == ["tablet joined your devices", "tablet was removed from your devices"])
            }
            let next = FakeNotificationServer("actions", "body")
            try await next.whileOnBus(on: laptop.bus) { _ in
                _ = try await laptop.json("devices", "remove", "--yes", try await desktop.id)
                #expect(try await next.next().summary == "desktop was removed from your devices")
            }
        }
    }

    @Test("A device that hears that two others have removed each other notifies its user of the question")
    func question() async throws {
        let screen = FakeNotificationServer("actions", "body")
        try await run { world, laptop, desktop, tablet in
            let removed = try await tablet.id
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                try await tablet.knows("desktop", "laptop")
            }
            try await world.withDevice("phone") { phone in
                // Without that, the one that removes its only introducer would not trust it either.
                try await phone.trustEachOther(laptop)
                try await phone.trustEachOther(tablet)
                try await tablet.publishing("org.example.edit") { _ in
                    try await laptop.knows("desktop", "phone", "tablet")
                    try await phone.knows("desktop", "laptop", "tablet")
                }
                // The phone hears of one removal and the laptop of the other, while the other one is away.
                try await laptop.stop()
                _ = try await tablet.json("devices", "remove", "--yes", try await desktop.id)
                try await tablet.publishing("org.example.edit") { _ in try await phone.knows("laptop", "tablet") }
                try await phone.stop()
                try await tablet.stop()
            }
            _ = try await desktop.json("devices", "remove", "--yes", removed)
            try await world.withDevice("laptop") { laptop in
                try await desktop.publishing("org.example.edit") { _ in try await laptop.knows("desktop", "phone") }
                try await desktop.stop()
                try await screen.whileOnBus(on: laptop.bus) { _ in
                    try await world.withDevice("phone") { phone in
                        try await phone.publishing("org.example.edit") { _ in
                            var summary = try await screen.next().summary
                            while !summary.hasPrefix("Is ") { summary = try await screen.next().summary }
                            // About both, in either order.
                            #expect(
                                ["desktop", "tablet"].map { "Is \($0) still one of your devices?" }.contains(summary)
                            )
                        }
                    }
                }
            }
        }
    }

    @Test("Removing a device at a terminal does nothing after a no, and trusts one again that it had removed")
    func removedByRemoved() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
                try await laptop.knows("desktop")
            }
            let arguments = ["--bus", laptop.bus.address.description, "devices", "remove", "desktop"]
            try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "Remove desktop?")
                terminal.type("no")
                try await terminal.screen.line(containing: "Nothing was removed.")
                #expect(await terminal.process.exitStatus() == 1)
            }
            try await laptop.knows("desktop")
            try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "Remove desktop?")
                terminal.type("yes")
                try await terminal.screen.line(containing: "desktop has removed tablet. Trust it again?")
                terminal.type("yes")
                #expect(await terminal.process.exitStatus() == 0)
            }
            try await laptop.knows("tablet")
        }
    }

    @Test("Removing a device at a terminal asks about each device that only it has introduced, and keeps those named")
    func introduced() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
            }
            let arguments = ["--bus", laptop.bus.address.description, "devices", "remove", "desktop"]
            try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "Remove desktop?")
                terminal.type("yes")
                try await terminal.screen.line(containing: "Only desktop has introduced tablet. Is it yours?")
                terminal.type("yes")
                #expect(await terminal.process.exitStatus() == 0)
            }
            try await laptop.knows("tablet")
        }
    }

    @Test("A new name of a device reaches all members")
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
            #expect(result.status == 64)
            #expect(try await desktop.run("devices", "rename", "nothing", "name").status == 4)
        }
    }

    @Test("A member that was away during a removal and advertises nothing is updated by a directed advertisement")
    func passive() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.hasLearnt(of: "tablet")
            }
            try await laptop.stop()
            _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
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

    @Test("A removed device that leaves can join again, and removes no other device by it")
    func leaving() async throws {
        try await run { _, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await tablet.knows("desktop", "laptop")
            }
            _ = try await desktop.json("devices", "remove", "--yes", try await tablet.id)
            let left = try await tablet.json("devices", "leave", "--yes").array
            #expect(left.map { $0["name"].string } == ["desktop", "laptop"])
            #expect(try await tablet.json("devices").array.isEmpty)
            try await desktop.trustEachOther(tablet)
            try await desktop.publishing("org.example.edit") { _ in
                try await tablet.knows("desktop", "laptop")
                try await laptop.knows("desktop", "tablet")
            }
            #expect(try await desktop.json("devices").array.map { $0["name"].string } == ["laptop", "tablet"])
        }
    }

    @Test("A removal reaches an absent member; the removed device can read and open nothing, and can be trusted again")
    func removing() async throws {
        try await run { world, laptop, desktop, tablet in
            try await desktop.publishing("org.example.edit") { _ in
                try await laptop.knows("desktop", "tablet")
                try await tablet.knows("desktop", "laptop")
            }
            // The tablet is removed while the laptop's daemon is stopped.
            try await laptop.stop()
            let tabletID = try await tablet.id
            _ = try await desktop.json("devices", "remove", "--yes", tabletID)
            try await world.withDevice("laptop") { laptop in
                try await laptop.publishing("org.example.draw") { _ in
                    try await laptop.knows("desktop")
                }
                try await desktop.publishing("org.example.edit") { _ in
                    // The laptop has the desktop's new key. The tablet, which scans as actively, does not.
                    try await tablet.watching { watcher in
                        try await laptop.watching { _ = try await $0.one() }
                        try await watcher.until { $0.allSatisfy { $0["type"].string != "org.example.edit" } }
                    }
                }
                // What is published next is another activity, although of the same type.
                try await laptop.watching { try await $0.none() }
                // Its old identity is not trusted again.
                let card = try await tablet.json("devices", "card")["card"].string
                let refused = try await desktop.run("--json", "devices", "trust", card)
                #expect(try JSON(refused.stderr)["name"].string == "org.handoffd.Error.DeviceRemoved")
                _ = try await tablet.json("devices", "leave", "--yes")
                try await desktop.trustEachOther(tablet)
                try await desktop.publishing("org.example.edit") { _ in
                    // The answer to the fetch shows the laptop that its copy of the circle is outdated.
                    try await laptop.watching { _ = try await $0.one() }
                    #expect(try await laptop.json("continue", "--print")["type"].string == "org.example.edit")
                    try await laptop.knows("desktop", "tablet")
                }
            }
        }
    }
}

extension Device {
    /// Waits until this device lists that one.
    func hasLearnt(of name: String) async throws {
        try await until("the device \(name)", isLooking: true) { try await $0.listedDevices.contains(name) }
    }

    /// Waits until this device trusts exactly these devices.
    func knows(_ names: String...) async throws {
        try await until("the devices \(names)", isLooking: true) { try await $0.listedDevices == names }
    }
}
