import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

/// Fetches the activity of an entry from its origin.
protocol Fetching: Sendable {
    /// The whole activity.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that says why not and what to do.
    func fetch(_ id: NearbyEntry.ID) async throws -> Activity
}

/// Fetches over a radio.
struct Fetcher<R: Radio>: Fetching {
    let engine: Engine
    let radio: R
    let logger: Logger

    /// How long opening the channel may take.
    private static var dialLimit: Duration { .seconds(10) }
    /// How long the origin may take to close after the acknowledgement.
    private static var closeLimit: Duration { .seconds(2) }
    /// How long all of it may take.
    private static var limit: Duration { .seconds(15) }

    func fetch(_ id: NearbyEntry.ID) async throws -> Activity {
        let entry = try engine.entry(id)
        guard let device = engine.read({ $0.devices[entry.device] }) else {
            throw HandoffError(.unknownDevice, "That device is not trusted any more.")
        }
        let name = device.name.rawValue
        let answer: Answer
        do {
            answer = try await withDeadline(Self.limit, orThrow: Self.tooSlow(name)) {
                try await ask(device, for: entry)
            }
        } catch let error as RadioError {
            throw Self.explained(error, name)
        }
        return try take(answer, entry: entry, name: name)
    }

    private func ask(_ device: TrustedDevices.Device, for entry: NearbyEntry) async throws -> Answer {
        let session = FetchSession(
            keys: engine.identity.keys,
            peer: device.publicKey,
            request: .fetch(FetchRequest(typeHash: entry.typeHash))
        )
        return try await radio.withChannel(to: entry.address, port: entry.port, timeout: Self.dialLimit) { channel in
            try await converse(session, over: channel)
        }
    }

    /// Sends the request, takes the answer, and lets the origin close once it has the acknowledgement.
    private func converse(_ session: consuming FetchSession, over channel: R.Channel) async throws -> Answer {
        var session = session
        try await channel.sendAll(try session.start())
        while let message = try await channel.receive() {
            guard let answered = try session.receive(message) else { continue }
            try await channel.sendAll(answered.acknowledgement)
            // Closing throws away what the peer has not taken: wait until it closes (net/bluetooth/l2cap_core.c,
            // l2cap_chan_del). The answer is whole; nothing that happens now spoils it.
            _ = try? await withDeadline(Self.closeLimit, orThrow: CancellationError()) { try await channel.receive() }
            return answered.answer
        }
        throw HandoffError(
            .notTrusted,
            "The device closed the channel without an answer. Does it trust this one? Compare `handoffctl devices` there."
        )
    }

    private func take(_ answer: Answer, entry: NearbyEntry, name: String) throws(HandoffError) -> Activity {
        switch answer {
        case .activity(let activity):
            guard activity.type.hash == entry.typeHash else {
                throw HandoffError(.peerMisbehaved, "\(name) sent another activity than the one asked for.")
            }
            engine.learn(activity.type)
            return activity
        case .refusal(let refusal) where refusal.code == .noLongerCurrent:
            engine.becameStale(entry.id)
            throw HandoffError(.noLongerCurrent, "\(name) goes on with something else by now; look again.")
        case .refusal(let refusal):
            throw HandoffError(.peerRefused, "\(name) refused: \(refusal.message)")
        }
    }

    private static func tooSlow(_ name: String) -> HandoffError {
        HandoffError(.timedOut, "\(name) took longer than \(limit.components.seconds) s to answer; try again nearer to it.")
    }

    private static func explained(_ error: RadioError, _ name: String) -> any Error {
        switch error.code {
        case .timedOut, .channelClosed:
            HandoffError(.peerUnreachable, "\(name) cannot be reached: bring it nearer and see that it is awake.")
        case .refused:
            HandoffError(.peerRefused, "\(name) does not accept channels: is handoffd still running there?")
        default:
            error
        }
    }
}
