import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel

/// Implements `Pairing1` for the engine and the pairing service.
struct PairingObject: PairingHandler {
    let objects: BusObjects

    var unconfirmed: [(id: String, name: String)] { objects.engine.unconfirmedDevices }

    func pair(agent: ObjectPath, by client: BusName) throws {
        try mappingToDBusError {
            let calls = PairingAgentCalls(client: client, path: agent)
            try objects.pairing.begin(BusPairingAgent(connection: objects.connection, calls: calls))
        }
    }

    func stop(by client: BusName) {
        objects.pairing.stop(client.description)
    }

    func forget(device: String) throws {
        try mappingToDBusError { try objects.engine.forgetPairings(with: try DeviceID(device)) }
    }
}

extension Engine {
    /// The devices with an unconfirmed pairing, each once.
    var unconfirmedDevices: [(id: String, name: String)] {
        let peers = read { state in
            state.pairing.records.unconfirmed.map(\.peer).filter { state.devices[$0.id] == nil }
        }
        let names = Dictionary(peers.map { ($0.id, $0.name) }) { _, newer in newer }
        return names.sorted { $0.key < $1.key }.map { ($0.key.description, $0.value.rawValue) }
    }
}

extension BusObjects {
    /// Emits PropertiesChanged for the unconfirmed pairings.
    func showPairings() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.pairingInterface,
            ["Unconfirmed": .unconfirmed(engine.unconfirmedDevices)]
        )
    }
}

/// The pairing delegate behind a `PairingAgent1` on the bus.
struct BusPairingAgent: PairingDelegate {
    let connection: Connection
    let calls: PairingAgentCalls

    /// Longer than the machine waits for any answer.
    private static let limit = PairingMachine.searchLimit + .seconds(60)

    var name: String { calls.client.description }

    func choose(_ candidates: [PairingMachine.Candidate]) async -> PairingMachine.ChannelID? {
        let offered = candidates.map { PairingCandidate(number: $0.channel.rawValue, name: $0.peer.name.rawValue) }
        let reply = try? await connection.call(calls.requestChoice(offered), timeout: Self.limit)
        return (try? reply?.decode(at: 0, as: UInt64.self)).map { PairingMachine.ChannelID(rawValue: $0) }
    }

    func compare(_ digits: PairingDigits, with peer: DeviceIdentity) async -> Bool? {
        let call = calls.requestConfirmation(digits.description, shownBy: peer.name.rawValue, peer.id.description)
        let reply = try? await connection.call(call, timeout: Self.limit)
        return try? reply?.decode(at: 0, as: Bool.self)
    }

    func withdrawQuestion(_ sentence: String) {
        connection.send(calls.cancel(sentence))
    }

    func didEnd(_ outcome: PairingMachine.Outcome) {
        switch outcome {
        case .paired(let peer):
            connection.send(calls.paired(HandoffName.device(peer.id.description), named: peer.name.rawValue))
        case .unconfirmed(_, let error), .notPaired(let error):
            connection.send(calls.failed(HandoffErrorName(error.code), error.message))
        }
    }

    func waitUntilGone() async {
        try? await connection.withOwner(of: calls.client) { owners in
            for await owner in owners where owner == nil { return }
        }
    }
}
