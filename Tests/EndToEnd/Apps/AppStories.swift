import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffTestSupport
import Testing
import TestLimits

@Suite("An activity continues in its app or in the browser", .endsWithin(minutes: 15, instances: 4))
struct AppStories {
    private static let bus = "DBusActivatable=true"

    @Test("The stopped app of Docs/Adopting.md is started, notified and given the activity; a menu starts it too")
    func adopting() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", Self.bus)
            try world.write(try Repository.adoptingProgram(containing: "WillContinue"), to: "editor.py")
            let path = world.directory.path()
            let command = "/usr/bin/python3 \(path)/editor.py > \(path)/received"
            try world.write(
                "[D-BUS Service]\nName=org.example.Editor\nExec=/bin/sh -c '\(command)'\n",
                to: "services/org.example.Editor.service"
            )
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.watching { watcher in
                let options = ["--title", "Draft", "--user-info", #"{"text": "Hello"}"#]
                try await laptop.publishing("org.example.edit", options) { _ in
                    try await watcher.until { $0.first?["applicationName"].string == "Editor" }
                    let result = try await desktop.json("continue")
                    #expect(result["outcome"].string == "app")
                    #expect(result["application"].string == "org.example.Editor")
                    try await desktop.connected { client in
                        let activate = MethodCall(
                            destination: "org.example.Editor",
                            path: "/org/example/Editor",
                            interface: "org.freedesktop.Application",
                            member: "Activate",
                            arguments: [[String: Value]().value]
                        )
                        _ = try await client.connection.call(activate)
                    }
                    let received = try String(contentsOf: world.directory.appending(path: "received"), encoding: .utf8)
                    #expect(received == "waiting for laptop\nDraft: Hello\nstarted from a menu\n")
                }
            }
        }
    }

    @Test("An app that received an activity exchanges bytes with the app that published it")
    func stream() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", Self.bus) }) { _, laptop, desktop in
            try await laptop.connected { program in
                let editor = Editor { _ in }
                let streams = ["SupportsContinuationStreams": Value.boolean(true)]
                _ = try await editor.open("org.example.edit", streams, over: program)
                try await desktop.watching { watcher in
                    try await watcher.until { $0.first?["opensWith"].string == "app" }
                    try await app.whileOnBus(on: desktop.bus) {
                        #expect(try await desktop.json("continue")["outcome"].string == "app")
                        #expect(await app.next() == "WillContinue org.example.edit from laptop")
                        let continuation = String(await app.next().dropFirst("Continue ".count))
                        try await Reactor.withReactor { reactor in
                            let here = try await desktop.connected { try await $0.openStream(continuation) }
                            let end = try LocalStream(taking: here.duplicate(), on: reactor)
                            try await end.write([1, 2, 3])
                            for await there in editor.streams {
                                let other = try LocalStream(taking: there.duplicate(), on: reactor)
                                #expect(try await other.read(atMost: 10) == [1, 2, 3])
                                break
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("If the origin stops answering after the announcement, the app and the user get one error each")
    func originGone() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", Self.bus) }) { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "app" }
                    try await app.whileOnBus(on: desktop.bus) {
                        laptop.signal(SIGKILL)
                        let result = try await desktop.run("--json", "continue")
                        #expect(result.status == 1)
                        #expect(await app.next() == "WillContinue org.example.edit from laptop")
                        let failure = await app.next()
                        #expect(failure.hasPrefix("DidFail org.handoffd.Error."))
                        #expect(try JSON(result.stderr)["name"].string == failure.dropFirst("DidFail ".count))
                    }
                }
            }
        }
    }

    @Test("A second continuation ends the first one with UserCancelled for the app and for the caller")
    func superseded() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", Self.bus) }) { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "app" }
                    let entry = try await desktop.watchingOnce()
                    try await app.whileOnBus(on: desktop.bus) {
                        laptop.signal(SIGSTOP)
                        try await desktop.connected { user in
                            async let first = Result { try await user.continueActivity(entry) }
                            #expect(await app.next().hasPrefix("WillContinue"))
                            async let second = Result { try await user.continueActivity(entry) }
                            // The order of the two calls to the app is undefined.
                            let received = [await app.next(), await app.next()].sorted()
                            #expect(received[0] == "DidFail org.handoffd.Error.UserCancelled")
                            #expect(received[1].hasPrefix("WillContinue"))
                            let ended = await first
                            #expect(ended.errorName == "UserCancelled")
                            laptop.signal(SIGCONT)
                            let outcome = try await second.get().outcome
                            #expect(outcome == "app")
                            #expect(await app.next() == "Continue T")
                        }
                    }
                }
            }
        }
    }

    @Test("A daemon that is stopped during a fetch tells the app before it leaves the bus, and its next run does not")
    func daemonStopped() async throws {
        let app = RecordingApp()
        try await World.run { world in
            try world.writeApp("org.example.Editor", Self.bus)
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await app.whileOnBus(on: bus) {
                        let variables = world.appVariables
                        try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                            try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                                try await laptop.trustEachOther(desktop)
                                let entry = try await desktop.watchingOnce()
                                laptop.signal(SIGSTOP)
                                try await desktop.connected { user in
                                    async let result = Result { try await user.continueActivity(entry) }
                                    #expect(await app.next().hasPrefix("WillContinue"))
                                    desktop.signal(SIGTERM)
                                    #expect(await app.next() == "DidFail org.handoffd.Error.Cancelled")
                                    let outcome = await result
                                    #expect(outcome.errorName == "Cancelled")
                                }
                                laptop.signal(SIGCONT)
                                #expect(await desktop.process.exitStatus() == 0)
                            }
                            try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                                let entry = try await desktop.watchingOnce()
                                _ = try await desktop.connected { try await $0.continueActivity(entry) }
                            }
                            // Nothing came in between.
                            #expect(await app.next().hasPrefix("WillContinue"))
                            #expect(await app.next() == "Continue T")
                        }
                    }
                }
            }
        }
    }

    @Test("The first call after the start of the daemon finds every app that is installed")
    func firstCall() async throws {
        // Enough of them that reading them takes longer than the call does.
        let ids = Set((0..<600).map { "org.example.Editor\($0)" })
        try await World.run { world in
            for id in ids { try world.writeApp(id, Self.bus) }
            try await withPrivateBus { bus in
                try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                    let found = try await desktop.connected { try await $0.apps().apps }
                    #expect(Set(found.map(\.id)) == ids)
                }
            }
        }
    }

    @Test("After the daemon is killed during a fetch, its next run notifies the app exactly once")
    func daemonKilled() async throws {
        let app = RecordingApp()
        try await World.run { world in
            try world.writeApp("org.example.Editor", Self.bus)
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await app.whileOnBus(on: bus) {
                        try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                            try await laptop.trustEachOther(desktop)
                            try await laptop.publishing("org.example.edit") { _ in
                                let entry = try await desktop.watchingOnce()
                                laptop.signal(SIGSTOP)
                                try await desktop.connected { user in
                                    async let result = Result { try await user.continueActivity(entry) }
                                    #expect(await app.next().hasPrefix("WillContinue"))
                                    desktop.signal(SIGKILL)
                                    let outcome = await result
                                    #expect(throws: (any Error).self) { try outcome.get() }
                                }
                            }
                        }
                        for run in 0..<2 {
                            let variables = world.appVariables
                            try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                                if run == 0 {
                                    let received = await app.next()
                                    #expect(received == "DidFail org.handoffd.Error.Cancelled")
                                }
                                // A second notification of the app would arrive before the answer to this request.
                                let status = try await desktop.run("status").status
                                #expect(status == 0)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("The browser opens the page if the app declines or no app claims the type")
    func browser() async throws {
        let (app, portal) = (RecordingApp(accepts: false), FakePortal())
        try await World.runApps({ try $0.writeApp("org.example.Editor", Self.bus) }) { _, laptop, desktop in
            try await portal.whileOnBus(on: desktop.bus) {
                try await app.whileOnBus(on: desktop.bus) {
                    for type in ["org.example.edit", "org.example.draw"] {
                        try await desktop.watching { watcher in
                            let page = "https://example.org/\(type)"
                            try await laptop.publishing(type, ["--webpage", page]) { _ in
                                let opener = type == "org.example.edit" ? "app" : "browser"
                                try await watcher.until { $0.first?["opensWith"].string == opener }
                                #expect(try await desktop.json("continue")["outcome"].string == "browser")
                                #expect(await portal.next() == page)
                            }
                        }
                    }
                    #expect(await app.next().hasPrefix("WillContinue"))
                    #expect(await app.next().hasPrefix("Continue"))
                }
            }
        }
    }

    @Test("Without a portal, xdg-open opens the page; an activity without a page is listed as not continuable")
    func noPortal() async throws {
        let prepare: @Sendable (World) async throws -> Void = { world in
            let opened = world.directory.appending(path: "opened").path()
            try await world.writeProgram("#!/bin/sh\necho \"$1\" > \(opened)\n", to: "bin/xdg-open")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "none" }
                    let result = try await desktop.run("--json", "continue")
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NotContinuable")
                }
                try await watcher.none()
                try await laptop.publishing("org.example.draw", ["--webpage", "https://example.org/"]) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "browser" }
                    #expect(try await desktop.json("continue")["outcome"].string == "browser")
                    try await desktop.log.event("app.ended")
                    let opened = try String(contentsOf: world.directory.appending(path: "opened"), encoding: .utf8)
                    #expect(opened == "https://example.org/\n")
                }
            }
        }
    }

    @Test("A program without D-Bus that is installed later receives the activity; invalid desktop files are reported")
    func program() async throws {
        try await World.runApps({ _ in }) { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--user-info", #"{"a": {"$set": [1]}}"#]) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "none" }
                    let received = world.directory.appending(path: "received")
                    try world.writeApp("cat", "X-Handoff-Exec=sh -c \"cat > \(received.path())\"")
                    try world.writeApp("broken", "")
                    try await watcher.until { $0.first?["application"].string == "cat" }
                    #expect(try await desktop.json("continue")["application"].string == "cat")
                    try await desktop.log.event("app.ended")
                    let activity = try JSON(String(contentsOf: received, encoding: .utf8))
                    #expect(activity["type"].string == "org.example.edit")
                    #expect(try activity["userInfo"] == JSON(#"{"a": {"$set": [1]}}"#))

                    try await desktop.log.event("app.invalid")
                    let check = try await desktop.run("apps", "--check")
                    #expect(check.status == 1)
                    #expect(check.stdout.contains("broken.desktop: X-Handoff-Exec is missing"))
                }
            }
        }
    }

    @Test("The user's default app gets the activity and is kept; an id that is not an app's is refused")
    func defaults() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("a", "X-Handoff-Exec=true")
            try world.writeApp("b", "X-Handoff-Exec=true")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.log.event("apps.scanned")
            #expect(try await desktop.run("apps", "--default", "org.example.edit", "c").status == 4)
            let apps = try await desktop.json("apps", "--default", "org.example.edit", "b").array
            let chosen = apps.map { $0["defaults"].array.count }
            #expect(chosen == [0, 1])
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    try await watcher.until { $0.first?["application"].string == "b" }
                    #expect(try await desktop.json("continue")["application"].string == "b")
                }
            }
            let file = world.stateDirectory(of: "desktop") + "/apps"
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("org.example.edit"))
        }
    }
}
