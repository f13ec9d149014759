import Epoll
import HandoffRadio
@testable import HandoffRadioSimulated
import SystemPackage
import TestLimits
import TestRuns
import Testing

@Suite("Simulated radios", .endsWithin(minutes: 10))
struct SimulatedRadioTests {
    @Test("A radio reports the signal strength that the air defines")
    func signalStrength() async throws {
        var air = Air()
        air.signals = [Air.Pair("a", "b"): -77]
        try await withAir(air) { directory in
            try await withStations(["a", "b"], in: directory) { radios in
                try await radios[0].withAdvertisement(.test(1)) {
                    let report = try await radios[1].advertisementReport(of: 1)
                    #expect(report.rssi == -77)
                }
            }
        }
    }

    @Test(
        "Of the reports that are due later, a scan keeps no more than a limit, and takes others when these have arrived"
    )
    func reportsInTransit() {
        let reports = ReportsInTransit()
        for _ in 0..<ReportsInTransit.limit { #expect(reports.begin()) }
        #expect(!reports.begin())
        reports.end()
        #expect(reports.begin())
        #expect(!reports.begin())
    }

    @Test("A radio has another address each time it starts to advertise")
    func addresses() async throws {
        try await withAir { directory in
            try await withStations(["a", "b"], in: directory) { radios in
                var addresses: Set<RadioAddress> = []
                for byte in 0..<4 as Range<UInt8> {
                    let report = try await radios[0].withAdvertisement(.test(byte)) {
                        try await radios[1].advertisementReport(of: byte)
                    }
                    addresses.insert(report.address)
                }
                #expect(addresses.count == 4)
                #expect(addresses.allSatisfy { $0.description.hasSuffix("/random") })
            }
        }
    }

    @Test("A radio hears the stations within reach and no others")
    func range() async throws {
        var air = Air()
        air.apart = [["far"], ["a", "b"]]
        try await withAir(air) { directory in
            try await withStations(["a", "b", "far"], in: directory) { radios in
                try await radios[2].withAdvertisement(.test(9)) {
                    try await radios[0].withAdvertisement(.test(1)) {
                        try await radios[1].withScan(for: [.test]) { reports in
                            var count = 0
                            for await report in reports {
                                #expect(report.data == [1])
                                count += 1
                                if count == 4 { return }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A channel is lost on both sides when the air between them is cut")
    func cut() async throws {
        try await withAir { directory in
            try await withStations(["a", "b"], in: directory) { radios in
                let (ends, end) = AsyncStream.makeStream(of: RadioError.Code?.self)
                try await radios[0].withListener(limit: 1) { channel in
                    end.yield(await code { _ = try await channel.receive() })
                } _: { port in
                    try await radios[0].withAdvertisement(.test(1)) {
                        let address = try await radios[1].advertisementReport(of: 1).address
                        try await radios[1].withChannel(to: address, port: port, timeout: .seconds(20)) { channel in
                            var air = Air()
                            air.apart = [["a"], ["b"]]
                            try air.write(to: directory)
                            let near = await code { _ = try await channel.receive() }
                            #expect(near == .channelClosed)
                            #expect(await code { try await channel.send([1]) } == .channelClosed)
                        }
                        var seen = ends.makeAsyncIterator()
                        #expect(await seen.next() == .some(.channelClosed))
                    }
                }
            }
        }
    }

    @Test("A channel remains open through a cut that is shorter than the supervision time-out")
    func shortCut() async throws {
        var air = Air()
        air.supervisionTimeout = .seconds(30)
        try await withAir(air) { [air] directory in
            try await withStations(["a", "b"], in: directory) { radios in
                try await radios[0].withListener(limit: 1) { channel in
                    while let message = try? await channel.receive() { try? await channel.send(message) }
                } _: { port in
                    try await radios[0].withAdvertisement(.test(1)) {
                        let address = try await radios[1].advertisementReport(of: 1).address
                        try await radios[1].withChannel(to: address, port: port, timeout: .seconds(20)) { channel in
                            var cut = air
                            cut.apart = [["a"], ["b"]]
                            try cut.write(to: directory)
                            try await channel.send([1])
                            try air.write(to: directory)
                            #expect(try await channel.receive() == [1])
                        }
                    }
                }
            }
        }
    }

    @Test("A radio keeps the old rules, and reports it, while the file of the air is wrong")
    func brokenFile() async throws {
        try await withAir { directory in
            try await withStations(["a"], in: directory) { radios in
                try write("loss 2\n", to: directory)
                for await state in radios[0].states() {
                    guard case .ready(let description) = state, let advisory = description.advisories.first else {
                        continue
                    }
                    #expect(advisory.name == "air-file")
                    #expect(advisory.message.contains("line 1"))
                    break
                }
                try Air().write(to: directory)
                for await state in radios[0].states() {
                    if state == .ready(RadioDescription(name: "a")) { break }
                }
            }
        }
    }

    @Test(
        "A name that the rules cannot use is refused",
        arguments: ["", "a b", "a.b", "a/b", String(repeating: "a", count: 33)]
    )
    func badName(_ name: String) async throws {
        try await withAir { directory in
            let radio = SimulatedRadio(directory: directory, name: name)
            #expect(await code { try await radio.run() } == .unusable)
        }
    }

    @Test("A directory that cannot be used is an error")
    func badDirectory() async {
        let radio = SimulatedRadio(directory: "/proc/nowhere")
        #expect(await code { try await radio.run() } == .unusable)
    }

    @Test("A radio can be used neither before it runs nor after")
    func notRunning() async throws {
        try await withAir { directory in
            let radio = SimulatedRadio(directory: directory)
            #expect(await code { try await radio.withScan(for: [.test]) { _ in } } == .serviceAbsent)
            try await withServices([{ try await radio.run() }]) {
                for await case .ready in radio.states() { break }
            }
            #expect(await code { try await radio.withScan(for: [.test]) { _ in } } == .serviceAbsent)
            #expect(await code { try await radio.run() } == .unusable)
        }
    }

    @Test("The files of a crashed station are removed, and none of a running one")
    func crash() async throws {
        try await withAir { path in
            let directory = try AirDirectory(path: path)
            let (dead, living) = (StationID.random(), StationID.random())
            let lock = try directory.acquireLock(living)
            try leaveTraces(of: dead, in: directory)
            #expect(directory.status(of: dead) == .crashed)
            #expect(directory.status(of: living) == .alive)
            #expect(directory.status(of: .random()) == .departed)
            try await withStations(["a"], in: path) { _ in
                #expect(!directory.files().contains { $0.station == dead })
                #expect(directory.files().contains(.lock(living)))
            }
            directory.remove(.lock(living))
            #expect(lock.rawValue >= 0)
            #expect(directory.files().isEmpty)
        }
    }

    /// Creates files as a killed process leaves them: the locks and sockets are gone, the names remain.
    private func leaveTraces(of station: StationID, in directory: AirDirectory) throws {
        _ = try directory.acquireLock(station)
        let socket = try UnixSocket.open(.datagram)
        try UnixSocket.bind(socket.rawValue, to: directory.socketPath(.scanSocket(station, name: "dead", number: 1)))
    }
}

private func code(_ body: () async throws -> Void) async -> RadioError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? RadioError)?.code
    }
}

private func write(_ text: String, to directory: String) throws {
    let file = try FileDescriptor.open(FilePath(directory + "/air"), .writeOnly, options: [.truncate])
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
}
