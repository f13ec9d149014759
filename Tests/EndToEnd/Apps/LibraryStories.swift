import DBus
import Foundation
import HandoffBus
import HandoffKit
import HandoffTestSupport
import Synchronization
import Testing
import TestLimits

@Suite("Apps with HandoffKit keep the promises of Apple's guides", .endsWithin(minutes: 15, instances: 4))
struct LibraryStories {
    /// Runs `app` with the library on a device's bus.
    private static func run(
        on device: Device,
        _ app: @escaping @Sendable (Handoff) async throws -> Void
    ) async throws {
        // The library runs in the process of the tests.
        try await Handoff.run(bus: device.bus.address.description) { try await app($0) }
    }

    /// What another device gets when its user continues the activity that is nearby.
    private static func take(on device: Device) async throws -> JSON {
        try await device.json("continue", "--print", "--take")["userInfo"]
    }

    @Test("An app that never sets needsSave is asked before its activity is sent for the first time")
    func firstGathering() async throws {
        try await World.runPair { _, laptop, desktop in
            try await Self.run(on: laptop) { handoff in
                let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                let part = StoryPart("line", 12)
                part.userActivity = activity
                activity.becomeCurrent()
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await Self.take(on: desktop)["line"].number == 12)
                    part.value.set(13)
                    #expect(try await Self.take(on: desktop)["line"].number == 12, "it has not said that it changed")
                    activity.needsSave = true
                    #expect(try await Self.take(on: desktop)["line"].number == 13)
                }
            }
        }
    }

    @Test("The same for an app on D-Bus: a new delegate is asked first")
    func firstGatheringOnBus() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let editor = Editor { try await program.setUserInfo(["line": .int64(7)], of: $0) }
                let activity = try await editor.open("org.example.edit", ["NeedsSave": .boolean(false)], over: program)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await Self.take(on: desktop)["line"].number == 7)
                    try await program.set("Delegate", to: .objectPath("/nowhere"), of: activity)
                    let object = try await program.objects().activities.first
                    #expect(object?.properties["NeedsSave"] == .boolean(true))
                }
            }
        }
    }

    @Test("A window that is closed takes its state with it, and the last one takes the activity off the other device")
    func deallocated() async throws {
        try await World.runPair { _, laptop, desktop in
            try await Self.run(on: laptop) { handoff in
                var first: StoryPart? = StoryPart("first", 1)
                var second: StoryPart? = StoryPart("second", 2)
                do {
                    let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                    first?.userActivity = activity
                    second?.userActivity = activity
                    activity.becomeCurrent()
                }
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await Self.take(on: desktop) == JSON(#"{"first": 1, "second": 2}"#))
                }
                first?.userActivity?.needsSave = true
                first = nil
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await Self.take(on: desktop) == JSON(#"{"second": 2}"#))
                }
                second = nil
                try await desktop.watching { try await $0.none() }
            }
        }
    }

    @Test("Every property can be observed: what the app sets, and what the daemon and the other device bring about")
    func changes() async throws {
        try await World.runPair { _, laptop, desktop in
            try await Self.run(on: laptop) { handoff in
                let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                let part = StoryPart("line", 12)
                part.userActivity = activity
                activity.webpageURL = try WebpageURL("https://example.org/")
                var changes = activity.changes.makeAsyncIterator()
                activity.becomeCurrent()
                while !activity.isCurrent { #expect(await changes.next() != nil) }
                while activity.encodedSize == nil { #expect(await changes.next() != nil) }
                let size = try #require(activity.encodedSize)
                let other = activity.changes
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    _ = try await Self.take(on: desktop)
                }
                // The save that the other device has caused.
                var seen: Set<UserActivityProperty> = []
                for await properties in other {
                    seen.formUnion(properties)
                    if seen.isSuperset(of: [.needsSave, .userInfo, .encodedSize]) { break }
                }
                #expect(activity.userInfo == ["line": 12])
                #expect(activity.encodedSize ?? 0 > size)
                let newer = try UserActivity(activityType: "org.example.draw", in: handoff)
                newer.becomeCurrent()
                while activity.isCurrent { #expect(await changes.next() != nil) }
                newer.invalidate()
                while !activity.isCurrent { #expect(await changes.next() != nil) }
            }
        }
    }

    @Test("A large activity is reported with its size, and one that is too large fails to be saved and says so")
    func size() async throws {
        try await World.runPair { _, laptop, desktop in
            let saver = StorySaver()
            try await laptop.monitoring { monitor in
                try await Self.run(on: laptop) { handoff in
                    let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                    activity.delegate = saver
                    activity.becomeCurrent()
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        for (count, warns) in [(100, false), (5000, true)] {
                            saver.save(count, activity)
                            #expect(try await Self.take(on: desktop)["text"].string.count == count)
                            let result = try #require(await saver.next())
                            #expect(result.error == nil)
                            #expect((result.encodedSize ?? 0) > count)
                            #expect((result.sizeWarning != nil) == warns)
                            #expect(activity.encodedSize == result.encodedSize)
                        }
                        saver.save(70_000, activity)
                        #expect(try await Self.take(on: desktop)["text"].string.count == 5000)
                        let refused = try #require(await saver.next())
                        #expect(refused.error?.handoffReason == .payloadTooLarge)
                        #expect(activity.publishingError?.handoffReason == .payloadTooLarge)
                        try await monitor.line { $0["Outcome"].string == "failed" }
                    }
                }
            }
        }
    }

    @Test("A document is with its activity on the other device, whatever the app and its parts put into userInfo")
    func documentStays() async throws {
        try await Self.runWithFolders { world, laptop, desktop in
            try world.write("x", to: "laptop-docs/a b.txt")
            try world.write("x", to: "desktop-docs/a b.txt")
            let file = world.directory.appending(path: "laptop-docs/a b.txt").path(percentEncoded: false)
            let copy = world.directory.appending(path: "desktop-docs/a b.txt").path(percentEncoded: false)
            let reader = StoryReader()
            try await Handoff.run(
                application: "org.example.Reader",
                delegate: reader,
                bus: desktop.bus.address.description
            ) { _ in
                try await Self.run(on: laptop) { handoff in
                    let part = StoryPart("line", 12)
                    let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                    activity.documentURL = try DocumentURL(path: file)
                    activity.userInfo = ["stale": true]
                    activity.requiredUserInfoKeys = ["line"]
                    part.userActivity = activity
                    activity.becomeCurrent()
                    try await desktop.watching { watcher in
                        try await watcher.until { $0.first?["application"].string == "org.example.Reader" }
                        for line in 12...13 {
                            part.value.set(line)
                            activity.needsSave = true
                            #expect(try await desktop.json("continue")["outcome"].string == "app")
                            let received = try #require(await reader.next())
                            #expect(received.documentURL?.path == copy)
                            #expect(
                                received.userInfo == [
                                    "line": .integer(line),
                                    NSUserActivityDocumentURLKey: .url(try DocumentURL(path: copy).description),
                                ]
                            )
                        }
                    }
                }
            }
        }
    }

    @Test("The same on D-Bus: setting UserInfo keeps the document that DocumentURL names")
    func documentStaysOnBus() async throws {
        try await Self.runWithFolders { world, laptop, desktop in
            try world.write("x", to: "laptop-docs/a.txt")
            try world.write("x", to: "desktop-docs/a.txt")
            let file = world.directory.appending(path: "laptop-docs/a.txt").path()
            try await laptop.connected { program in
                let editor = Editor { try await program.setUserInfo(["line": .int64(7)], of: $0) }
                let document: [String: Value] = ["DocumentURL": .string("file://\(file)")]
                _ = try await editor.open("org.example.edit", document, over: program)
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    let userInfo = try await Self.take(on: desktop)
                    #expect(userInfo["line"].number == 7)
                    let url = userInfo["NSUserActivityDocumentURLKey"]["$url"].string
                    #expect(url.hasSuffix("/desktop-docs/a.txt"), "\(url)")
                }
            }
        }
    }

    @Test("A document's activity has the type of its kind, and comes and goes with the file; the app can observe it")
    func documentComesAndGoes() async throws {
        try await Self.runWithFolders { world, laptop, desktop in
            try world.write("x", to: "elsewhere/one.story")
            let inside = world.directory.appending(path: "laptop-docs/one.story").path()
            let move = { @Sendable (from: String, to: String) throws in
                try FileManager.default.moveItem(
                    at: world.directory.appending(path: from),
                    to: world.directory.appending(path: to)
                )
            }
            try await Self.run(on: laptop) { handoff in
                let document = try HandoffDocument(fileURL: DocumentURL(path: inside), in: handoff)
                document.becomeCurrent()
                try await desktop.watching { watcher in
                    var activities = document.userActivities.makeAsyncIterator()
                    let none = try #require(await activities.next())
                    #expect(none == nil)
                    try move("elsewhere/one.story", "laptop-docs/one.story")
                    let created = try #require(await activities.next() ?? nil)
                    #expect(created.activityType == "a.story" && created.title == "one.story")
                    #expect(document.userActivity === created && document.problem == nil)
                    let row = try await watcher.one()
                    #expect(row["type"].string == "a.story")

                    try move("laptop-docs/one.story", "elsewhere/one.story")
                    let removed = try #require(await activities.next())
                    #expect(removed == nil)
                    #expect(document.problem?.contains("one.story") == true, "\(document.problem ?? "")")
                    try await watcher.none()

                    // The app renames it: to a kind with the same type, and then to one with another type.
                    try move("elsewhere/one.story", "laptop-docs/one.tale")
                    document.fileURL = try DocumentURL(path: inside.replacing(".story", with: ".tale"))
                    let renamed = try #require(await activities.next() ?? nil)
                    #expect(renamed === created)
                    _ = try await watcher.one()
                    try move("laptop-docs/one.tale", "laptop-docs/one.poem")
                    document.fileURL = try DocumentURL(path: inside.replacing(".story", with: ".poem"))
                    var poem = document.userActivity
                    while poem?.activityType != "a.poem" { poem = try #require(await activities.next()) }
                    #expect(poem?.title == "one.poem")
                    try await watcher.until { $0.count == 1 && $0[0]["type"].string == "a.poem" }

                    document.close()
                    for await activity in document.userActivities { #expect(activity == nil) }
                    try await watcher.none()
                }
            }
        }
    }

    @Test("A document of a kind that no app declares has a problem that says what to do")
    func undeclaredKind() async throws {
        try await Self.runWithFolders { world, laptop, _ in
            let files = ["a.txt", "b.story"].map { world.directory.appending(path: "laptop-docs/\($0)").path() }
            for file in files { try Data("x".utf8).write(to: URL(filePath: file)) }
            try await Self.run(on: laptop) { handoff in
                let document = try HandoffDocument(fileURL: DocumentURL(path: files[0]), in: handoff)
                // Nothing tells of a problem of a document that never had an activity; one that comes later has an activity
                // after the daemon was asked about both, and asked for more.
                while document.problem == nil {
                    let later = try HandoffDocument(fileURL: DocumentURL(path: files[1]), in: handoff)
                    for await activity in later.userActivities where activity != nil { break }
                    try Task.checkCancellation()
                }
                #expect(document.problem?.contains("X-Handoff-DocumentTypes") == true, "\(document.problem ?? "")")
                #expect(document.userActivity == nil)
            }
        }
    }

    @Test("A failure that the caller of Continue does not show is a notification of the app's library; others are not")
    func failure() async throws {
        let screen = FakeNotificationServer("body")
        try await World.runApps({ world in
            try world.writeApp("org.example.Editor", "DBusActivatable=true")
            try world.write("[handoffd]\nnotifies = no\n", to: ".config/handoff/handoffd.conf")
        }) { _, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { _ in
                try await Handoff.run(application: "org.example.Editor", bus: desktop.bus.address.description) { _ in
                    try await laptop.publishing("org.example.edit") { _ in
                        let entry = try await desktop.watchingOnce()
                        laptop.signal(SIGKILL)
                        let shown = try await desktop.run("continue")
                        #expect(shown.status != 0 && !shown.stderr.isEmpty)
                        let error = await Result<Void, any Error> {
                            _ = try await desktop.connected { try await $0.continueActivity(entry) }
                        }
                        let notification = try await screen.next()
                        #expect(notification.summary == "Could not continue")
                        #expect(notification.body == error.errorMessage, "only the second failure is shown")
                    }
                }
            }
        }
    }

    /// Runs `story` with a folder `docs` on each of two devices, where stories and poems have activity types.
    private static func runWithFolders(
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await World.run { world in
            try world.write(
                "50:text/x-story:*.story\n50:text/x-tale:*.tale\n50:text/x-poem:*.poem\n",
                to: "share/mime/globs2"
            )
            try world.writeApp(
                "org.example.Reader",
                "DBusActivatable=true\nX-Handoff-DocumentTypes=text/x-story=a.story;text/x-tale=a.story;text/x-poem=a.poem;"
            )
            for folder in ["laptop-docs", "desktop-docs", "elsewhere"] {
                try FileManager.default.createDirectory(
                    at: world.directory.appending(path: folder),
                    withIntermediateDirectories: true
                )
            }
            try await withPrivateBus { first in
                try await withPrivateBus { second in
                    try await world.withDaemon("laptop", on: first, variables: world.appVariables) { laptop in
                        try await world.withDaemon("desktop", on: second, variables: world.appVariables) { desktop in
                            try await laptop.trustEachOther(desktop)
                            for device in [laptop, desktop] {
                                let path = world.directory.appending(path: "\(device.name)-docs").path()
                                let added = try await device.run("folders", "add", "docs", path)
                                try #require(added.status == 0, "\(added.stderr)")
                            }
                            try await story(world, laptop, desktop)
                        }
                    }
                }
            }
        }
    }
}
