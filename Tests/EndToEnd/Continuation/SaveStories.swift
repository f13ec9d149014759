import DBus
import Foundation
import HandoffBus
import HandoffCrypto
import HandoffModel
import HandoffTestSupport
import HandoffWire
import Synchronization
import TestLimits
import Testing

@Suite(
    "An app saves before its activity is fetched, and learns which device continued it",
    .endsWithin(minutes: 15, instances: 6)
)
struct SaveStories {
    @Test(
        "The app of Docs/Adopting.md saves many changes at once before each fetch, and learns which device continued it"
    )
    func adopting() async throws {
        let keys = String(repeating: "kä", count: 300)
        try await World.runPair { world, laptop, desktop in
            let script = world.directory.appending(path: "editor.py").path()
            try Data(Repository.adoptingProgram(containing: "WillSave").utf8).write(to: URL(filePath: script))
            let input = world.directory.appending(path: "keys").path()
            try Data(keys.utf8).write(to: URL(filePath: input))
            let command = "exec /usr/bin/python3 '\(script)' < '\(input)'"
            try await laptop.monitoring { monitor in
                try await withProgram("/bin/sh", ["-c", command], environment: laptop.bus.environment) { editor in
                    async let output = editor.stdout.firstLine()
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        var (text, fetches) = ("", 0)
                        func fetch() async throws {
                            text = try await desktop.json("continue", "--print", "--take")["userInfo"]["text"].string
                            fetches += 1
                            try await monitor.shown(fetches, of: "continued")
                        }
                        while text != keys {
                            // There are more keys than it has saved.
                            try await laptop.untilUnsaved()
                            try await fetch()
                        }
                        // The last key may have arrived during the save, so one more save request is allowed.
                        try await fetch()
                        #expect(monitor.events("saveRequested").count <= fetches)
                        #expect(monitor.events("saveEnded").allSatisfy { $0["Outcome"].string == "saved" })
                        // Nothing has changed since, so the app gets no save request.
                        let requests = monitor.events("saveRequested").count
                        try await fetch()
                        #expect(monitor.events("saveRequested").count == requests)
                        kill(editor.processID, SIGKILL)
                        try await atOnce { try await watcher.none() }
                    }
                    #expect(await output == "desktop goes on with it")
                }
            }
        }
    }

    @Test("Two concurrent fetches cause one save request, and both get what the app saved")
    func twoAtOnce() async throws {
        try await World.runPair { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await laptop.trustEachOther(tablet)
                try await laptop.connected { program in
                    let editor = Editor { activity in
                        var waiting = 0
                        try await laptop.log.first { line -> Void? in
                            if line.isLogLine(of: "request.received") { waiting += 1 }
                            return waiting == 2 ? () : nil
                        }
                        try await program.setUserInfo(["line": .int64(7)], of: activity)
                    }
                    _ = try await editor.open("org.example.edit", over: program)
                    let entries = [try await desktop.watchingOnce(), try await tablet.watchingOnce()]
                    try await desktop.connected { one in
                        try await tablet.connected { other in
                            for client in [one, other] { try await client.startLooking() }
                            async let first = one.fetchActivity(entries[0], for: .take)
                            async let second = other.fetchActivity(entries[1], for: .take)
                            let states = [try await first.userInfo, try await second.userInfo]
                            #expect(states == [["line": .integer(7)], ["line": .integer(7)]])
                        }
                    }
                    let events = await editor.next(3)
                    #expect(events.first == "WillSave")
                    let (one, other) = (try await desktop.id, try await tablet.id)
                    #expect(Set(events) == ["WillSave", "WasContinued \(one) desktop", "WasContinued \(other) tablet"])
                }
            }
        }
    }

    @Test("An app that turns to another activity of the type while it saves: the fetch gets neither of them")
    func turnsAway() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let editor = Editor { _ in
                    try await program.becomeCurrent(
                        try await program.create("org.example.edit", ["Title": .string("B")])
                    )
                }
                _ = try await editor.open("org.example.edit", ["Title": .string("A")], over: program)
                try await Self.expectNeither(editor, desktop)
                #expect(try await desktop.json("continue", "--print")["title"].string == "B")
            }
        }
    }

    @Test(
        "An activity that is about another document when it was saved is another entry, and is not sent for the first"
    )
    func otherDocument() async throws {
        try await World.runPair { world, laptop, desktop in
            for name in ["a", "b"] { try world.write("Hello\n", to: "docs/\(name).txt") }
            let folder = world.directory.appending(path: "docs").path(percentEncoded: false)
            for device in [laptop, desktop] { _ = try await device.json("folders", "add", "docs", folder) }
            let url: @Sendable (String) -> Value = { name in
                .string("file://\(world.directory.path())/docs/\(name).txt")
            }
            try await laptop.connected { program in
                let editor = Editor { try await program.set("DocumentURL", to: url("b"), of: $0) }
                _ = try await editor.open("org.example.edit", ["DocumentURL": url("a")], over: program)
                try await Self.expectNeither(editor, desktop)
                let document = try await desktop.json("continue", "--print")["userInfo"]["NSUserActivityDocumentURLKey"]
                #expect(document["$url"].string.hasSuffix("/docs/b.txt"))
            }
        }
    }

    /// Fetches the entry, for which the app is asked to save, and expects a refusal and another entry.
    ///
    /// A continue that names no entry would go on with the other one.
    private static func expectNeither(_ editor: Editor, _ desktop: Device) async throws {
        try await desktop.watching { watcher in
            let id = try await watcher.one()["id"]
            let number = try #require(id.number)
            let result = try await desktop.run("--json", "continue", "\(Int(number))", "--print", "--take")
            #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NoLongerCurrent")
            #expect(await editor.next(1) == ["WillSave"])
            try await watcher.until { $0.count == 1 && $0[0]["id"] != id }
        }
    }

    @Test(
        "An app that does not answer a save request delays one fetch by three seconds; its last saved state is fetched"
    )
    func hanging() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await laptop.connected { program in
                    let editor = Editor { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }
                    let state = ["UserInfo": ["line": Value.int64(1)].value]
                    let activity = try await editor.open("org.example.edit", state, over: program)
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        #expect(try await desktop.json("continue", "--print", "--take")["userInfo"]["line"].number == 1)
                        try await monitor.line { $0["Outcome"].string == "timed-out" }
                        // It has not answered yet, so it gets no second save request and causes no second delay.
                        try await program.set("NeedsSave", to: .boolean(true), of: activity)
                        #expect(try await desktop.json("continue", "--print", "--take")["userInfo"]["line"].number == 1)
                        try await monitor.shown(2, of: "continued")
                        #expect(monitor.events("saveRequested").count == 1)
                    }
                }
            }
        }
    }

    @Test("If the delegate's object is missing or its save fails, the last saved state is fetched")
    func failing() async throws {
        struct Failure: Error {}
        try await World.runPair { _, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await laptop.connected { program in
                    let editor = Editor { _ in throw Failure() }
                    let activity = try await editor.open("org.example.edit", ["Title": .string("T")], over: program)
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        #expect(try await desktop.json("continue", "--print", "--take")["title"].string == "T")
                        try await program.set("Delegate", to: .objectPath("/nowhere"), of: activity)
                        #expect(try await desktop.json("continue", "--print", "--take")["title"].string == "T")
                        try await monitor.shown(2, of: "continued")
                        #expect(monitor.events("saveEnded").map { $0["Outcome"].string } == ["failed", "failed"])
                        let shown = try await program.objects().activities.first
                        #expect(shown?.properties["NeedsSave"] == .boolean(true))
                    }
                }
            }
        }
    }

    @Test("A replayed fetch request is refused")
    func replay() async throws {
        let phone = DeviceKeys.generate()
        try await World.runPair { world, laptop, desktop in
            let card = try CardText(publicKeys: phone.publicKeys, name: "phone")
            _ = try await laptop.json("devices", "trust", card.text)
            let laptopCard = try await laptop.json("devices", "card")["card"].string
            let laptopKey = try CardText(parsing: laptopCard).publicKeys
            try await laptop.connected { program in
                let editor = Editor { _ in }
                _ = try await editor.open("org.example.edit", over: program)
                let recorded = Mutex<[UInt8]>([])
                let received = try await UntrustedClient.exchange(at: laptop, enough: 1) {
                    greeting,
                    advertised in
                    let fetch = FetchRequest(number: advertised.number, purpose: .take(.random()))
                    let opening = try Request.fetch(fetch).opening(by: phone, to: laptopKey, greeting)
                    recorded.withLock { $0 = opening }
                    return opening
                }
                #expect(!received.isEmpty, "the device answers the request that it has not seen before")
                let replayed = recorded.withLock(\.self)
                #expect(try await UntrustedClient.exchange(replayed, at: laptop) == [])
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    _ = try await desktop.json("continue", "--print", "--take")
                }
                let id = try await desktop.id
                #expect(await editor.next(2) == ["WillSave", "WasContinued \(id) desktop"])
            }
        }
    }

    @Test("A device that is removed while an app saves gets nothing")
    func removedMeanwhile() async throws {
        try await World.runPair { _, laptop, desktop in
            let id = try await desktop.id
            try await laptop.connected { program in
                let editor = Editor { _ in try await program.remove(deviceID: id) }
                _ = try await editor.open("org.example.edit", ["Title": .string("Secret")], over: program)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    let result = try await desktop.run("--json", "continue", "--print", "--take")
                    #expect(result.status != 0)
                    #expect(!result.stdout.contains("Secret"))
                }
                #expect(await editor.next(1) == ["WillSave"])
            }
        }
    }

    @Test("The monitor prints every change, save, fetch and continuation with the exact contents")
    func monitor() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await laptop.connected { program in
                    let editor = Editor { activity in
                        try await program.setUserInfo(["line": .int64(7), "cache": .bytes([1])], of: activity)
                    }
                    let keys: [String: Value] = ["RequiredUserInfoKeys": ["line"].value]
                    let activity = try await editor.open("org.example.edit", keys, over: program)
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        let userInfo = try await desktop.json("continue", "--print", "--take")["userInfo"]
                        #expect(try userInfo == JSON(#"{"line": 7}"#))
                    }
                    try await monitor.line { $0["event"].string == "continued" }
                    let own = monitor.all.filter { $0["object"].string == activity.description }
                    #expect(
                        own.map { $0["event"].string } == [
                            "added", "changed", "saveRequested", "changed", "changed", "saveEnded", "fetched",
                            "continued",
                        ]
                    )
                    let saved = try #require(
                        own.first { !$0["properties"]["UserInfo"].isNull && $0["event"].string == "changed" }
                    )
                    #expect(try saved["properties"]["UserInfo"] == JSON(#"{"line": 7, "cache": {"$data": "AQ=="}}"#))
                    let fetched = try #require(own.first { $0["event"].string == "fetched" })["properties"]
                    #expect(try fetched["Activity"]["UserInfo"] == JSON(#"{"line": 7}"#))
                    #expect(try await fetched["Device"].string.hasSuffix(desktop.id))
                    #expect(own.last?["properties"]["DeviceName"].string == "desktop")
                }
            }
        }
    }

    @Test("An expired activity is withdrawn without any request, and the program's other activity becomes current")
    func expiration() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.connected { program in
                    let lasting = try await program.create("org.example.draw", [:])
                    try await program.becomeCurrent(lasting)
                    let draw = try await watcher.one()
                    let path = try await program.create("org.example.edit", [:])
                    try await program.becomeCurrent(path)
                    try await watcher.until { $0.count == 1 && $0[0]["typeHash"] != draw["typeHash"] }
                    let soon = UInt64((Date.now.timeIntervalSince1970 + 1) * 1_000_000)
                    try await program.set("ExpirationDate", to: .uint64(soon), of: path)
                    try await atOnce {
                        try await watcher.until { $0.count == 1 && $0[0]["typeHash"] == draw["typeHash"] }
                    }
                    let current = try await program.status().currentActivity
                    #expect(current == lasting)
                    try await program.set("ExpirationDate", to: .uint64(0), of: path)
                    try await atOnce {
                        try await watcher.until { $0.count == 1 && $0[0]["typeHash"] != draw["typeHash"] }
                    }
                }
            }
        }
    }

    @Test("Every property reaches the other device, set on the command line and read over D-Bus")
    func allProperties() async throws {
        try await World.runPair { _, laptop, desktop in
            let options = [
                "--title", "Draft", "--webpage", "https://example.org/a", "--user-info", #"{"line": 12, "cache": 1}"#,
                "--required-key", "line", "--expires", "2100-01-01T00:00:00Z", "--team-id", "org.example",
                "--target-content", "note 42", "--persistent-id", "42",
            ]
            try await laptop.publishing("org.example.edit", options) { _ in
                let entry = try await desktop.watchingOnce()
                let activity = try await desktop.connected { try await $0.fetchActivity(entry) }
                #expect(activity.title == "Draft")
                #expect(activity.webpageURL?.rawValue == "https://example.org/a")
                #expect(activity.userInfo == ["line": .integer(12)])
                #expect(activity.requiredUserInfoKeys == ["line"])
                #expect(activity.expiration == (try Timestamp("2100-01-01T00:00:00Z")))
                #expect(activity.teamID == "org.example")
                #expect(activity.targetContentIdentifier == "note 42")
                #expect(activity.persistentIdentifier == "42")
                for date in ["soon", "2020-01-01T00:00:00Z"] {
                    let wrong = try await laptop.run("publish", "--type", "a.b", "--expires", date)
                    #expect(wrong.status == 64)
                    #expect(wrong.stderr.contains("--expires"))
                }
            }
        }
    }
}
