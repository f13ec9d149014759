import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The desktop notifies the user of nearby activities", .endsWithin(minutes: 15, instances: 4))
struct NotificationStories {
    @Test("The server dunst shows a notification, and a click continues the activity in the app and closes it")
    func dunst() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", "DBusActivatable=true") }) {
            world,
            laptop,
            desktop in
            try await Dunst.whileOnBus(on: desktop.bus, in: world) { dunst in
                try await app.whileOnBus(on: desktop.bus) {
                    try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                        try await dunst.output.line(containing: "summary: 'Continue from laptop'")
                        try await dunst.output.line(containing: "body: 'Opens in Editor.'")
                        try await dunst.output.line(containing: "\"continue\": \"Continue\"")
                        try await dunst.click()
                        #expect(await app.next() == "WillContinue org.example.edit from laptop")
                        #expect(await app.next() == "Continue Draft")
                        try await desktop.log.event("notification.closed")
                        #expect(try await dunst.count() == "0")
                    }
                }
            }
        }
    }

    @Test("The server dunst closes the notification when the activity is withdrawn")
    func gone() async throws {
        try await World.runApps({ _ in }) { world, laptop, desktop in
            try await Dunst.whileOnBus(on: desktop.bus, in: world) { dunst in
                try await laptop.publishing("org.example.edit", ["--webpage", "https://example.org/"]) { _ in
                    try await dunst.output.line(containing: "body: 'Opens in the browser.'")
                    try await desktop.log.event("notification.shown")
                    #expect(try await dunst.count() == "1")
                }
                try await desktop.log.event("notification.closed")
                #expect(try await dunst.count() == "0")
            }
        }
    }

    @Test("A click passes its activation token to the app, and a failure is shown")
    func token() async throws {
        let (app, screen) = (OptionsApp(), FakeNotificationServer("actions", "body"))
        try await World.runApps({ try $0.writeApp("org.example.Editor", "DBusActivatable=true") }) {
            _,
            laptop,
            desktop in
            try await screen.whileOnBus(on: desktop.bus) { connection in
                try await app.whileOnBus(on: desktop.bus) {
                    try await laptop.publishing("org.example.edit") { _ in
                        let notification = try await screen.next()
                        #expect(notification.actions == ["default", "Continue", "continue", "Continue"])
                        #expect(notification.icon == "org.handoffd.Handoff")
                        #expect(notification.hints["desktop-entry"] == .string("org.handoffd.Handoff"))
                        try await desktop.log.event("notification.shown")
                        laptop.signal(SIGKILL)
                        screen.click("token-1", over: connection)
                        #expect(await app.next() == "WillContinue token-1")
                        #expect(await app.next() == "DidFail token-1")
                        let failure = try await screen.next()
                        #expect(failure.summary == "Could not continue from laptop")
                        #expect(failure.actions.isEmpty && !failure.body.isEmpty)
                    }
                }
            }
        }
    }

    @Test("Whichever program trusts or removes a device, or makes this one leave, the user is told")
    func trust() async throws {
        let screen = FakeNotificationServer("body")
        try await World.runUnpaired { _, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { _ in
                let card = try await laptop.json("devices", "card")["card"].string
                let laptop = HandoffName.device(try await laptop.id)
                try await desktop.connected { program in
                    let trust: @Sendable () async throws -> Void = {
                        _ = try await program.trust(card: card)
                        let joined = try await screen.next()
                        #expect(joined.summary == "laptop joined your devices")
                        #expect(joined.body.contains("if that was not you"))
                    }
                    try await trust()
                    try await program.leave()
                    #expect(try await screen.next().summary == "This computer has left your devices")
                    try await trust()
                    try await program.remove(device: laptop)
                    #expect(try await screen.next().summary == "laptop was removed from your devices")
                }
            }
        }
    }

    @Test("A server without actions shows a text, and a server that starts later shows the next notification")
    func servers() async throws {
        try await World.runApps({ try $0.writeApp("org.example.Editor", "X-Handoff-Exec=true") }) {
            _,
            laptop,
            desktop in
            let plain = FakeNotificationServer("body")
            try await plain.whileOnBus(on: desktop.bus) { _ in
                try await laptop.publishing("org.example.edit") { _ in
                    let notification = try await plain.next()
                    #expect(notification.summary == "Continue from laptop" && notification.actions.isEmpty)
                    try await desktop.log.event("notification.shown")
                }
                #expect(try await plain.nextClosed() == FakeNotificationServer.number)
            }
            let marked = FakeNotificationServer("actions", "body", "body-markup")
            try await laptop.publishing("org.example.draw", ["--webpage", "https://example.org/"]) { _ in
                try await marked.whileOnBus(on: desktop.bus) { _ in
                    let notification = try await marked.next()
                    #expect(notification.replaces == 0 && notification.body == "Opens in the browser.")
                }
            }
            #expect(try await desktop.run("status").status == 0)
        }
    }

    @Test("The icon of the app that would open an activity is shown with it, in the list and in the notification")
    func icon() async throws {
        let screen = FakeNotificationServer("actions", "body")
        let entrance = "Icon=org.example.Editor-symbolic\nX-Handoff-Exec=true"
        try await World.runApps({ try $0.writeApp("org.example.Editor", entrance) }) { _, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { _ in
                try await laptop.publishing("org.example.edit") { _ in
                    #expect(try await screen.next().icon == "org.example.Editor-symbolic")
                    let entry = try await desktop.connected { try await $0.objects().nearby.first }
                    #expect(entry?.applicationName == "Editor")
                    #expect(entry?.applicationIcon == "org.example.Editor-symbolic")
                }
                try await laptop.publishing("org.example.draw", ["--webpage", "https://example.org/"]) { _ in
                    let notification = try await screen.next()
                    #expect(notification.icon == "org.handoffd.Handoff", "the browser is not an app of this activity")
                }
            }
        }
    }

    @Test(
        "Where no app shows that an activity is coming, the desktop does, and its button cancels the continuation",
        arguments: ["X-Handoff-Exec=true", "DBusActivatable=true"]
    )
    func progress(entrance: String) async throws {
        let (app, screen) = (RecordingApp(showsProgress: false), FakeNotificationServer("actions", "body"))
        try await World.runApps({ try $0.writeApp("org.example.Editor", entrance) }) { _, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { connection in
                try await app.whileOnBus(on: desktop.bus) {
                    try await laptop.publishing("org.example.edit") { _ in
                        #expect(try await screen.next().summary == "Continue from laptop")
                        let entry = try await desktop.watchingOnce()
                        laptop.signal(SIGSTOP)
                        try await desktop.connected { user in
                            async let result = Result { try await user.continueActivity(entry) }
                            let notification = try await screen.next()
                            #expect(notification.summary == "Continuing from laptop")
                            #expect(notification.actions == ["cancel", "Cancel"], "a click elsewhere does not cancel")
                            screen.click("T", FakeNotificationServer.number + 1, action: "cancel", over: connection)
                            #expect(await result.errorName == "UserCancelled")
                        }
                        // The first one was closed when the user began to continue the activity.
                        let closed = [try await screen.nextClosed(), try await screen.nextClosed()]
                        #expect(closed == [FakeNotificationServer.number, FakeNotificationServer.number + 1])
                        laptop.signal(SIGCONT)
                    }
                }
            }
        }
    }

    @Test(
        "No notification is shown of an activity that nothing here opens; a document is offered where there is a folder"
    )
    func nothing() async throws {
        let screen = FakeNotificationServer("body")
        try await World.runApps({ _ in }) { world, laptop, desktop in
            try world.write("Hello\n", to: "docs/a.txt")
            let folder = world.directory.appending(path: "docs").path(percentEncoded: false)
            _ = try await laptop.json("folders", "add", "docs", folder)
            let document = ["--document", folder + "/a.txt"]
            try await screen.whileOnBus(on: desktop.bus) { _ in
                try await desktop.watching { watcher in
                    for options in [[], document] {
                        try await laptop.publishing("org.example.edit", options) { _ in
                            try await watcher.until { $0.first?["opensWith"].string == "none" }
                        }
                        try await watcher.none()
                    }
                    _ = try await desktop.json("folders", "add", "docs", folder)
                    try await laptop.publishing("org.example.edit", document) { _ in
                        // The first notification of all is of the activity that can be continued.
                        let notification = try await screen.next()
                        #expect(notification.body == "Opens in the app for its document.")
                    }
                }
            }
        }
    }

    @Test("No notification of an activity is shown if the configuration disables them")
    func off() async throws {
        let screen = FakeNotificationServer("actions")
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.write("[handoffd]\nnotifies = no\n", to: ".config/handoff/handoffd.conf")
            try world.writeApp("org.example.Editor", "X-Handoff-Exec=true")
        }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { connection in
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        #expect(try await desktop.json("continue")["outcome"].string == "app")
                    }
                    try await watcher.none()
                }
                #expect(screen.summaries.allSatisfy { !$0.hasPrefix("Continue") })
            }
        }
    }
}

