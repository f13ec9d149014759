import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "On a desktop of Wayland that does not tell, apps that tell themselves that they have the focus are followed",
    .endsWithin(minutes: 10, instances: 4)
)
struct AccessibleFocusStories {
    /// Runs `body` with a device, and with the variables of a display on which apps of GTK tell AT-SPI what has the focus;
    /// handoff-desktop takes it for one of Wayland.
    private static func run(
        _ body: @escaping @Sendable (Device, _ environment: [String: String]) async throws -> Void
    ) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await withVirtualDisplay { display in
                    let own = ["GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "XDG_SESSION_TYPE": "wayland"]
                    let environment = world.environment.merging(laptop.bus.environment) { $1 }
                        .merging(display) { $1 }.merging(own) { $1 }
                    try await withProgram("/usr/bin/openbox", ["--sm-disable"], environment: environment) { _ in
                        try await withProgram("/usr/libexec/at-spi-bus-launcher", environment: environment) { _ in
                            try await laptop.bus.waitForOwner(of: "org.a11y.Bus")
                            try await laptop.bus.withDesktop(in: world, environment) { _ in
                                try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                                try await body(laptop, environment)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(
        "Of two apps that tell, that with the focus is current; while it is unknown who has it, the app that asked last"
    )
    func apps() async throws {
        try await Self.run { laptop, environment in
            try await laptop.withWindow(publishing: "org.example.one", environment) { one in
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withOtherWindow(environment)
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withWindow(publishing: "org.example.two", environment) { _ in
                    try await laptop.untilCurrent("org.example.two")
                    try await laptop.withOtherWindow(environment)
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
        try await Self.run { laptop, environment in
            try await laptop.withWindow(publishing: "org.example.one", environment) { one in
                try await laptop.untilCurrent("org.example.one")
                try await laptop.withOtherWindow(environment) { other in
                    // It goes on without its window, so that nothing gets the focus next.
                    kill(one.processID, SIGUSR1)
                    kill(other.processID, signal)
                    try await laptop.untilCurrent("org.example.one")
                }
            }
        }
    }
}
