import DBus
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "Whatever fails during a continuation, the app gets the activity or the error exactly once",
    .endsWithin(minutes: 15, instances: 6)
)
struct FaultStories {
    /// Where a continuation is when something fails.
    enum Step: String, CaseIterable {
        case announcing = "the app handles the announcement"
        case fetching = "the activity is fetched"
        case receiving = "the app receives the activity"
    }

    /// What fails.
    enum Fault: String, CaseIterable {
        case peer = "the other device dies"
        case app = "the app dies"
        case daemon = "handoffd dies and is started again"
        case radio = "the radio is switched off"
    }

    struct Case: CustomTestStringConvertible {
        let step: Step
        let fault: Fault

        /// Whether the activity must not arrive before the fault: it is fetched while the app handles the announcement.
        var isFetchHeld: Bool { step == .fetching || step == .announcing && fault == .radio }

        var testDescription: String { "\(fault.rawValue) while \(step.rawValue)" }

        static let all = Step.allCases.flatMap { step in Fault.allCases.map { Case(step: step, fault: $0) } }
    }

    @Test("At every step", arguments: Case.all)
    func exactlyOnce(_ example: Case) async throws {
        let story = AppProcess { [step = example.step] call in
            switch (call, step) {
            case ("WillContinue", .announcing), ("Continue", .receiving): .whenReleased
            default: .yes
            }
        }
        try await World.runApps({ try story.install(in: $0) }) { world, laptop, desktop in
            try await story.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        let entry = try await desktop.watchingOnce()
                        if example.isFetchHeld { laptop.signal(SIGSTOP) }
                        try await desktop.connected { user in
                            async let result = Result { try await user.continueActivity(entry) }
                            let call = try await story.call(example.step == .receiving ? "Continue" : "WillContinue")
                            try await Self.inject(example.fault, call.process, world, laptop, desktop)
                            story.release()
                            let error = await result.errorName
                            if example.fault == .daemon {
                                try await Self.restart(example.step, story, world, desktop)
                            } else {
                                try await Self.conclude(example, error, story, desktop)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Runs `body` with a desktop on which the app can continue an activity of a laptop.
    private static func offer(
        to story: AppProcess,
        _ body: @escaping @Sendable (_ desktop: Device) async throws -> Void
    ) async throws {
        try await World.runApps({ try story.install(in: $0) }) { _, laptop, desktop in
            try await story.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        try await body(desktop)
                    }
                }
            }
        }
    }

    /// Causes `fault`.
    private static func inject(
        _ fault: Fault,
        _ app: Int32,
        _ world: World,
        _ laptop: Device,
        _ desktop: Device
    ) async throws {
        switch fault {
        case .peer: laptop.signal(SIGKILL)
        case .radio: try world.setAir { $0.off = ["desktop"] }
        case .app:
            kill(app, SIGKILL)
            laptop.signal(SIGCONT)
        case .daemon:
            desktop.signal(SIGKILL)
            _ = await desktop.process.exitStatus()
        }
    }

    /// Checks that the user and the app got the same result.
    private static func conclude(_ example: Case, _ error: String, _ story: AppProcess, _ desktop: Device) async throws
    {
        // An app that dies in `Continue` has received the activity, and the user gets an error.
        let isLost = example.step == .receiving && example.fault == .app
        // It is sent on another connection than the user's answer, and than the call that waits for what was sent before.
        if !error.isEmpty, !isLost { try await story.call("DidFail") }
        try await story.waitForPendingCalls(on: desktop.bus)
        if isLost { #expect(error == "AppFailed") }
        if example.fault == .radio, example.step != .receiving { #expect(error == "BluetoothOff") }
        story.expectOneResult(isFailure: !error.isEmpty && !isLost)
    }

    /// Checks that a new handoffd sends the app the result that the previous one could not send.
    private static func restart(_ step: Step, _ story: AppProcess, _ world: World, _ desktop: Device) async throws {
        let variables = world.appVariables
        try await world.withDaemon("desktop", on: desktop.bus, variables: variables) { again in
            let status = try await again.run("status").status
            #expect(status == 0)
            if step != .receiving { try await story.call("DidFail") }
            try await story.waitForPendingCalls(on: desktop.bus)
        }
        story.expectOneResult(isFailure: step != .receiving)
    }

    @Test("Stopped while the app receives the activity, the daemon tells the caller that it may have been continued")
    func stoppedWhileReceiving() async throws {
        let story = AppProcess { call in call == "Continue" ? .whenReleased : .yes }
        try await Self.offer(to: story) { desktop in
            let entry = try await desktop.watchingOnce()
            try await desktop.connected { user in
                async let result = Result { try await user.continueActivity(entry) }
                _ = try await story.call("Continue")
                desktop.signal(SIGTERM)
                let ended = await result
                #expect(ended.errorName == "Cancelled")
                #expect("\(ended)".contains("it may have been continued"))
                story.release()
                #expect(await desktop.process.exitStatus() == 0)
            }
        }
    }

    @Test("An app that does not answer WillContinue still receives the activity")
    func noAnswer() async throws {
        let story = AppProcess { $0 == "WillContinue" ? .never : .yes }
        try await Self.offer(to: story) { desktop in
            let outcome = try await desktop.json("continue")["outcome"].string
            #expect(outcome == "app")
            story.expectOneResult(isFailure: false)
        }
    }

    @Test("An app that never answers Continue has failed, and the caller gets AppFailed")
    func noReception() async throws {
        let story = AppProcess { $0 == "Continue" ? .never : .yes }
        try await Self.offer(to: story) { desktop in
            let result = try await desktop.run("--json", "continue")
            let error = try JSON(result.stderr)["name"].string
            #expect(error == "org.handoffd.Error.AppFailed")
            try await story.waitForPendingCalls(on: desktop.bus)
            story.expectOneResult(isFailure: false)
        }
    }

    @Test("An app that crashes in WillContinue is started again to receive the activity")
    func crashes() async throws {
        let story = AppProcess { $0 == "WillContinue" ? .crash : .yes }
        try await Self.offer(to: story) { desktop in
            let outcome = try await desktop.json("continue")["outcome"].string
            #expect(outcome == "app")
            story.expectOneResult(isFailure: false)
            let processes = Set(story.calls.map(\.process))
            #expect(processes.count == 2)
        }
    }
}
