import DBus
import Foundation
import HandoffBus
import HandoffCrypto
import HandoffTestSupport
import HandoffWire
import TestLimits
import Testing

@Suite(
    "An app learns whether another device goes on with its activity, and of nothing less",
    .endsWithin(minutes: 15, instances: 6)
)
struct TakeStories {
    /// Publishes an activity of an app that records its calls, and waits until the desktop hears it.
    private static func publishing(
        _ laptop: Device,
        _ desktop: Device,
        save: @escaping @Sendable (ObjectPath) async throws -> Void = { _ in },
        _ body: @escaping @Sendable (Editor) async throws -> Void
    ) async throws {
        try await laptop.connected { program in
            let editor = Editor(save: save)
            _ = try await editor.open("org.example.edit", ["Title": .string("Draft")], over: program)
            try await desktop.watching { watcher in
                _ = try await watcher.one()
                try await body(editor)
            }
        }
    }

    @Test("A preview tells nobody, and a continuation in an app tells the app once")
    func preview() async throws {
        try await World.runApps({ try $0.writeApp("editor", "X-Handoff-Exec=true") }) { _, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await Self.publishing(laptop, desktop) { editor in
                    for _ in 0..<3 {
                        #expect(try await desktop.json("continue", "--print")["title"].string == "Draft")
                    }
                    #expect(try await desktop.json("continue")["application"].string == "editor")
                    let id = try await desktop.id
                    #expect(await editor.next(2) == ["WillSave", "WasContinued \(id) desktop"])
                    try await monitor.shown(1, of: "continued")
                    #expect(monitor.events("fetched").count == 1)
                    #expect(monitor.events("saveRequested").count == 1)
                }
            }
        }
    }

    @Test("A preview that asks for the newest state lets the app save, and tells it nothing else")
    func freshPreview() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let editor = Editor { try await program.setUserInfo(["line": .int64(7)], of: $0) }
                _ = try await editor.open("org.example.edit", over: program)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["userInfo"]["line"].isNull)
                    #expect(try await desktop.json("continue", "--print", "--fresh")["userInfo"]["line"].number == 7)
                    _ = try await desktop.json("continue", "--print", "--take")
                    #expect(try await desktop.run("continue", "--fresh").status == 64, "it would open an app")
                }
                let id = try await desktop.id
                #expect(await editor.next(2) == ["WillSave", "WasContinued \(id) desktop"])
            }
        }
    }

    @Test("If the app on the other device cannot be started, the app that published the activity learns that it failed")
    func appFails() async throws {
        let prepare: @Sendable (World) throws -> Void = { try $0.writeApp("editor", "X-Handoff-Exec=/nowhere/editor") }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await Self.publishing(laptop, desktop) { editor in
                    let result = try await desktop.run("--json", "continue")
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.AppFailed")
                    let id = try await desktop.id
                    let failure = "DidFailToContinue \(id) desktop org.handoffd.Error.AppFailed"
                    #expect(await editor.next(2) == ["WillSave", failure])
                    try await monitor.line { $0["Error"].string == "org.handoffd.Error.AppFailed" }
                    #expect(monitor.events("continued").isEmpty)
                }
            }
        }
    }

    @Test("A program that ends with an error has not continued the activity, and one that ends without has")
    func exitStatus() async throws {
        try await World.runApps({ try $0.writeApp("editor", "X-Handoff-Exec=sh -c \"exit 3\"") }) {
            world,
            laptop,
            desktop in
            try await Self.publishing(laptop, desktop) { editor in
                let result = try await desktop.run("--json", "continue")
                #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.AppFailed")
                #expect(result.stderr.contains("status 3"))
                let id = try await desktop.id
                let failure = "DidFailToContinue \(id) desktop org.handoffd.Error.AppFailed"
                #expect(await editor.next(2) == ["WillSave", failure])
            }
        }
    }

    @Test(
        "A web page counts as opened only when the portal says so",
        arguments: [(UInt32(0), "WasContinued"), (1, "DidFailToContinue")]
    )
    func portal(response: UInt32, told: String) async throws {
        let portal = FakePortal(response: response)
        try await World.runApps({ _ in }) { _, laptop, desktop in
            try await portal.whileOnBus(on: desktop.bus) {
                try await laptop.connected { program in
                    let editor = Editor { _ in }
                    let page = ["WebpageURL": Value.string("https://example.org/")]
                    _ = try await editor.open("org.example.edit", page, over: program)
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        #expect(try await desktop.run("continue").status == (response == 0 ? 0 : 1))
                    }
                    #expect(await portal.next() == "https://example.org/")
                    #expect(await editor.next(2).last?.hasPrefix(told) == true)
                }
            }
        }
    }

    @Test("If no app on the other device continues the activity, the app that published it learns that too")
    func notContinuable() async throws {
        try await World.runPair { _, laptop, desktop in
            try await Self.publishing(laptop, desktop) { editor in
                #expect(try await desktop.run("continue").status == 1)
                let id = try await desktop.id
                let failure = "DidFailToContinue \(id) desktop org.handoffd.Error.NotContinuable"
                #expect(await editor.next(2) == ["WillSave", failure])
            }
        }
    }

    @Test("The outcome reaches the origin in a later session if the link is lost after the activity has arrived")
    func linkLost() async throws {
        let app = AppProcess { $0 == "Continue" ? .whenReleased : .yes }
        try await World.runApps({ try app.install(in: $0) }) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await Self.publishing(laptop, desktop) { editor in
                    try await desktop.connected { user in
                        let entry = try await desktop.watchingOnce()
                        async let result = Result { try await user.continueActivity(entry) }
                        try await app.call("Continue")
                        try world.write("apart laptop desktop\n", to: "air/air")
                        try await desktop.log.event("take.session-ended")
                        try world.setAir { _ in }
                        app.release()
                        #expect(try await result.get().outcome == "app")
                        let id = try await desktop.id
                        #expect(await editor.next(2) == ["WillSave", "WasContinued \(id) desktop"])
                    }
                }
            }
        }
    }

    @Test("A trusted device that reports made-up takes is answered, and changes nothing")
    func madeUpTakes() async throws {
        let phone = DeviceKeys.generate()
        try await World.runPair { world, laptop, desktop in
            let card = try CardText(publicKeys: phone.publicKeys, name: "phone")
            _ = try await laptop.json("devices", "trust", card.text)
            let laptopCard = try await laptop.json("devices", "card")["card"].string
            let laptopKey = try CardText(parsing: laptopCard).publicKeys
            try await Self.publishing(laptop, desktop) { editor in
                for outcome in [TakeOutcome.continued(.app), .failed(.appFailed)] {
                    let request = Request.report(TakeReport(.random(), outcome))
                    let answer = try await UntrustedClient.exchange(at: laptop, enough: 1) { greeting, _ in
                        try request.opening(by: phone, to: laptopKey, greeting)
                    }
                    #expect(!answer.isEmpty)
                }
                _ = try await desktop.json("continue", "--print", "--take")
                let id = try await desktop.id
                #expect(await editor.next(2) == ["WillSave", "WasContinued \(id) desktop"])
            }
        }
    }

    @Test("A caller that is interrupted while the app saves ends its session; another caller gets what the app saves")
    func interrupted() async throws {
        let (gate, opening) = AsyncStream<Never>.makeStream()
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await laptop.trustEachOther(tablet)
                try await laptop.connected { program in
                    let editor = Editor { activity in
                        for await _ in gate {}
                        try await program.setUserInfo(["line": .int64(7)], of: activity)
                    }
                    _ = try await editor.open("org.example.edit", over: program)
                    _ = try await desktop.watchingOnce()
                    let entry = try await tablet.watchingOnce()
                    try await desktop.withControl(["continue", "--print", "--take"]) { process, _ in
                        #expect(await editor.next(1) == ["WillSave"])
                        kill(process.processID, SIGTERM)
                        // The app has not answered, so only the caller's end can have ended the session.
                        try await laptop.log.event("session.failed")
                    }
                    try await tablet.connected { user in
                        async let activity = user.fetchActivity(entry, for: .take)
                        var requests = 0
                        try await laptop.log.first { line -> Void? in
                            if line.isLogLine(of: "request.received") { requests += 1 }
                            return requests == 2 ? () : nil
                        }
                        opening.finish()
                        _ = try await activity
                    }
                    let id = try await tablet.id
                    #expect(await editor.next(1) == ["WasContinued \(id) tablet"])
                }
            }
        }
    }

    @Test(
        "An app that was told of an activity gets UserCancelled when the program that asked for it ends before it came"
    )
    func askerEnds() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", "DBusActivatable=true") }) {
            _,
            laptop,
            desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        laptop.signal(SIGSTOP)
                        try await desktop.withControl(["continue"]) { process, _ in
                            #expect(await app.next().hasPrefix("WillContinue"))
                            kill(process.processID, SIGTERM)
                            #expect(await app.next() == "DidFail org.handoffd.Error.UserCancelled")
                        }
                        laptop.signal(SIGCONT)
                    }
                }
            }
        }
    }
}
