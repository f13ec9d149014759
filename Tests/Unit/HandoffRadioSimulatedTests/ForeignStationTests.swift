import Bluetooth
import Foundation
import HandoffRadio
import HandoffTestSupport
import TestLimits
import Testing

@testable import HandoffRadioSimulated

/// A station in Python that was written from Docs/Simulation.md.
@Suite("A station that attaches by the document alone", .endsWithin(minutes: 10))
struct ForeignStationTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "station.py")

    /// The command line of the station `foreign` in that role.
    private static func arguments(_ directory: String, _ role: String...) -> [String] {
        [program.path(percentEncoded: false), directory, "foreign", BluetoothUUID.test.description] + role
    }

    /// Runs a station to its end, and returns its lines after the first one.
    private static func lines(_ arguments: [String]) async throws -> [String] {
        let result = try await run("/usr/bin/python3", arguments)
        #expect(result.stderr.isEmpty)
        #expect(result.status == 0)
        return result.stdout.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test("It hears an advertisement, and leaves no file")
    func hears() async throws {
        try await withAir { directory in
            try await withStations(["a"], in: directory) { radios in
                let advertisement = Advertisement(service: .test, data: [0x0A, 0xFF, 0], pace: .fast)
                let heard = try await radios[0].withAdvertisement(advertisement) {
                    try await Self.lines(Self.arguments(directory, "hear"))
                }
                #expect(heard == ["0aff00"])
            }
            let rest = try AirDirectory(path: directory).files()
            #expect(rest.isEmpty)
        }
    }

    @Test("It dials a channel, and receives what was sent before the end")
    func dials() async throws {
        try await withAir { directory in
            try await withStations(["a"], in: directory) { radios in
                try await radios[0].withListener(limit: 1) { channel in
                    #expect(channel.maximumMessageLength == 672)
                    #expect((try? await channel.receive()) == Array("ping".utf8))
                    try? await channel.send(Array("pong".utf8))
                    // What is unsent when a side closes is lost, so the station confirms that it has the message.
                    #expect((try? await channel.receive()) == Array("thanks".utf8))
                } _: { port in
                    try await radios[0].withAdvertisement(.test(1)) {
                        let received = try await Self.lines(Self.arguments(directory, "dial", "\(port.number)"))
                        #expect(received == ["pong"])
                    }
                }
            }
        }
    }

    @Test("It learns that nobody listens on a port")
    func isRefused() async throws {
        try await withAir { directory in
            try await withStations(["a"], in: directory) { radios in
                try await radios[0].withAdvertisement(.test(1)) {
                    let result = try await run("/usr/bin/python3", Self.arguments(directory, "dial", "129"))
                    #expect(result.stderr == "nobody listens there\n")
                }
            }
        }
    }

    @Test("It is heard and dialled, and a channel that it closes has an end")
    func isDialled() async throws {
        try await withAir { directory in
            try await withStations(["a"], in: directory) { radios in
                let port = try #require(LEPSM(exactly: 0x85))
                try await withProgram("/usr/bin/python3", Self.arguments(directory, "serve", "133")) { station in
                    let report = try await radios[0].advertisementReport(of: 0x85)
                    #expect(report.rssi == -59)
                    let address = report.address
                    try await radios[0].withChannel(to: address, port: port, timeout: .seconds(60)) { channel in
                        #expect(channel.maximumMessageLength == 672)
                        try await channel.send(Array("abc".utf8))
                        #expect(try await channel.receive() == Array("cba".utf8))
                        try await channel.send(Array("bye".utf8))
                        #expect(try await channel.receive() == Array("eyb".utf8))
                        #expect(try await channel.receive() == nil)
                    }
                    #expect(await station.exitStatus() == 0)
                }
            }
        }
    }

    @Test("The files of one that was killed are removed by the next station")
    func isKilled() async throws {
        try await withAir { directory in
            try await withProgram("/usr/bin/python3", Self.arguments(directory, "serve", "133")) { station in
                #expect(await station.stdout.firstLine() == "station: ready")
            }
            let left = try AirDirectory(path: directory).files()
            #expect(!left.isEmpty)
            try await withStations(["a"], in: directory) { _ in
                let sockets = try AirDirectory(path: directory).files().filter { file in
                    if case .lock = file { false } else { true }
                }
                #expect(sockets.isEmpty)
            }
            let rest = try AirDirectory(path: directory).files()
            #expect(rest.isEmpty)
        }
    }
}
