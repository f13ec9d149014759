import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import TestRuns
import Testing

@Suite(
    "On a desktop of Wayland that does not tell, apps that tell themselves that they have the focus are followed",
    .endsWithin(minutes: 10, instances: 4)
)
struct AccessibleFocusStories {
    /// Runs `body` with a device, with the variables of a display on which apps of GTK tell AT-SPI what has the focus, and
    /// with the reports of handoff-desktop, which takes it for one of Wayland.
    private static func run(
        _ body: @escaping @Sendable (Device, _ environment: [String: String], FocusReports) async throws -> Void
    ) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await withVirtualDisplay { display in
                    let own = ["GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "XDG_SESSION_TYPE": "wayland"]
                    let environment = world.environment.merging(laptop.bus.environment) { $1 }
                        .merging(display) { $1 }.merging(own) { $1 }
                    try await withWindowManager(environment) {
                        try await withAccessibilityBus(environment) {
                            try await laptop.bus.waitForOwner(of: "org.a11y.Bus")
                            try await FocusReports.follow(on: laptop.bus) { reports in
                                try await laptop.bus.withDesktop(in: world, environment) { _ in
                                    try await untilFollowed(on: laptop)
                                    try await body(laptop, environment, reports)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Runs `body` while the program runs that starts the bus for accessibility, and ends both.
    private static func withAccessibilityBus(
        _ environment: [String: String],
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withProgram("/usr/libexec/at-spi-bus-launcher", environment: environment) { launcher in
            let result = await Result(body)
            // It ends its bus when it is asked to end, and leaves it behind when it is killed.
            kill(launcher.processID, SIGTERM)
            _ = await launcher.exitStatus()
            try result.get()
        }
    }

    /// Waits until handoff-desktop hears of each window that gets the focus: it registers for one kind of event after the
    /// other, and receives them from before.
    private static func untilFollowed(on laptop: Device) async throws {
        let address = try await laptop.connected { session in
            let call = MethodCall(
                destination: "org.a11y.Bus",
                path: "/org/a11y/bus",
                interface: "org.a11y.Bus",
                member: "GetAddress"
            )
            return try await session.connection.call(call).decode(at: 0, as: String.self)
        }
        let registry: BusName = "org.a11y.atspi.Registry"
        let events = MethodCall(
            destination: registry,
            path: "/org/a11y/atspi/registry",
            interface: "org.a11y.atspi.Registry",
            member: "GetRegisteredEvents"
        )
        try await awaiting("handoff-desktop to register for events of windows") {
            try await Connection.withConnection(to: .address(address)) { accessibility in
                try await accessibility.first(after: MatchRule(sender: registry)) { () -> Void? in
                    let reply = try await accessibility.call(events)
                    let names = reply.first?.array?.compactMap { $0.structure?.last?.string } ?? []
                    return names.contains { $0.lowercased().contains("deactivate") } ? () : nil
                }
            }
        }
    }

    @Test(
        "Of two apps that tell, that with the focus is current; while it is unknown who has it, the app that asked last"
    )
    func apps() async throws {
        try await Self.run { laptop, environment, reports in
            try await laptop.withWindow(publishing: "org.example.one", environment) { one in
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withOtherWindow(after: one, reports, environment)
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withWindow(publishing: "org.example.two", environment) { two in
                    try await laptop.untilCurrent("org.example.two")
                    try await laptop.withOtherWindow(after: two, reports, environment)
                    try await laptop.untilCurrent("org.example.two")
                    try await Self.withSilentWindow(environment) {
                        // Nothing else makes an app current that has lost the focus.
                        kill(one.processID, SIGUSR2)
                        try await laptop.untilCurrent("org.example.one")
                    }
                }
                try await laptop.untilCurrent("org.example.one")
            }
        }
    }

    /// Runs `body` while a window has the focus whose app tells nothing.
    private static func withSilentWindow(
        _ environment: [String: String],
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withProgram("/usr/bin/xterm", ["-T", "silent", "-e", "sleep", "600"], environment: environment) { _ in
            _ = try await HandoffTestSupport.run(
                "/usr/bin/xdotool",
                ["search", "--sync", "--onlyvisible", "--name", "^silent$", "windowactivate", "--sync"],
                environment: environment
            )
            try await body()
        }
    }

    @Test(
        "Neither an app that has ended with the focus keeps it, nor one that has closed its window and goes on",
        arguments: [SIGKILL, SIGUSR1]
    )
    func ended(by signal: Int32) async throws {
        try await Self.run { laptop, environment, reports in
            try await laptop.withWindow(publishing: "org.example.one", environment) { one in
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withOtherWindow(after: one, reports, environment) { other in
                    // It goes on without its window, so that nothing gets the focus next.
                    kill(one.processID, SIGUSR1)
                    kill(other.processID, signal)
                    try await laptop.untilCurrent("org.example.one")
                }
            }
        }
    }
}
