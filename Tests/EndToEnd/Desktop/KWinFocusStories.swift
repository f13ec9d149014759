import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "On a desktop of KWin and Wayland, the app with the focus decides which activity is current",
    .endsWithin(minutes: 10, instances: 2)
)
struct KWinFocusStories {
    /// Runs `story` with a device on whose bus KWin runs.
    private static func run(_ story: @escaping @Sendable (KWin) async throws -> Void) async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in try await KWin.run(on: laptop, story) }
        }
    }

    /// Runs `body` while handoff-desktop runs.
    private static func withDesktop(
        _ kwin: KWin,
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        let begin = kwin.messages.count
        try await kwin.device.bus.withDesktop(in: kwin.device.world, kwin.environment) { process in
            try await kwin.device.bus.waitForOwner(of: HandoffName.desktop)
            // It has loaded the script before.
            try await kwin.untilCalled("start", from: begin)
            #expect(try await kwin.hasScript("handoff-focus"))
            try await body(process)
        }
    }

    @Test("Of two apps with windows, that with the focus is current; none while another app has it")
    func windows() async throws {
        try await Self.run { kwin in
            try await Self.withDesktop(kwin) { _ in
                try await kwin.withApp("org.example.one") { one in
                    try await kwin.device.untilCurrent("org.example.one")
                    try await kwin.withOtherApp(after: one)
                    try await kwin.device.untilCurrent("org.example.one")
                    try await kwin.withApp("org.example.two") { two in
                        try await kwin.device.untilCurrent("org.example.two")
                        try await kwin.withOtherApp(after: two)
                        try await kwin.device.untilCurrent("org.example.two")
                    }
                    try await kwin.device.untilCurrent("org.example.one")
                }
            }
        }
    }

    @Test("handoff-desktop that was killed follows the focus again, and leaves nothing in KWin when it ends")
    func restart() async throws {
        try await Self.run { kwin in
            let script = kwin.device.world.directory.appending(path: "handoff-focus.js")
            try await kwin.withApp("org.example.one") { one in
                try await kwin.device.untilCurrent("org.example.one")
                try await Self.withDesktop(kwin) { desktop in
                    try await kwin.withOtherApp(after: one) {
                        kill(desktop.processID, SIGKILL)
                        try await kwin.device.untilCurrent("org.example.one")
                    }
                }
                try await Self.withDesktop(kwin) { desktop in
                    // The script of the killed one may still be there, which is not followed.
                    try await kwin.withOtherApp(after: one)
                    try await kwin.device.untilCurrent("org.example.one")
                    let end = kwin.messages.count
                    kill(desktop.processID, SIGTERM)
                    #expect(await desktop.exitStatus() == 0)
                    try await kwin.untilCalled("unloadScript", from: end)
                }
                #expect(!FileManager.default.fileExists(atPath: script.path()))
                // KWin ends the script after it has read that call, and so before it reads what is sent after an answer.
                _ = try await kwin.hasScript("handoff-focus")
                #expect(try await !kwin.hasScript("handoff-focus"))
            }
        }
    }

    @Test("A KWin that is started again is followed, and a second handoff-desktop changes nothing")
    func anotherKWin() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.bus.withDesktop(in: world) { _ in
                    try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                    for _ in 1...2 {
                        try await KWin.run(on: laptop) { kwin in
                            try await kwin.untilCalled("start")
                            #expect(try await kwin.hasScript("handoff-focus"))
                            try await laptop.bus.withDesktop(in: world) { second in
                                #expect(await second.exitStatus() == 0)
                            }
                            try await kwin.withApp("org.example.one") { one in
                                try await laptop.untilCurrent("org.example.one")
                                try await kwin.withOtherApp(after: one)
                            }
                        }
                    }
                }
            }
        }
    }
}
