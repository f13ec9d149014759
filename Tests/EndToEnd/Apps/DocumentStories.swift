import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A document follows its activity through a synchronised folder",
    .endsWithin(minutes: 15, instances: 4)
)
struct DocumentStories {
    /// An app on the bus that reports which document it received.
    private struct Reader: ApplicationHandler {
        private let calls = ReceivedCalls()

        func willContinue(_ type: ActivityType, from device: String) async throws -> Bool {
            calls.append("WillContinue")
            return true
        }

        func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool {
            calls.append("Continue \(activity.activity.documentURL ?? "nothing")")
            return true
        }

        func didFail(_ type: ActivityType, _ failure: ContinuationFailure) {
            calls.append("DidFail \(failure.error): \(failure.message)")
        }

        /// Checks the beginning and the end of the next call that the app receives.
        func receives(_ beginning: String, _ end: String = "", at location: SourceLocation = #_sourceLocation) async {
            let call = await calls.next()
            let matches = call.hasPrefix(beginning) && call.hasSuffix(end)
            #expect(matches, "\(call)", sourceLocation: location)
        }
    }

    /// Runs `story` with two devices, each of which has a folder `docs` at its own path, and an app on the second one.
    private static func run(
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device, Reader) async throws -> Void
    ) async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "DBusActivatable=true")
            for folder in ["laptop-docs", "desktop-docs/deep"] {
                try FileManager.default.createDirectory(
                    at: world.directory.appending(path: folder),
                    withIntermediateDirectories: true
                )
            }
        }
        let reader = Reader()
        try await World.runApps(prepare) { world, laptop, desktop in
            for (device, folder) in [(laptop, "laptop-docs"), (desktop, "desktop-docs/deep")] {
                let path = world.directory.appending(path: folder).path()
                let added = try await device.run("folders", "add", "docs", path)
                try #require(added.status == 0, "\(added.stderr)")
            }
            try await reader.whileOnBus(on: desktop.bus) { try await story(world, laptop, desktop, reader) }
        }
    }

    @Test("The app on the other device gets the file in its own copy of the folder")
    func follows() async throws {
        try await Self.run { world, laptop, desktop, reader in
            try world.write("x", to: "laptop-docs/My report.txt")
            try world.write("x", to: "desktop-docs/deep/My report.txt")
            let file = world.directory.appending(path: "laptop-docs/My report.txt").path(percentEncoded: false)
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--document", file]) { _ in
                    _ = try await watcher.one()
                    let result = try await desktop.json("continue")
                    #expect(result["outcome"].string == "app")
                    await reader.receives("WillContinue")
                    let path = world.directory.appending(path: "desktop-docs/deep/My report.txt").path()
                    await reader.receives("Continue file://\(path)")
                }
            }
        }
    }

    @Test("A continuation waits for a file that is not synchronised yet")
    func late() async throws {
        try await Self.run { world, laptop, desktop, reader in
            try world.write("x", to: "laptop-docs/new/a.txt")
            let file = world.directory.appending(path: "laptop-docs/new/a.txt").path()
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--document", file]) { _ in
                    _ = try await watcher.one()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            let result = try await desktop.json("continue")
                            #expect(result["outcome"].string == "app")
                        }
                        await reader.receives("WillContinue")
                        try await desktop.log.event("document.awaited")
                        try world.write("x", to: "desktop-docs/deep/new/a.txt")
                        await reader.receives("Continue file:///", "/desktop-docs/deep/new/a.txt")
                        try await group.waitForAll()
                    }
                    for line in laptop.log.lines + desktop.log.lines { #expect(!line.contains("a.txt"), "\(line)") }
                }
            }
        }
    }

    @Test("A folder that the other device does not have is named to the app and to the user")
    func unknownFolder() async throws {
        try await Self.run { world, laptop, desktop, reader in
            try world.write("x", to: "laptop-docs/a.txt")
            let removed = try await desktop.run("folders", "remove", "docs")
            #expect(removed.status == 0)
            let file = world.directory.appending(path: "laptop-docs/a.txt").path()
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--document", file]) { _ in
                    _ = try await watcher.one()
                    let result = try await desktop.run("continue")
                    #expect(result.status == 4)
                    #expect(result.stderr.contains("handoffctl folders add docs PATH"), "\(result.stderr)")
                    await reader.receives("WillContinue")
                    await reader.receives("DidFail org.handoffd.Error.NoSuchFolder: ")
                }
            }
        }
    }

    @Test("A file outside every folder is an error on the device that publishes it")
    func outside() async throws {
        try await Self.run { _, laptop, _, _ in
            let userInfo = #"{"file": {"$url": "file:///etc/hostname"}}"#
            let result = try await laptop.run("publish", "--type", "org.example.edit", "--user-info", userInfo)
            #expect(result.status == 1)
            #expect(result.stderr.contains("/etc/hostname is not in a synchronised folder"), "\(result.stderr)")
            let check = try await laptop.run("folders", "check", "/etc/hostname")
            #expect(check.status == 1)
            #expect(check.stderr.contains("handoffctl folders add ID PATH"), "\(check.stderr)")
        }
    }

    @Test("An activity is offered while its document is in a folder, and withdrawn when the document leaves it")
    func comesAndGoes() async throws {
        try await Self.run { world, laptop, desktop, _ in
            try world.write("x", to: "elsewhere/a.txt")
            let (outside, inside) = ("elsewhere/a.txt", "laptop-docs/a.txt")
            let move = { @Sendable (from: String, to: String) throws in
                try FileManager.default.moveItem(
                    at: world.directory.appending(path: from),
                    to: world.directory.appending(path: to)
                )
            }
            let file = world.directory.appending(path: inside).path()
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--document", file]) { _ in
                    let nearby = try await desktop.json("nearby").array
                    #expect(nearby.isEmpty)
                    try move(outside, inside)
                    _ = try await watcher.one()
                    try move(inside, outside)
                    try await watcher.none()
                    try move(outside, inside)
                    _ = try await watcher.one()
                    let removed = try await laptop.run("folders", "remove", "docs")
                    #expect(removed.status == 0)
                    try await watcher.none()
                }
            }
        }
    }

    @Test("The type of a document's activity is the one that an app declares for its MIME type")
    func bound() async throws {
        try await World.run { world in
            try world.write("50:text/x-story:*.story\n50:text/plain:*.txt\n", to: "share/mime/globs2")
            try world.writeApp(
                "org.example.Editor",
                "DBusActivatable=true\nX-Handoff-DocumentTypes=text/x-story=a.story;"
            )
            for name in ["one.story", "two.txt"] { try world.write("x", to: "docs/\(name)") }
            try await withPrivateBus { bus in
                try await world.withDaemon("laptop", on: bus, variables: world.appVariables) { laptop in
                    let docs = world.directory.appending(path: "docs").path()
                    let added = try await laptop.run("folders", "add", "docs", docs)
                    #expect(added.status == 0)
                    try await laptop.withControl(["publish", "--document", docs + "/one.story"]) { _, output in
                        let line = try await output.first { $0.isEmpty ? nil : $0 }
                        let type = try JSON(line)["type"].string
                        #expect(type == "a.story")
                    }
                    let other = try await laptop.run("publish", "--document", docs + "/two.txt")
                    #expect(other.status == 1)
                    #expect(other.stderr.contains("documents of text/plain have; give --type"), "\(other.stderr)")
                    let missing = try await laptop.run("publish", "--document", docs + "/three.txt")
                    #expect(missing.status == 4)
                    #expect(missing.stderr.contains("There is no file \(docs)/three.txt"), "\(missing.stderr)")
                }
            }
        }
    }

    @Test("Folders survive a restart of the daemon, and an invalid folder is reported with the reason")
    func kept() async throws {
        try await World.run { world in
            try world.write("x", to: "docs/a")
            let docs = world.directory.appending(path: "docs")
            try await world.withDevice("laptop") { laptop in
                let added = try await laptop.run("folders", "add", "docs", docs.path())
                #expect(added.status == 0)
                let wrong = try await laptop.run("folders", "add", "none", "/nowhere")
                #expect(wrong.status == 1)
                #expect(wrong.stderr.contains("/nowhere does not exist"), "\(wrong.stderr)")
                let slash = try await laptop.run("folders", "add", "a/b", docs.path())
                #expect(slash.status == 1)
                let unknown = try await laptop.run("folders", "remove", "other")
                #expect(unknown.status == 4)
            }
            try await world.withDevice("laptop") { laptop in
                let ids = try await laptop.json("folders").array.map(\.["id"].string)
                #expect(ids == ["docs"])
                let well = try await laptop.run("folders", "check")
                #expect(well.status == 0)
                try FileManager.default.removeItem(at: docs)
                let check = try await laptop.run("folders", "check")
                #expect(check.status == 1)
                #expect(check.stdout.contains("does not exist"))
            }
        }
    }
}
