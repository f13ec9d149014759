import AsyncSupport
import DBus
import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// The sessions with other devices.
    var sessions: EngineSessions { EngineSessions(engine: self) }
}

/// What this device answers in sessions, and which sessions it has to open.
struct EngineSessions: Sendable {
    let engine: Engine

    /// What a device was told about the outcome of a pairing.
    struct PairingOutcome: Sendable {
        /// What the device has asked.
        let request: SettleRequest
        let verdict: PairingRecords.Verdict
        /// The advertising key of this device that the answer contains: a new one unless the device is trusted.
        let toldKey: AdvertisingKeyRecord
    }

    /// An answer to a device, and the activity that it contains.
    struct PreparedAnswer: Sendable {
        let answer: Answer
        /// The requested activity; nil if there is none.
        let activity: ActivityRegister.ID?
        /// The take for which the activity was requested; nil for a preview and for any other answer.
        var take: TakeID?
        /// What the answer tells about a pairing; nil for any other answer.
        var outcome: PairingOutcome?

        /// Whether the device gets an activity with which it goes on.
        var isTake: Bool { if case .activity = answer { take != nil } else { false } }

        /// A refusal of a request.
        static func refusal(_ code: Refusal.Code, _ message: String) -> PreparedAnswer {
            PreparedAnswer(answer: .refusal(Refusal(code, message)), activity: nil)
        }
    }

    // MARK: Streams

    /// Whether streams that are opened from now on may move to the local network.
    var usesLocalNetwork: Bool { engine.read(\.sessions.usesLocalNetwork) }

    /// Sets whether streams that are opened from now on may move to the local network.
    func setUsesLocalNetwork(_ uses: Bool) {
        engine.edit { $0.sessions.usesLocalNetwork = uses }
    }

    // MARK: Answers

