import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

// As for the pairing at a terminal.
@Suite("Two users pair two devices by notifications", .endsWithin(minutes: 15, instances: 12))
struct DesktopPairingStories {
    /// A device with a panel, notifications and handoff-desktop.
    private struct Screen: Sendable {
        let notifications: FakeNotificationServer
        let server: Connection
        let item: TrayedItem
        let desktop: ChildProcess

        /// Presses "They match" until that counts; returns the digits.
        func confirm() async throws -> String {
            var shown = try await notifications.next(with: "match")
            let digits = shown.summary
            while shown.actions.contains("match") {
                notifications.click("", shown.id, action: "match", over: server)
                shown = try await notifications.next()
            }
            return digits
        }
    }

    /// Runs `story` with the screens of two devices that do not trust each other, on both of which the user pairs.
    private static func run(
        _ story: @escaping @Sendable (_ laptop: Device, Screen, _ desktop: Device, Screen) async throws -> Void
    ) async throws {
        try await World.runUnpaired { world, laptop, desktop in
            try await withScreen(laptop, world) { one in
                try await withScreen(desktop, world) { other in
                    try await one.item.click("Pair a device…")
                    try await other.item.click("Pair a device…")
                    try await story(laptop, one, desktop, other)
                }
            }
        }
    }

    private static func withScreen(
        _ device: Device,
        _ world: World,
        _ body: @escaping @Sendable (Screen) async throws -> Void
    ) async throws {
        let notifications = FakeNotificationServer("actions", "body")
        try await notifications.whileOnBus(on: device.bus) { server in
            try await TrayHost.whileOnBus(on: device.bus) { host in
                try await device.bus.withDesktop(in: world) { desktop in
                    let item = try await host.item()
                    try await body(
                        Screen(notifications: notifications, server: server, item: item, desktop: desktop)
                    )
                }
            }
        }
    }

    @Test("Both show the same digits, and once both users have pressed that they match, the devices are paired")
    func paired() async throws {
        try await Self.run { laptop, one, desktop, other in
            let (first, second) = (try await one.confirm(), try await other.confirm())
            #expect(first == second && first.filter(\.isNumber).count == 6)
            for (device, screen) in [(laptop, one), (desktop, other)] {
                try await device.until("the other device") { try await $0.listedDevices.count == 1 }
                try await screen.item.until { $0.label == "Pair a device…" }
                #expect(screen.notifications.summaries.contains { $0.hasPrefix("Paired with ") })
            }
        }
    }

    @Test("Closing the digits, or clicking beside the buttons, is no answer: the menu shows them again")
    func closed() async throws {
        try await Self.run { laptop, one, desktop, other in
            let shown = try await one.notifications.next(with: "match")
            #expect(shown.hints["urgency"] == .byte(2) && shown.hints["resident"] == .boolean(true))
            one.notifications.click("", shown.id, action: "default", over: one.server)
            one.notifications.dismiss(shown.id, over: one.server)
            try await one.item.until(status: "NeedsAttention")
            try await one.item.click("Show the digits again")
            let again = try await one.notifications.next(with: "match")
            #expect(again.summary == shown.summary && again.replaces == 0)
            _ = try await other.confirm()
            #expect(try await desktop.json("devices").array.allSatisfy { $0["state"].string != "trusted" })
            one.notifications.click("", again.id, action: "differ", over: one.server)
            try await one.notifications.next("Not paired")
            try await other.notifications.next("Not paired")
            #expect(try await laptop.json("devices").array.isEmpty)
        }
    }

    @Test("Stopping from the menu ends it on both devices, and a daemon that stops is told")
    func stopped() async throws {
        try await Self.run { _, one, desktop, other in
            _ = try await one.notifications.next(with: "match")
            _ = try await other.notifications.next(with: "match")
            try await one.item.click("Stop pairing")
            try await one.item.until { $0.label == "Pair a device…" }
            try await other.notifications.next("Not paired")
            try await other.item.click("Pair a device…")
            try await other.item.until { $0.label.hasPrefix("Looking for a device") }
            desktop.signal(SIGKILL)
            try await other.notifications.next("Pairing has ended")
        }
    }

    @Test(
        "A panel that ends or dies while it shows the digits has said no, whatever the other one says",
        arguments: [SIGTERM, SIGKILL]
    )
    func killed(by signal: Int32) async throws {
        try await Self.run { laptop, one, desktop, other in
            _ = try await one.notifications.next(with: "match")
            _ = try await other.notifications.next(with: "match")
            kill(one.desktop.processID, signal)
            try await other.notifications.next("Not paired")
            for device in [laptop, desktop] { #expect(try await device.json("devices").array.isEmpty) }
        }
    }

    @Test("Without notifications, or without buttons on them, the menu says what to run instead")
    func unable() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await TrayHost.whileOnBus(on: laptop.bus) { host in
                    try await laptop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await item.click("Pair a device…")
                        try await item.until { $0.label.hasPrefix("There are no notifications here.") }
                        let plain = FakeNotificationServer("body")
                        try await plain.whileOnBus(on: laptop.bus) { _ in
                            try await item.click("Pair a device…")
                            let text = try await plain.next("Pair a device")
                            #expect(text.actions.isEmpty && text.body.contains("`handoffctl pair`"))
                        }
                    }
                }
            }
        }
    }

    @Test("A notification server that restarts shows the digits again")
    func restarted() async throws {
        try await World.runUnpaired { world, laptop, desktop in
            try await TrayHost.whileOnBus(on: laptop.bus) { host in
                try await laptop.bus.withDesktop(in: world) { _ in
                    let item = try await host.item()
                    try await FakeNotificationServer("actions").whileOnBus(on: laptop.bus) { _ in
                        try await item.click("Pair a device…")
                        try await item.until { $0.label.hasPrefix("Looking for a device") }
                    }
                    let second = FakeNotificationServer("actions")
                    try await second.whileOnBus(on: laptop.bus) { _ in
                        let search = try await second.next(with: "stop")
                        #expect(search.summary == "Pair a device")
                    }
                }
            }
        }
    }
}
