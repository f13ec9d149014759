import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A socket of a compositor that misbehaves harms nobody", .endsWithin(minutes: 10, instances: 3))
struct HostileCompositorStories {
    @Test(
        "Where sway's socket misbehaves, the app that asked last is current, and sway is followed once it runs",
        arguments: ["silent", "closing", "noise", "huge"]
    )
    func misbehaviour(_ kind: String) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let environment = Sway.environment(on: laptop)
                try await laptop.bus.withDesktop(in: world, environment) { desktop in
                    try await CompositorImitation.run(kind, on: laptop) { imitation, output in
                        try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                        try await laptop.publishing("org.example.one") { _ in
                            try await laptop.untilCurrent("org.example.one")
                            try await laptop.publishing("org.example.two") { _ in
                                try await laptop.untilCurrent("org.example.two")
                            }
                            try await laptop.untilCurrent("org.example.one")
                        }
                        if kind == "huge" {
                            try await output.line(containing: "taken")
                            let file = "/proc/\(desktop.processID)/status"
                            let status = try String(contentsOfFile: file, encoding: .utf8)
                            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
                            // A quarter of a GiB was sent.
                            #expect(try #require(Int(peak.split(whereSeparator: \.isWhitespace)[1])) < 100_000)
                        }
                    }
                    try await Sway.run(on: laptop) { sway in try await sway.untilFollowed() }
                }
            }
        }
    }
}