    /// Returns the answer to a trusted device that asks for the current activity.
    ///
    /// If the app has unsaved state, it is asked to save first, except for a preview that does not ask for it; the
    /// answer waits for it, up to `SaveRequests.timeout`. If the activity is not the current one any more by then, or is
    /// about another document, the answer is a refusal.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func answer(to request: FetchRequest, from device: DeviceID) async throws -> PreparedAnswer {
        var completions = engine.saveCompletions.current
        let saved = prepare(for: request)
        if let saved {
            while engine.read({ $0.origin.isSaving(saved) }) {
                completions = try await engine.saveCompletions.changed(since: completions)
            }
        }
        let prepared = engine.edit { state in
            let now = Moment.now
            let record = state.origin.record(for: request, after: saved, at: now)
            let answer = state.origin.answer(to: request, from: device, after: saved, at: now)
            return PreparedAnswer(answer: answer, activity: record?.id)
        }
        // Finding a file may block in the file system, so it is done outside the engine's mutex.
        return PreparedAnswer(
            answer: withSharedDocuments(prepared.answer),
            activity: prepared.activity,
            take: request.purpose.take
        )
    }

    /// Returns the answer to a trusted device that asks for a stream.
    func answer(to request: StreamRequest, from device: DeviceID) -> PreparedAnswer {
        let (answer, activity) = engine.read { $0.origin.answer(to: request, from: device) }
        return PreparedAnswer(answer: answer, activity: activity)
    }

    /// Records that an answer is about to be sent: from now on the device may report the outcome of its take.
    ///
    /// A preview leaves no trace.
    func willSendAnswer(_ prepared: PreparedAnswer, to device: DeviceID) {
        guard let (take, id, activity) = Self.taken(prepared) else { return }
        engine.change { state, now in
            state.origin.begin(take, of: id, by: device, at: now)
            state.show(.fetched(id, by: device, activity))
        }
    }

    /// Records that a device has acknowledged an answer, which proves that it has all of it.
    func acknowledged(_ prepared: PreparedAnswer, by device: DeviceID) {
        guard let (take, id, _) = Self.taken(prepared) else { return }
        engine.change { state, _ in state.origin.acknowledged(take, of: id, by: device) }
    }

    /// Returns the take that an answer serves, with its activity; nil for any other answer.
    private static func taken(_ prepared: PreparedAnswer) -> (TakeID, ActivityRegister.ID, Activity)? {
        guard let take = prepared.take, let id = prepared.activity, case .activity(let activity) = prepared.answer
        else { return nil }
        return (take, id, activity)
    }

    /// Gives the app of an activity its end of a stream that a device opened, and waits until the app has accepted it.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` when the activity has ended, `peerRefused` when the app does
    ///   not accept the stream.
    func deliverStream(_ file: UnixFD, to id: ActivityRegister.ID, openedBy device: DeviceID) async throws {
        let (record, name) = try engine.read { state in
            Result { (try state.origin.activity(id), state.name(of: device)) }
        }.get()
        let stream = Engine.IncomingStream(activity: record, device: device, deviceName: name, file: file)
        guard let observer = engine.currentObserver else {
            throw HandoffError(.peerRefused, "The app of the activity is not on the bus any more.")
        }
        try await observer.deliver(stream)
    }

    // MARK: Sessions to open

    /// Returns the next device that needs a circle update; counts it as dialled.
    func nextCircleUpdate() -> SessionPeer? {
        engine.edit { $0.nextCircleUpdate(at: .now) }.map { peer($0.device, at: $0.endpoint) }
    }

    /// Returns the origin of an entry as the peer of a session, dialled first where the entry was heard.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`.
    func peer(of entry: NearbyEntry) throws(HandoffError) -> SessionPeer {
        guard let device = engine.trust.device(entry.device) else { throw Self.notTrusted }
        return peer(device, at: entry.endpoint)
    }

    /// Returns a trusted device as the peer of a session.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `peerUnreachable`.
    func peer(_ id: DeviceID) throws(HandoffError) -> SessionPeer {
        let (device, endpoint) = engine.read { ($0.trust.devices[id], $0.sessions.endpoints[id]) }
        guard let device else { throw Self.notTrusted }
        guard let endpoint else {
            throw HandoffError(.peerUnreachable, "\(device.name.rawValue) was not heard yet: bring it nearer.")
        }
        return peer(device, at: endpoint)
    }

    /// Returns the peer of a pairing, which need not be trusted, as the peer of a session.
    func peer(of record: PairingRecord, at endpoint: PeerEndpoint) -> SessionPeer {
        SessionPeer(
            id: record.peer.id,
            name: record.peer.name.rawValue,
            publicKeys: record.peer.publicKeys,
            start: endpoint
        ) { [engine] in
            engine.edit { $0.pairing.takeEndpoint(of: record.id) }
        } others: { [engine] in
            engine.read { $0.nearby.table.endpoints(of: record.peer.id) }
        }
    }

    /// Returns a trusted device as the peer of a session, dialled first at `endpoint`.
    ///
    /// An entry may be gone when its origin is dialled, after a withdrawal advertisement from another address, and the
    /// activity can still be fetched: so the endpoints are those of the device.
    private func peer(_ device: TrustedDevices.Device, at endpoint: PeerEndpoint) -> SessionPeer {
        SessionPeer(id: device.id, name: device.name.rawValue, publicKeys: device.publicKeys, start: endpoint) {
            [engine] in
            engine.read { $0.sessions.endpoints[device.id] }
        } others: { [engine] in
            engine.read { $0.nearby.table.endpoints(of: device.id) }
        }
    }

    private static let notTrusted = HandoffError(.unknownDevice, "That device is not trusted any more.")

    // MARK: Steps

    /// Returns the activity whose save the request has to wait for, or nil; asks its app to save unless it was already
    /// asked.
    private func prepare(for request: FetchRequest) -> ActivityRegister.ID? {
        engine.change { state, now in
            let before = state.origin.record(for: request, at: now)
            guard case .saving(let id, let saveRequest) = state.origin.prepare(for: request, at: now) else {
                return nil
            }
            if let saveRequest, let before {
                state.show(.saveRequested(before, saveRequest))
                state.showChange(since: before)
            }
            return id
        }
    }

    /// Returns the answer with its files in the form for other devices, or the reason why this is not possible.
    private func withSharedDocuments(_ answer: Answer) -> Answer {
        guard case .activity(let activity) = answer else { return answer }
        do {
            let shared = try engine.desktop.folders.shared(activity)
            try shared.checkEncodedSize()
            return .activity(shared)
        } catch let fault as FolderError {
            // The reason names paths of this device: it is for the log, not for the other device.
            engine.peerLog.log("document.unshared", "a document is not shared: \(fault)")
            return .refusal(Refusal(.documentNotShared, "Its document is not in a synchronised folder any more."))
        } catch let error as ModelError {
            return .refusal(Refusal(.tooLarge, error.message))
        } catch {
            return .refusal(Refusal(.internal, "The activity cannot be sent."))
        }
    }
}

extension Engine.State {
    /// Returns the next device that needs a circle update, and where it was heard; counts it as dialled.
    mutating func nextCircleUpdate(at now: Moment) -> (device: TrustedDevices.Device, endpoint: PeerEndpoint)? {
        // A pause postpones every exchange of circles.
        guard !rules.isPaused else { return nil }
        for entry in nearby.table.all {
            guard let device = trust.devices[entry.device] else { continue }
            let isNeeded = trust.needsExchange(with: device.id, at: now.uptime)
            guard sessions.shouldUpdate(device.id, hasUpdate: isNeeded, at: now) else { continue }
            return (device, entry.endpoint)
        }
        // One that offers nothing is heard when it comes, and may invite this device to an exchange.
        for device in trust.devices.ids.compactMap({ trust.devices[$0] }) {
            let isNeeded = trust.needsExchange(with: device.id, at: now.uptime)
            guard let endpoint = nearby.table.endpoint(of: device.id, at: now),
                sessions.shouldUpdate(device.id, hasUpdate: isNeeded, at: now)
            else { continue }
            return (device, endpoint)
        }
        return nil
    }

    /// Returns the name of a device, or its id if it is not trusted any more.
    func name(of device: DeviceID) -> String {
        trust.devices[device]?.name.rawValue ?? device.description
    }
}
