import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel

/// `Pairing1` over the engine and the service that pairs.
struct PairingPresence: PairingControl {
    let presence: BusPresence

    var unconfirmed: [(id: String, name: String)] { presence.engine.unconfirmedDevices }

    func pair(agent: ObjectPath, by client: BusName) throws {
        try replying {
            let calls = PairingAgentCalls(client: client, path: agent)
            try presence.pairing.begin(BusPairingPerson(connection: presence.connection, calls: calls))
        }
    }

    func stop(by client: BusName) {
        presence.pairing.stop(client.description)
    }

    func forget(device: String) throws {
        try replying { try presence.engine.forgetPairings(with: try DeviceID(device)) }
    }
}

extension Engine {
    /// The devices with which a pairing is unconfirmed, each once.
    var unconfirmedDevices: [(id: String, name: String)] {
        let peers = read { state in
            state.pairing.records.unconfirmed.map(\.peer).filter { state.devices[$0.id] == nil }
        }
        let names = Dictionary(peers.map { ($0.id, $0.name) }) { _, newer in newer }
        return names.sorted { $0.key < $1.key }.map { ($0.key.description, $0.value.rawValue) }
    }
}

extension BusPresence {
    /// Tells which pairings are unconfirmed.
    func showPairings() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.pairingInterface,
            ["Unconfirmed": .unconfirmed(engine.unconfirmedDevices)]
        )
    }
}

/// The person behind a `PairingAgent1`.
struct BusPairingPerson: PairingPerson {
    let connection: Connection
    let calls: PairingAgentCalls

    /// Longer than the machine waits for any answer.
    private static let limit = PairingMachine.searchLimit + .seconds(60)

    var name: String { calls.client.description }

    func choose(_ candidates: [PairingMachine.Candidate]) async -> PairingMachine.ChannelID? {
        let offered = candidates.map { PairingCandidate(number: $0.channel, name: $0.peer.name.rawValue) }
        let reply = try? await connection.call(calls.requestChoice(offered), timeout: Self.limit)
        return try? reply?.decode(at: 0, as: UInt64.self)
    }

    func compare(_ digits: PairingDigits, with peer: PairingPeer) async -> Bool? {
        let call = calls.requestConfirmation(digits.description, shownBy: peer.name.rawValue, peer.id.description)
        let reply = try? await connection.call(call, timeout: Self.limit)
        return try? reply?.decode(at: 0, as: Bool.self)
    }

    func retract(_ sentence: String) {
        connection.send(calls.cancel(sentence))
    }

    func ended(_ outcome: PairingMachine.Outcome) {
        switch outcome {
        case .paired(let peer):
            connection.send(calls.paired(HandoffName.device(peer.id.description), named: peer.name.rawValue))
        case .unconfirmed(_, let error), .notPaired(let error):
            connection.send(calls.failed(HandoffErrorName(error.code), error.message))
        }
    }

    func left() async {
        try? await connection.withOwner(of: calls.client) { owners in
            for await owner in owners where owner == nil { return }
        }
    }
}
