import HandoffCrypto
import HandoffWire

/// What the layers below a session throw, in the words of the core.
enum SessionErrorMapping {
    /// Runs `body`; whatever is wrong with the bytes of a peer becomes an error that says so.
    static func mappingErrors<Success>(_ body: () throws -> Success) throws(HandoffError) -> Success {
        do {
            return try body()
        } catch let error as HandoffError {
            throw error
        } catch let error as WireError where error.code == .unknownKind {
            throw HandoffError(
                .peerMisbehaved,
                "The other device has a newer handoffd and says what this one does not know: update this one."
            )
        } catch let error as WireError {
            throw HandoffError(.peerMisbehaved, "The peer sent something that is no message: \(error.message)")
        } catch let error as CryptoError {
            throw HandoffError(.peerMisbehaved, "The peer's message does not decrypt: \(error.message)")
        } catch {
            throw HandoffError(.peerMisbehaved, "\(error)")
        }
    }
}
