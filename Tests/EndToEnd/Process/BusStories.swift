import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A daemon and its bus", .endsWithin(minutes: 15, instances: 4))
struct BusStories {
    @Test("a second daemon on the same bus is refused, by a sentence that names the first")
    func secondOnBus() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let result = try await world.runDaemon("desktop", on: laptop.bus.address)
                #expect(result.status == 1)
                #expect(result.stderr.contains("Another handoffd is already running on this bus"))
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
            #expect(result.stderr.contains("Cannot connect to the bus"))
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
                    try await laptop.log.event("bus.lost")
                    let before = laptop.log.lines.count
                    try await withPrivateBus(in: directory) { _ in
                        try await laptop.log.event("bus.ready", from: before)
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

    @Test("the very call that makes the bus start the daemon is answered")
    func startedByCall() async throws {
        try await World.run { world in
            let directory = world.directory.appending(path: "bus")
            try world.installDaemonService("laptop", on: .address("unix:path=\(directory.path())/bus"))
            defer { world.endDaemon() }
            let services = world.directory.appending(path: "services")
            try await withPrivateBus(in: directory, services: services) { bus in
                try await Connection.withConnection(to: bus.address) { connection in
                    let client = HandoffClient(connection: connection)
                    let activity = try await client.createActivity(ofType: "org.example.edit", ActivityDraft())
                    let activities = try await client.objects().activities
                    #expect(activities.map(\.path) == [activity])
                }
            }
        }
    }

    @Test("whoever follows the daemon's name is told of every object that a daemon has when it comes")
    func objectsAnnounced() async throws {
        try await World.run { world in
            try await world.withDevice("desktop") { desktop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("laptop", on: bus) { try await $0.trust(desktop) }
                    try await Connection.withConnection(to: bus.address) { connection in
                        try await HandoffClient(connection: connection).withSignals { signals in
                            try await world.withDaemon("laptop", on: bus) { _ in
                                for try await signal in signals where signal.member == "InterfacesAdded" {
                                    let path = signal.arguments.first?.objectPath
                                    #expect(path == HandoffName.device(try await desktop.id))
                                    return
                                }
                            }
                        }
                    }
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
                for command in [
                    ["status"], ["nearby"], ["monitor"], ["continue", "--print"], ["devices"],
                    ["publish", "--type", "a.b"],
                ] {
                    let result = try await HandoffTestSupport.run(
                        Programs.handoffctl,
                        ["--bus", bus.address.description] + command,
                        environment: world.environment
                    )
                    #expect(result.status == 3, "\(command)")
                    #expect(result.stderr.contains("handoffd is not running on this bus"))
                    #expect(result.stdout.isEmpty)
                }
            }
        }
    }
}