/// An app on the bus that reports the activation token of each call.
struct OptionsApp: Sendable {
    private let calls = ReceivedCalls()

    /// The next call and its activation token.
    func next() async -> String { await calls.next() }

    /// Runs `body` while the app is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let string = { (name: String) in Argument(name: name, type: .string) }
        let options = Argument(name: "options", type: [String: Value].valueType)
        let activity = Argument(name: "activity", type: [String: Value].valueType)
        let methods = [
            method("WillContinue", [string("type"), options], answers: true),
            method("Continue", [activity, options], answers: true),
            method("DidFail", [string("type"), string("error"), string("message"), options], answers: false),
        ]
        let interface = Interface(name: "org.handoffd.Application1", methods: methods)
        try await bus.withService("org.example.Editor", at: "/org/example/Editor", [interface]) { _ in
            try await body()
        }
    }

    private func method(_ name: MemberName, _ inputs: [Argument], answers: Bool) -> Method {
        let outputs = answers ? [Argument(name: "yes", type: .boolean)] : []
        return Method(name: name, inputs: inputs, outputs: outputs) { invocation in
            let token = invocation.arguments.last?.stringDictionary?["ActivationToken"]?.string ?? ""
            calls.append("\(name) \(token)")
            return .reply(answers ? [.boolean(true)] : [])
        }
    }
}
