import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

/// `Manager1` over the engine.
struct ManagerPresence: ManagerService {
    let presence: BusPresence

    private var engine: Engine { presence.engine }

    var version: String { presence.version }
    var protocolVersion: UInt32 { UInt32(ProtocolVersion.current.rawValue) }
    var deviceID: String { engine.identity.id.description }
    var deviceName: String { engine.name.rawValue }

    var radioState: String {
        switch engine.read(\.radio) {
        case .ready: "ready"
        case .unavailable(let error): HandoffErrorName(error.code).rawValue
        }
    }

    var radioMessage: String {
        switch engine.read(\.radio) {
        case .ready(let description): description.name
        case .unavailable(let error): error.message
        }
    }

    var advisories: [(name: String, message: String)] {
        guard case .ready(let description) = engine.read(\.radio) else { return engine.circleAdvisories }
        return engine.circleAdvisories + description.advisories.map { ($0.name, $0.message) }
    }

    var currentActivity: ObjectPath {
        engine.read { $0.origin.current.map { HandoffName.activity($0.id) } ?? .root }
    }

    var card: String { engine.card.text }

    func createActivity(ofType type: String, _ draft: ActivityDraft, by client: BusName) throws -> ObjectPath {
        let activity = try draft.activity(ofType: type)
        return try replying {
            try PayloadSize.check(activity, engine.logger)
            let id = try engine.create(
                activity,
                isEligible: draft.isEligible,
                needsSave: draft.needsSave,
                delegate: draft.delegate?.description,
                by: client.description
            )
            presence.clients.insert(client)
            return HandoffName.activity(id)
        }
    }

    func trust(card: String) throws -> ObjectPath {
        try replying {
            let card = try CardText(parsing: card)
            let device = TrustedDevices.Device(
                name: DeviceName(sanitizing: card.name),
                publicKey: card.publicKey,
                advertisingKey: card.advertisingKey
            )
            try engine.trust(device)
            return HandoffName.device(device.id.description)
        }
    }

    func rename(to name: String) throws {
        try replying { try engine.rename(engine.identity.id, to: DeviceName(name)) }
    }

    func leave() throws {
        try replying { try engine.leave() }
    }

    func startLooking(for client: BusName) throws {
        engine.startLooking(for: client.description)
        presence.clients.insert(client)
    }

    func openStream(continuation: String) async throws -> UnixFD {
        try await replying { try await presence.streams.openStream(try ContinuationName(continuation)) }
    }

    func stopLooking(for client: BusName) {
        engine.stopLooking(for: client.description)
    }
}
