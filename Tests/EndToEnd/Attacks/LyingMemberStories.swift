import Foundation
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import HandoffTestSupport
import HandoffWire
import TestLimits
import Testing

@Suite("A device that is trusted and lies is removed with one command", .endsWithin(minutes: 15, instances: 4))
struct LyingMemberStories {
    /// A device that the laptop trusts, and that says whatever its format allows.
    private struct Liar: Sendable {
        let keys = DeviceKeys.generate()
        let accomplices = (0..<60).map { _ in DeviceKeys.generate() }

        var id: DeviceID { keys.publicKeys.device }

        func card() throws -> String { try CardText(publicKeys: keys.publicKeys, name: "lost").text }

        /// Devices of its own making, names with the highest version, and removals of all devices that it knows and of
        /// many that exist nowhere.
        func lies(about victims: [DeviceID]) throws -> [SignedStatement] {
            let nobody = try (0..<100).map { try DeviceID(bytes: [UInt8($0)] + [UInt8](repeating: 0xEE, count: 7)) }
            let additions: [CircleStatement] = accomplices.map {
                .add(author: id, $0.publicKeys, name: "accomplice")
            }
            let names: [CircleStatement] = victims.map { .name(author: id, $0, version: .max, "lost") }
            let removals: [CircleStatement] = (victims + nobody).map { .remove(author: id, $0) }
            return (additions + names + removals).map { SignedStatement($0, signedBy: keys.signing) }
        }

        /// Tells a device these statements in an exchange of circles; returns the digest that it has then.
        func tell(_ statements: [SignedStatement], _ device: Device) async throws -> [UInt8] {
            let card = try await device.json("devices", "card")["card"].string
            let peer = try CardText(parsing: card).publicKeys
            let radio = SimulatedRadio(directory: device.world.airDirectory, name: "liar")
            return try await withReadyRadios([radio]) {
                let (address, port) = try await UntrustedClient.endpoint(of: device, with: radio)
                return try await radio.withChannel(to: address, port: port, timeout: .seconds(10)) { channel in
                    try await exchange(statements, with: peer, over: channel)
                }
            }
        }

        private func exchange(
            _ statements: [SignedStatement],
            with peer: DevicePublicKeys,
            over channel: some RadioChannel
        ) async throws -> [UInt8] {
            let request = Request.circle(CircleRequest(digest: [UInt8](repeating: 0, count: 32)))
            var session = ClientSession(keys: keys, peer: peer, request: request)
            try await Self.send(try await Self.next(over: channel) { try session.open($0) }, over: channel)
            _ = try await Self.next(over: channel) { try session.receive($0) }
            let day = UInt32(Date.now.timeIntervalSince1970 / 86400)
            let lie = CircleMessage(
                statements: statements.map(\.bytes),
                digest: [UInt8](repeating: 0, count: 32),
                advertisingKey: AdvertisingKeyRecord.generate(day: day).rawRepresentation,
                directedKey: [UInt8](repeating: 1, count: 32),
                knownKey: nil
            )
            try await Self.send(try session.acknowledge(Acknowledgement(circle: lie)), over: channel)
            let conclusion = try await Self.next(over: channel) { try session.receiveConclusion($0) }
            return conclusion.circle?.digest ?? []
        }

        private struct Closed: Error {}

        private static func next<Message>(
            over channel: some RadioChannel,
            _ decode: ([UInt8]) throws -> Message?
        ) async throws -> Message {
            while let bytes = try await channel.receive() {
                if let message = try decode(bytes) { return message }
            }
            throw Closed()
        }

        private static func send(_ bytes: [UInt8], over channel: some RadioChannel) async throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(channel.maximumMessageLength)
                try await channel.send(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
        }
    }

    @Test(
        "Whatever it has said in an exchange, its removal succeeds, takes along whom it brought, and opens no session"
    )
    func removal() async throws {
        try await World.runPair { _, laptop, desktop in
            let liar = Liar()
            _ = try await laptop.json("devices", "trust", try liar.card())
            let victims = try await [desktop.id, laptop.id].map { try DeviceID($0) }
            let lies = try liar.lies(about: victims)
            try await laptop.publishing("org.example.edit") { _ in
                // A device may change its address while it is dialled, and gives a caller two seconds to prove who it is.
                var digest: [UInt8] = []
                while digest.isEmpty {
                    try Task.checkCancellation()
                    digest = (try? await liar.tell(lies, laptop)) ?? []
                }
                #expect(digest.count == 32, "the laptop has taken the lies in")
                #expect(try await laptop.devices("trusted").count > 20)
                _ = try await laptop.json("devices", "remove", "--yes", liar.id.description)
                #expect(try await laptop.devices("trusted").isEmpty, "those that it has brought have gone with it")
                // The liar had removed the desktop: its word does not count any more, and the person is asked.
                #expect(try await laptop.devices("disputed") == [desktop.id])
                _ = try await laptop.json("devices", "keep", try await desktop.id)
                #expect(try await laptop.devices("trusted") == [desktop.id])
                await #expect(throws: (any Error).self) { _ = try await liar.tell(lies, laptop) }
            }
        }
    }
}

extension Device {
    /// The ids of the devices that `handoffctl devices` lists in that state.
    fileprivate func devices(_ state: String) async throws -> [String] {
        try await json("devices").array.filter { $0["state"].string == state }.map { $0["id"].string }
    }
}
