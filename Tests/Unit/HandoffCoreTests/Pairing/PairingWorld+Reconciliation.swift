import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Reconciliation: the questions how a pairing has ended, and their sessions.
extension PairingWorld {
    /// Returns the pairings about which a device may ask the other one now, as it hears that one.
    func questions(of side: Int) -> [PairingRecord] {
        let (here, there) = (sides[side], sides[1 - side])
        let isHeardAsMember = here.memory.trusted.contains(there.id) && there.memory.trusted.contains(here.id)
        let advertised = there.request == nil ? there.memory.records.unreconciled(at: now) : []
        // The other side authenticates those that it trusts, and those with whom it has begun to pair.
        let isKnownThere =
            there.memory.trusted.contains(here.id)
            || there.memory.records.unreconciled(at: now).contains { $0.peer.id == here.id }
        guard isKnownThere else { return [] }
        return here.memory.records.toAsk(at: now, effortUntil: here.effortEnd, during: here.request).filter { record in
            isHeardAsMember || advertised.contains { $0.id == record.id && $0.status == .unconfirmed }
        }
    }

    /// Whether the device has asked about a pairing since time has passed.
    func hasAsked(_ side: Int, about record: PairingRecord) -> Bool {
        asked.contains(Asked(side: side, pairing: record.id))
    }

    /// Begins a session.
    mutating func ask(_ side: Int, about record: PairingRecord) {
        asked.insert(Asked(side: side, pairing: record.id))
        let request = PairingRecords.request(for: record)
        session = Session(caller: side, record: record, request: request)
    }

    /// Performs the next step of the session.
    mutating func continueSession(_ fault: WriteFault?) throws {
        guard var session else { return }
        self.session = nil
        let (caller, listener) = (session.caller, session.listener)
        let isTrustedThere = sides[listener].memory.trusted.contains(sides[caller].id)
        switch session.step {
        case .asked:
            session.verdict = sides[listener].memory.records.verdict(
                on: session.request,
                from: sides[caller].id,
                isTrusted: isTrustedThere,
                during: sides[listener].request,
                sides[listener].own.advertisingKey
            )
            session.step = .answered
        case .answered:
            guard let verdict = session.verdict, verdict != .undecided else { return }
            let isTrusted = sides[caller].memory.trusted.contains(sides[listener].id)
            let records = sides[caller].memory.records
            let change = records.reconciliation(of: session.record, verdict, isTrusted: isTrusted)
            guard apply(change, at: caller, fault) else { return }
            if session.record.status == .notPaired { report(session.record.id, to: caller) }
            session.step = .acknowledged
        case .acknowledged:
            guard let verdict = session.verdict else { return }
            let change = try sides[listener].memory.records.reconciliation(
                of: session.request,
                from: sides[caller].id,
                verdict,
                isTrusted: isTrustedThere,
                key: sides[caller].own.advertisingKey.rawRepresentation
            )
            guard apply(change, at: listener, fault) else { return }
            session.step = .concluded
        case .concluded:
            _ = apply(sides[caller].memory.records.concluded(session.record), at: caller, fault)
            return
        }
        self.session = session
    }

    /// The two devices exchange their circles, which each does only with a device that it trusts.
    mutating func exchangeCircles() {
        guard (0...1).allSatisfy({ sides[$0].memory.trusted.contains(sides[1 - $0].id) }) else { return }
        for side in 0...1 {
            let other = sides[1 - side].id
            _ = write(at: side, nil) { $0.records.forgetPaired(with: other) }
        }
    }

    private mutating func apply(
        _ change: PairingRecords.Reconciliation,
        at side: Int,
        _ fault: WriteFault?
    ) -> Bool {
        let isSaved = write(at: side, fault) { kept in
            if let addition = change.newlyTrusted {
                kept.trusted.insert(addition.peer.id)
                kept.records.markPaired(addition.peer.id)
            }
            if let record = change.record { kept.records.keep(record) }
        }
        if isSaved, let record = change.record, record.status == .notPaired { report(record.id, to: side) }
        return isSaved
    }

    private mutating func report(_ id: PairingID, to side: Int) {
        if sides[side].machine != nil { sides[side].events.append(.reconciled(id)) }
    }
}
