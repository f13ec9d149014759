import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel

/// Implements `Pairing1` for the engine and the pairing service.
struct PairingObject: PairingHandler {
    let objects: BusObjects

    var unconfirmed: [UnconfirmedDevice] { objects.engine.pairings.unconfirmedDevices }

    func pair(agent: ObjectPath, by client: BusName) throws {
        let calls = PairingAgentCalls(client: client, path: agent)
        try objects.pairing.begin(BusPairingAgent(connection: objects.connection, calls: calls))
        objects.connection.emit(PairingEvent.started.signal)
    }

    func stop(by client: BusName) {
        objects.pairing.stop(client.description)
    }

    func forget(device: String) async throws {
        try await objects.engine.pairings.forget(try DeviceID(device))
    }
}

extension EnginePairings {
    /// The devices with an unconfirmed pairing, each once.
    var unconfirmedDevices: [UnconfirmedDevice] {
        let peers = engine.read { state in
            state.pairing.records.unconfirmed.map(\.peer).filter { state.trust.devices[$0.id] == nil }
        }
        let names = Dictionary(peers.map { ($0.id, $0.name) }) { _, newer in newer }
        return names.sorted { $0.key < $1.key }.map {
            UnconfirmedDevice(id: $0.key.description, name: $0.value.rawValue)
        }
    }
}

extension BusObjects {
    /// Emits PropertiesChanged for the unconfirmed pairings.
    func showPairings() {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.pairingInterface,
            [PairingInterface.unconfirmed.name.description: .unconfirmed(engine.pairings.unconfirmedDevices)]
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
        let offered = candidates.map {
            PairingCandidate(
                number: $0.channel.rawValue,
                name: $0.peer.name.rawValue,
                device: $0.peer.id.description
            )
        }
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
            let device = HandoffName.device(peer.id.description)
            connection.send(calls.paired(device, named: peer.name.rawValue))
            emit(.paired(device: device, name: peer.name.rawValue))
        case .unconfirmed(let peer, let error):
            connection.send(calls.failed(HandoffErrorName(error.code), error.message))
            emit(.unconfirmed(name: peer.name.rawValue, HandoffErrorName(error.code), message: error.message))
        case .notPaired(let error):
            connection.send(calls.failed(HandoffErrorName(error.code), error.message))
            emit(.failed(HandoffErrorName(error.code), message: error.message))
        }
    }

    private func emit(_ event: PairingEvent) {
        connection.emit(event.signal)
    }

    func waitUntilGone() async {
        try? await connection.withOwner(of: calls.client) { owners in
            for await owner in owners where owner == nil { return }
        }
    }
}
