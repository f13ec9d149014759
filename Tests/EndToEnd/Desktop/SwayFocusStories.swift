import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "On a desktop of sway, the app with the focus decides which activity is current",
    .endsWithin(minutes: 10, instances: 3)
)
struct SwayFocusStories {
    /// Runs `story` with a device beside which sway and handoff-desktop run.
    private static func run(_ story: @escaping @Sendable (Sway) async throws -> Void) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await Sway.run(on: laptop) { sway in
                    try await laptop.bus.withDesktop(in: world, sway.environment) { desktop in
                        try await desktop.whileRunning {
                            try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                            try await sway.untilFollowed()
                            try await story(sway)
                        }
                    }
                }
            }
        }
    }

    @Test("Of two programs in terminals, that in the window with the focus is current; none while another app has it")
    func windows() async throws {
        try await Self.run { sway in
            try await sway.withTerminal("one", "org.example.one") { one in
                try await sway.device.untilCurrent("org.example.one")
                try await sway.withTerminal("two", "org.example.two") { _ in
                    try await sway.device.untilCurrent("org.example.two")
                    try await sway.focus(one)
                    try await sway.device.untilCurrent("org.example.one")
                    try await sway.device.withWindow(publishing: nil, sway.environment) { _ in
                        try await sway.device.untilCurrent(nil)
                        let status = try await sway.device.run("status")
                        #expect(status.stdout.contains("other-focus: Another app has the focus, so"))
                    }
                    try await sway.device.untilCurrent("org.example.one")
                }
            }
        }
    }

    @Test("No app loses the focus to an empty workspace; one on another workspace has it once that is shown")
    func workspaces() async throws {
        try await Self.run { sway in
            try await sway.withTerminal("one", "org.example.one") { _ in
                // First it is current as the app that asked last. Nothing is, with another window, only once it is known to
                // have had the focus; so it does not get that later and come before the script.
                try await sway.device.untilCurrent("org.example.one")
                try await sway.withTerminal("other", nil) { _ in try await sway.device.untilCurrent(nil) }
                try await sway.device.untilCurrent("org.example.one")
                #expect(try await sway.command("workspace 2"))
                // What asks later is current, and then what was before: were it known to have lost the focus, nothing would.
                try await sway.device.publishing("org.example.script") { _ in
                    try await sway.device.untilCurrent("org.example.script")
                }
                try await sway.device.untilCurrent("org.example.one")
                try await sway.withTerminal("other", nil) { _ in
                    try await sway.device.untilCurrent(nil)
                    #expect(try await sway.command("workspace 1"))
                    try await sway.device.untilCurrent("org.example.one")
                }
            }
        }
    }

    @Test("What had the focus before handoff-desktop started is known, whatever the window's title")
    func before() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await Sway.run(on: laptop) { sway in
                    try await sway.withTerminal("one", "org.example.one", title: "\"pid\": 1, {[\u{1F469}") { _ in
                        try await laptop.untilCurrent("org.example.one")
                        try await laptop.publishing("org.example.script") { _ in
                            try await laptop.untilCurrent("org.example.script")
                            try await laptop.bus.withDesktop(in: world, sway.environment) { _ in
                                try await laptop.untilCurrent("org.example.one")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A sway that is started again, after it has ended or was killed, is followed")
    func restart() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.bus.withDesktop(in: world, Sway.environment(on: laptop)) { _ in
                    try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                    for isKilled in [true, false, true] {
                        try await Sway.run(on: laptop) { sway in
                            try await sway.untilFollowed()
                            if !isKilled { try await sway.command("exit") }
                        }
                        // Without it nothing is withheld.
                        try await laptop.publishing("org.example.script") { _ in
                            try await laptop.untilCurrent("org.example.script")
                        }
                    }
                }
            }
        }
    }
}
