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
    @Test("A second daemon on the same bus is refused, and the error contains the first one's process id")
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

    @Test("A second daemon with the same keys is refused while the first one runs")
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

    @Test("The memory of a daemon is not for other programs of its user, and is in no core file")
    func undumpable() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let process = "/proc/\(laptop.process.processID)"
                let limits = try String(contentsOfFile: process + "/limits", encoding: .utf8)
                let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
                #expect(core.split(separator: " ", omittingEmptySubsequences: true)[4] == "0", "\(core)")
                // proc(5): the files of a process that is not dumpable belong to root, whoever runs it.
                let owner = try FileManager.default.attributesOfItem(atPath: process + "/environ")[.ownerAccountID]
                #expect(owner as? Int == 0)
            }
        }
    }

    @Test("A daemon without a bus fails with a message", arguments: ["session", "unix:path=/nowhere/bus", "nonsense"])
    func noBus(_ address: String) async throws {
        try await World.run { world in
            let result = try await world.runDaemon("laptop", on: BusAddress(argument: address))
            #expect(result.status == 1)
            #expect(result.stderr.contains("Cannot connect to the bus"))
            #expect(result.stderr.contains("--bus"))
        }
    }

    @Test("A damaged identity file is reported by name and not changed")
    func damagedIdentity() async throws {
        try await World.run { world in
            let directory = URL(filePath: world.stateDirectory(of: "laptop"))
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "identity")
            try Data("handoffd identity 2 0000\n{}\n".utf8).write(to: file)
            try await withPrivateBus { bus in
                let result = try await world.runDaemon("laptop", on: bus.address)
                #expect(result.status == 1)
                #expect(result.stderr.contains("identity is damaged"))
            }
            #expect(try Data(contentsOf: file) == Data("handoffd identity 2 0000\n{}\n".utf8))
        }
    }

    @Test("An invalid command line ends with status 64 and names the option")
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

    @Test(
        "When the bus is restarted, the daemon owns its name again and has dropped the activities of lost connections"
    )
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

    @Test("A daemon that has lost its bus several times has as many open files as before")
    func losesNoDescriptors() async throws {
        try await World.run { world in
            let directory = world.directory.appending(path: "bus")
            try await withPrivateBus(in: directory) { bus in
                try await world.withDaemon("laptop", on: bus) { laptop in
                    try await laptop.lose(bus)
                    let descriptors = try await laptop.descriptors(afterRestartsOfBusIn: directory, count: 1)
                    #expect(try await laptop.descriptors(afterRestartsOfBusIn: directory, count: 5) <= descriptors)
                }
            }
        }
    }

    @Test("The call that makes the bus start the daemon is answered")
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

    @Test("A client that subscribed before the daemon started receives a signal for each of its objects")
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

    @Test("Daemons on different buses receive only the calls on their own bus")
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

    @Test("On a bus without a daemon, every command ends with status 3")
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

extension Device {
    /// Ends the bus, and waits until the daemon has noticed.
    fileprivate func lose(_ bus: PrivateBus) async throws {
        let before = log.lines.count
        await bus.terminate()
        try await log.event("bus.lost", from: before)
    }

    /// Restarts the bus so many times, and returns how many files the daemon has open when the last one is ready.
    fileprivate func descriptors(afterRestartsOfBusIn directory: URL, count: Int) async throws -> Int {
        var descriptors = 0
        for _ in 0..<count {
            let before = log.lines.count
            try await withPrivateBus(in: directory) { bus in
                try await log.event("bus.ready", from: before)
                descriptors = try await fewestDescriptors()
                try await lose(bus)
            }
        }
        return descriptors
    }

    /// The fewest open files at several times: it looks for the system bus now and then, and has one more meanwhile.
    private func fewestDescriptors() async throws -> Int {
        var fewest = Int.max
        for _ in 0..<10 {
            // Answered after everything that the daemon does on a new connection.
            _ = try await json("status")
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd")
            fewest = min(fewest, files.count)
        }
        return fewest
    }
}
