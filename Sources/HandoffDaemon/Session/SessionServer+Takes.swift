import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire

/// What a session needs beyond its answer: noticing a caller that gives up, and the report of a take.
extension SessionServer {
    /// How long the session of a take stays open for its report, longer than a caller waits before it ends the session.
    private static let reportLimit = Duration.seconds(10)

    /// Receives the first message of the caller after its request while `prepare` runs, and passes both on.
    ///
    /// A caller waits for its answer: if it closes the channel or sends something before, `prepare` is cancelled. An app
    /// that was asked to save still does so, for others that wait.
    ///
    /// - Parameters:
    ///   - channel: the channel, from which nothing else receives until `firstMessage` has returned.
    ///   - prepare: makes the answer.
    ///   - use: sends it; then waits for the message with `firstMessage`, which returns nil at the channel's end.
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the caller does not wait; else what the operations throw.
    func withFirstMessage<Prepared: Sendable, Success: Sendable>(
        of channel: some RadioChannel,
        _ prepare: @escaping @Sendable () async throws -> Prepared,
        then use: (Prepared, _ firstMessage: () async throws -> [UInt8]?) async throws -> Success
    ) async throws -> Success {
        try await withThrowingTaskGroup(of: FirstEvent<Prepared>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .received(try await channel.receive()) }
            group.addTask { .prepared(try await prepare()) }
            let first = try await group.next()
            guard case .prepared(let prepared)? = first else {
                throw HandoffError(
                    .peerMisbehaved,
                    "The peer did not wait for the answer.",
                    violation: first?.isMessage == true ? .outOfTurn : nil
                )
            }
            return try await use(prepared) {
                guard case .received(let message)? = try await group.next() else { return nil }
                return message
            }
        }
    }

    /// Waits for the report of a take in the session of its fetch, and acknowledges it.
    ///
    /// The session may end without one: then the report comes in another session, or never.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` for anything but a report.
    func receiveReport(_ session: ServerSession, of device: DeviceID, on channel: some RadioChannel) async throws {
        var session = session
        // It may have come together with the acknowledgement.
        var report = try session.receiveReport([])
        do {
            try await withTimeout(Self.reportLimit) {
                while report == nil, let message = try await channel.receive() {
                    report = try session.receiveReport(message)
                }
            }
        } catch is RadioError {
            // The link was lost, which the protocol allows here.
            return
        }
        guard let report, engine.trust.device(device) != nil else { return }
        engine.takes.note(report, by: device)
        try await channel.sendAll(try session.conclude(Acknowledgement()))
        // The caller closes: if this side closed, an acknowledgement that the caller has not read would be discarded.
        await SessionClient.awaitClose(of: channel)
    }

    private enum FirstEvent<Prepared: Sendable>: Sendable {
        case received([UInt8]?)
        case prepared(Prepared)

        /// Whether the caller has sent something, and not closed the channel.
        var isMessage: Bool {
            if case .received(_?) = self { true } else { false }
        }
    }
}
