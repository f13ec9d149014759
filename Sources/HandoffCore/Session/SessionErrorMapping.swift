import HandoffCrypto
import HandoffWire

/// Maps the errors of the layers below a session to ``HandoffError``.
enum SessionErrorMapping {
    /// Runs `body`; an error about a peer's bytes becomes a ``HandoffError`` with `peerMisbehaved`.
    static func mappingErrors<Success>(_ body: () throws -> Success) throws(HandoffError) -> Success {
        do {
            return try body()
        } catch let error as HandoffError {
            throw error
        } catch let error as WireError where error.code == .unknownKind {
            throw HandoffError(
                .peerMisbehaved,
                "The other device has a newer handoffd and sent a message unknown to this one: update this one.",
                violation: .unknownKind
            )
        } catch let error as WireError {
            throw HandoffError(
                .peerMisbehaved,
                "The peer sent an invalid message: \(error.message)",
                violation: ProtocolViolation(error)
            )
        } catch let error as CryptoError {
            throw HandoffError(
                .peerMisbehaved,
                "The peer's message does not decrypt: \(error.message)",
                violation: ProtocolViolation(error)
            )
        } catch {
            throw HandoffError(.peerMisbehaved, "\(error)")
        }
    }
}
