/// The user's active request for pairing, as far as it concerns reconciliation: which of its pairings are decided.
package struct ActivePairingRequest: Hashable, Sendable {
    /// The pairings of this request for which this side sends nothing more.
    private var abandoned: Set<PairingID> = []

    package init() {}

    /// Records that a pairing has failed here, so that the user can no longer confirm it.
    package mutating func abandon(_ id: PairingID) {
        abandoned.insert(id)
    }

    /// Whether the user here can no longer confirm the pairing, or has confirmed it already.
    func hasDecided(_ record: PairingRecord) -> Bool {
        record.status != .notPaired || abandoned.contains(record.id)
    }

    /// Whether this side may ask about a pairing while the request is active.
    func mayAsk(about record: PairingRecord) -> Bool { abandoned.contains(record.id) }
}
