import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A program that waits for something tells when it goes on with an activity",
    .endsWithin(minutes: 15, instances: 6)
)
struct WaitingStories {
    /// How a program ends its wait; the words of a shell that has read the activity.
    enum End: String, CaseIterable, Sendable {
        case fails = "exit 3"
        case succeeds = "exit 0"
        case closesInput = "exec < /dev/null; told=yes; cat \"$HOME/later\" > /dev/null"
        case closesInputAndFails = "exec < /dev/null; exit 4"
        case becomesAnother = "exec cat \"$HOME/later\" < /dev/null > /dev/null"
    }

    @Test(
        "The origin is told that a program continues its activity, or that it failed, when its wait has ended",
        arguments: [End.fails, .succeeds, .closesInput]
    )
    func awaited(_ end: End) async throws {
        try await Self.run(end) { world, laptop, desktop in
            try await laptop.monitoring { monitor in
                try await laptop.connected { program in
                    let editor = Editor { _ in }
                    let activity = try await editor.open("org.example.edit", over: program)
                    let entry = try await desktop.watchingOnce()
                    try await desktop.connected { user in
                        async let result = Result { try await user.continueActivity(entry) }
                        _ = try await world.next(of: "begun")
                        #expect(await editor.next(1) == ["WillSave"])
                        try await Self.letTimePass(laptop, desktop, program)
                        try await monitor.shown(1, of: "continued")
                        let told = monitor.all.filter { $0["object"].string == activity.description }
                        #expect(!told.contains { $0["event"].string.hasPrefix("continu") })
                        try await world.tell("end")
                        let id = try await desktop.id
                        let outcome = await result
                        if end == .fails {
                            #expect(outcome.errorName == "AppFailed")
                            #expect(outcome.errorMessage.contains("ended with the status 3"), "\(outcome.errorMessage)")
                            let failure = "DidFailToContinue \(id) desktop org.handoffd.Error.AppFailed"
                            #expect(await editor.next(1) == [failure])
                        } else {
                            #expect(try outcome.get().outcome == "app")
                            #expect(await editor.next(1) == ["WasContinued \(id) desktop"])
                        }
                        if end == .closesInput { try await world.tell("later") }
                        try await world.tell("other")
                    }
                }
            }
        }
    }

    @Test(
        "A program has continued an activity when it becomes another one, and not when it ends with an error right after",
        arguments: [End.becomesAnother, .closesInputAndFails]
    )
    func atOnce(_ end: End) async throws {
        try await Self.run(end) { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    async let result = Result { try await user.continueActivity(entry) }
                    _ = try await world.next(of: "begun")
                    try await world.tell("end")
                    let outcome = await result
                    if end == .becomesAnother {
                        #expect(try outcome.get().outcome == "app")
                        try await world.tell("later")
                    } else {
                        #expect(outcome.errorMessage.contains("ended with the status 4"), "\(outcome.errorMessage)")
                    }
                }
            }
        }
    }

    @Test("A program that the user's systemd has started tells the same, and gets the whole activity")
    func service() async throws {
        try await World.run { world in
            try await Self.install(.closesInput, in: world)
            let units = FakeSystemd(in: world.directory)
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                        try await laptop.trustEachOther(desktop)
                        try await units.whileOnBus(on: bus) {
                            try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                                let entry = try await desktop.watchingOnce()
                                try await desktop.connected { user in
                                    async let result = Result { try await user.continueActivity(entry) }
                                    #expect(try JSON(await world.next(of: "begun"))["title"].string == "Draft")
                                    let unit = try await units.next()
                                    let path = try #require(unit.properties["StandardInputFile"]?.string)
                                    let directory = URL(filePath: path).deletingLastPathComponent()
                                    try await untilFiles(in: [directory], "the removal of \(path)") {
                                        !FileManager.default.fileExists(atPath: path)
                                    }
                                    try await world.tell("end")
                                    #expect(try await result.get().outcome == "app")
                                    try await world.tell("later")
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns when a program that does not tell counts as one that continues an activity, by having one continue one.
    private static func letTimePass(_ laptop: Device, _ desktop: Device, _ program: HandoffClient) async throws {
        try await program.becomeCurrent(try await program.create("org.example.draw", [:]))
        try await desktop.watching { watcher in
            try await watcher.until { $0.first?["application"].string == "other" }
            #expect(try await desktop.json("continue")["application"].string == "other")
        }
    }

    private static func run(
        _ end: End,
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await World.runApps({ try await install(end, in: $0) }, story)
    }

    /// Installs the program that waits, and one that runs until the test ends.
    private static func install(_ end: End, in world: World) async throws {
        for pipe in ["begun", "end", "later", "other"] {
            try #require(mkfifo(world.directory.appending(path: pipe).path(), 0o600) == 0)
        }
        let read = "activity=$(cat); printf '%s\\n' \"$activity\" > \"$HOME/begun\"; read -r word < \"$HOME/end\""
        try await world.writeProgram("#!/bin/sh\n\(read)\n\(end.rawValue)\n", to: "bin/waiting")
        try world.writeApp("waiting", "X-Handoff-Exec=waiting\nX-Handoff-Waits=true")
        let head = "[Desktop Entry]\nType=Application\nName=Other\nX-Handoff-ActivityTypes=org.example.draw;\n"
        try await world.writeProgram("#!/bin/sh\nread -r word < \"$HOME/other\"\n", to: "bin/other")
        try world.write(head + "X-Handoff-Exec=other\n", to: "share/applications/other.desktop")
    }
}

extension World {
    /// Waits for what a program writes into a pipe.
    fileprivate func next(of pipe: String) async throws -> String {
        try await HandoffTestSupport.run("/bin/cat", [directory.appending(path: pipe).path()]).stdout
    }

    /// Writes a line into a pipe, once a program reads it.
    fileprivate func tell(_ pipe: String) async throws {
        let path = directory.appending(path: pipe).path()
        #expect(try await HandoffTestSupport.run("/bin/sh", ["-c", "echo go > '\(path)'"]).status == 0)
    }
}
