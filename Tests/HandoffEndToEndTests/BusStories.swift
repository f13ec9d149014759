import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import Testing

@Suite("A daemon and its bus", .serialized)
struct BusStories {
    @Test("a second daemon on the same bus is refused, by a sentence that names the first")
    func secondOnBus() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let result = try await world.runDaemon("desktop", on: laptop.bus.address)
                #expect(result.status == 1)
                #expect(result.stderr.contains("Another handoffd stands on this bus already"))
                #expect(result.stderr.contains("\(laptop.process.processID)"))
                #expect(try await laptop.json("status")["radioState"].string == "ready")
            }
        }
    }

    @Test("a second daemon with the same keys is refused, and the first goes on")
    func sameState() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    let result = try await world.runDaemon("laptop", on: bus.address)
                    #expect(result.status == 1)
                    #expect(result.stderr.contains("Another handoffd uses"))
                    #expect(result.stderr.contains("--state-dir"))
                }
                #expect(try await laptop.json("status")["deviceName"].string == "laptop")
            }
        }
    }

    @Test("a daemon without a bus ends with a sentence", arguments: ["session", "unix:path=/nowhere/bus", "nonsense"])
    func noBus(_ address: String) async throws {
        try await World.run { world in
            let result = try await world.runDaemon("laptop", on: BusAddress(argument: address))
            #expect(result.status == 1)
            #expect(result.stderr.contains("There is no bus to stand on"))
            #expect(result.stderr.contains("--bus"))
        }
    }

    @Test("a damaged identity is told by name, and left alone")
    func damagedIdentity() async throws {
        try await World.run { world in
            let directory = URL(filePath: world.stateDirectory(of: "laptop"))
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "identity")
            try Data("handoffd identity 1 0000\n{}\n".utf8).write(to: file)
            try await withPrivateBus { bus in
                let result = try await world.runDaemon("laptop", on: bus.address)
                #expect(result.status == 1)
                #expect(result.stderr.contains("identity is damaged"))
            }
            #expect(try Data(contentsOf: file) == Data("handoffd identity 1 0000\n{}\n".utf8))
        }
    }

    @Test("a command line that is wrong ends with a sentence and status 64")
    func wrongCommandLine() async throws {
        try await World.run { world in
            for (option, word) in [
                ("--log-level=loud", "loud"), ("--config=/nowhere", "/nowhere"), ("--nonsense", "nonsense"),
            ] {
                let result = try await world.runDaemon("laptop", on: .session, [option])
                #expect(result.status == 64)
                #expect(result.stderr.contains(word))
            }
        }
    }

    @Test("when the bus dies and comes back, the daemon stands on it again, without what died with it")
    func busRestarts() async throws {
        try await World.run { world in
            let directory = world.directory.appending(path: "bus")
            try await withPrivateBus(in: directory) { bus in
                try await world.withDaemon("laptop", on: bus) { laptop in
                    try await laptop.publishing("org.example.edit") { publisher in
                        await bus.terminate()
                        #expect(await publisher.exitStatus() == 3)
                    }
                    try await laptop.log.line(containing: "the bus is gone")
                    let before = laptop.log.lines.count
                    try await withPrivateBus(in: directory) { _ in
                        try await laptop.log.line(containing: "on the bus", from: before)
                        let status = try await laptop.json("status")
                        #expect(status["radioState"].string == "ready")
                        #expect(status["currentActivity"].isNull)
                        try await laptop.publishing("org.example.edit") { (_) async throws in
                            #expect(try await !laptop.json("status")["currentActivity"].isNull)
                        }
                    }
                }
            }
        }
    }

    @Test("two thousand changes in a second keep nobody else waiting, and change the air hardly ever")
    func flood() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let edit = try await program.create("org.example.edit", [:])
                let draw = try await program.create("org.example.draw", [:])
                try await program.becomeCurrent(edit)
                try await desktop.watching { watch in
                    _ = try await watch.one()
                    try await laptop.connected { other in
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            group.addTask {
                                for round in 0..<1000 {
                                    program.connection.send(.becomeCurrent(round.isMultiple(of: 2) ? draw : edit))
                                    program.connection.send(.setTitle("title \(round)", of: edit))
                                }
                                // Answered after all of them, for a connection's calls keep their order.
                                try await program.set("Title", to: .string("last"), of: edit)
                            }
                            for _ in 0..<10 {
                                _ = try await within(.seconds(10), "another program has to wait") {
                                    try await other.status()
                                }
                            }
                            try await group.waitForAll()
                        }
                    }
                    // Each change of the air is another entry on the other side; the number of the last one counts them.
                    try await watch.until { $0.count == 1 }
                    let entry = try #require(try await desktop.json("nearby").array.first)
                    #expect(try #require(entry["id"].number) <= 8)
                    #expect(try await program.connection.title(of: edit) == "last")
                }
            }
        }
    }

    @Test("daemons on buses of their own do not disturb each other, nor take each other's calls")
    func sideBySide() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop") { (desktop) async throws in
                    #expect(try await laptop.json("status")["deviceName"].string == "laptop")
                    #expect(try await desktop.json("status")["deviceName"].string == "desktop")
                    #expect(try await laptop.id != desktop.id)
                }
            }
        }
    }

    @Test("a bus that starts nothing and has no daemon is 3 for every command")
    func noDaemon() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                for command in [["status"], ["nearby"], ["continue"], ["devices"], ["publish", "--type", "a.b"]] {
                    let result = try await HandoffTestSupport.run(
                        Programs.handoffctl,
                        ["--bus", bus.address.description] + command,
                        environment: world.environment
                    )
                    #expect(result.status == 3, "\(command)")
                    #expect(result.stderr.contains("handoffd does not run on this bus"))
                    #expect(result.stdout.isEmpty)
                }
            }
        }
    }
}

extension MethodCall {
    fileprivate static func becomeCurrent(_ activity: ObjectPath) -> MethodCall {
        MethodCall(
            destination: HandoffName.bus,
            path: activity,
            interface: HandoffName.activityInterface,
            member: "BecomeCurrent"
        )
    }

    fileprivate static func setTitle(_ title: String, of activity: ObjectPath) -> MethodCall {
        MethodCall(
            destination: HandoffName.bus,
            path: activity,
            interface: "org.freedesktop.DBus.Properties",
            member: "Set",
            arguments: [
                .string(HandoffName.activityInterface.description), .string("Title"), .variant(.string(title)),
            ]
        )
    }
}

extension Connection {
    fileprivate func title(of activity: ObjectPath) async throws -> String? {
        try await property(
            of: HandoffName.bus,
            at: activity,
            interface: HandoffName.activityInterface,
            name: "Title"
        ).string
    }
}
