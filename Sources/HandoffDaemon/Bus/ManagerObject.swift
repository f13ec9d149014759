import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

/// Implements `Manager1` for the engine.
struct ManagerObject: ManagerHandler {
    let objects: BusObjects
    var audience = Audience.programs

    private var engine: Engine { objects.engine }

    var status: DaemonStatus {
        let (radio, scanning, current) = engine.read { ($0.radio.state, $0.shownScanning, $0.origin.current) }
        var status = DaemonStatus()
        status.version = HandoffVersion.current
        status.protocolVersion = UInt32(ProtocolVersion.current.rawValue)
        status.deviceID = engine.identity.id.description
        status.deviceName = engine.trust.name.rawValue
        switch radio {
        case .ready(let description):
            status.radioState = "ready"
            status.radioMessage = description.name
        case .unavailable(let error):
            status.radioState = HandoffErrorName(HandoffError(error).code).rawValue
            status.radioMessage = error.message
        }
        status.advisories = advisories(of: radio)
        status.scanning = scanning.description
        status.questions = engine.trust.questions.compactMap { question(about: $0) }
        status.currentActivity = object(of: current)
        return status
    }

    /// Returns the object of the current activity; `/` when there is none.
    func object(of current: ActivityRegister.Record?) -> ObjectPath {
        current.map { HandoffName.activity($0.id) } ?? .root
    }

    private func advisories(of radio: RadioState) -> [(name: String, message: String)] {
        let own =
            engine.activities.advisories + engine.trust.advisories + engine.nearby.clockAdvisories()
            + engine.radio.advisories
        guard case .ready(let description) = radio else { return own }
        return own + description.advisories.map { ($0.name, $0.message) }
    }

    var card: String { engine.trust.card.text }

    func createActivity(ofType type: String, _ draft: ActivityDraft, by client: BusName) throws -> ObjectPath {
        let activity = try draft.activity(ofType: type)
        try PayloadSize.check(activity, engine.peerLog)
        let id = try engine.activities.create(
            activity,
            isEligible: draft.isEligible,
            // An app that saves on request is asked before the activity is sent for the first time.
            needsSave: draft.needsSave || draft.delegate != nil,
            delegate: draft.delegate,
            application: draft.application,
            documentProblem: try audience.checkingDocuments { () throws(HandoffError) in
                try engine.desktop.documentProblem(of: activity)
            },
            by: client
        )
        objects.clients.insert(client)
        objects.focus.ownersChanged()
        return HandoffName.activity(id)
    }

    func trust(card: String) async throws -> ObjectPath {
        let card = try CardText(parsing: card)
        let name = DeviceName(cleaning: card.name, of: card.publicKeys.device)
        let device = DeviceIdentity(publicKeys: card.publicKeys, name: name)
        try await engine.trust.add(device)
        return HandoffName.device(device.id.description)
    }

    func rename(to name: String) async throws {
        try await engine.trust.rename(engine.identity.id, to: DeviceName(name))
    }

    func keep(device id: String) async throws {
        try await engine.trust.keep(try Self.deviceID(id))
    }

    func remove(device id: String) async throws {
        try await engine.trust.remove(try Self.deviceID(id))
    }

    private static func deviceID(_ text: String) throws -> DeviceID {
        do {
            return try DeviceID(text)
        } catch {
            throw HandoffErrorName.invalidArgument.reply(error.message)
        }
    }

    private func question(about member: Member) -> DeviceQuestion? {
        let (reason, others): (DeviceQuestion.Reason, [DeviceID])
        switch member.standing {
        case .disputed(let by): (reason, others) = (.disputed, by)
        case .orphaned(let by): (reason, others) = (.orphaned, by)
        case .trusted, .removed: return nil
        }
        return DeviceQuestion(
            id: member.id.description,
            name: member.name.rawValue,
            reason: reason,
            others: others.map { engine.trust.member($0)?.name.rawValue ?? $0.description }
        )
    }

    func leave() async throws {
        try await engine.trust.leave()
    }

    func startLooking(for client: BusName) throws {
        engine.nearby.startLooking(for: client)
        objects.clients.insert(client)
    }

    func openStream(continuation: String, by caller: Caller) -> @Sendable () async throws -> UnixFD {
        let request = objects.requests.begin(by: caller, about: continuation)
        return { [objects, audience] in
            try await request.whileWanted(on: objects.connection) {
                try await objects.streams.openStream(try ContinuationID(continuation), for: caller.name, audience)
            }
        }
    }

    func confirmStream(_ stream: UnixFD) throws -> UnixFD {
        try objects.streams.apps.beginReceipts(of: stream)
    }

    func cancelStream(continuation: String, by client: BusName) {
        objects.requests.cancel(by: client, about: continuation)
    }

    func setFocus(_ process: UInt32?, by client: BusName) {
        objects.focus.set(process, by: client)
        objects.clients.insert(client)
    }

    func stopLooking(for client: BusName) {
        engine.nearby.stopLooking(for: client)
    }
}
