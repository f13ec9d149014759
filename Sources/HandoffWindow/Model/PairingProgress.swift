package import HandoffBus

/// How far a pairing has come.
///
/// Nothing but the answer of a person to the shown digits says yes: closing the window, and every other end, means no.
package enum PairingProgress: Hashable, Sendable {
    case none
    /// Looks for another device.
    case searching
    case choosing([PairingCandidate], PairingCall.QuestionID)
    case comparing(digits: String, name: String, device: String, PairingCall.QuestionID)
    /// The person here has said yes, and the one there has not answered.
    case waiting(name: String)
    /// The person here wants to stop, and the daemon has not confirmed that.
    case stopping
    case paired(name: String)
    case failed(String)
    /// The person here has said yes, and nobody here knows what the one there has said.
    case unconfirmed(String)

    /// Whether no pairing is in progress.
    package var isOver: Bool {
        switch self {
        case .none, .paired, .failed, .unconfirmed: true
        case .searching, .choosing, .comparing, .waiting, .stopping: false
        }
    }

    /// Whether a person has to do something.
    package var needsPerson: Bool {
        switch self {
        case .choosing, .comparing: true
        default: false
        }
    }

    mutating func begin() -> [WindowAction] {
        guard isOver else { return [] }
        self = .searching
        return [.pair]
    }

    /// The daemon has begun; a person who has stopped it before that is heard now.
    func begun() -> [WindowAction] {
        self == .stopping || self == .none ? [.stopPairing] : []
    }

    mutating func stop() -> [WindowAction] {
        guard !isOver, self != .stopping else { return [] }
        self = .stopping
        return [.stopPairing]
    }

    mutating func choose(_ number: UInt64, _ question: PairingCall.QuestionID) -> [WindowAction] {
        guard case .choosing(let candidates, let id) = self, id == question,
            candidates.contains(where: { $0.number == number })
        else { return [] }
        self = .searching
        return [.answer(id, .device(number))]
    }

    /// A person who has not seen other digits yet does not answer for them.
    mutating func answer(_ areSame: Bool, _ question: PairingCall.QuestionID) -> [WindowAction] {
        guard case .comparing(_, let name, _, let id) = self, id == question else { return [] }
        self = areSame ? .waiting(name: name) : .stopping
        return [.answer(id, .areSame(areSame))]
    }

    /// Forgets how the last pairing has ended.
    mutating func leave() -> [WindowAction] {
        if isOver { self = .none }
        return []
    }

    /// The window is closed: an open question is answered with no, and the search ends.
    mutating func close() -> [WindowAction] {
        defer { self = .none }
        switch self {
        case .comparing(_, _, _, let id): return [.answer(id, .areSame(false))]
        case .searching, .choosing, .waiting: return [.stopPairing]
        case .none, .stopping, .paired, .failed, .unconfirmed: return []
        }
    }

    /// The daemon has stopped, and the pairing with it.
    mutating func lose() {
        if !isOver { self = .failed(translated("handoffd has stopped, which ended the pairing.")) }
    }

    /// The daemon does not begin.
    mutating func refuse(_ message: String) {
        switch self {
        case .searching: self = .failed(message)
        case .stopping: self = .none
        default: break
        }
    }

    mutating func take(_ call: PairingCall, isClosed: Bool) -> [WindowAction] {
        switch call {
        case .choice(let candidates, let id):
            guard isAsking, !isClosed else { return [] }
            self = .choosing(candidates, id)
        case .digits(let digits, let name, let device, let id):
            // A question that comes after the person has stopped is answered at once.
            guard isAsking, !isClosed else { return [.answer(id, .areSame(false))] }
            self = .comparing(digits: digits, name: name, device: device, id)
        case .cancelled:
            if !isOver, self != .stopping { self = .searching }
        case .paired(let name): self = .paired(name: name)
        case .failed(let error, let message): end(error, message)
        }
        return []
    }

    private mutating func end(_ error: String, _ message: String) {
        let name = HandoffErrorName.prefix + HandoffErrorName.userCancelled.rawValue
        if error == HandoffErrorName.prefix + HandoffErrorName.unconfirmed.rawValue {
            self = .unconfirmed(message)
        } else {
            self = error == name && self == .stopping ? .none : .failed(message)
        }
    }

    private var isAsking: Bool {
        switch self {
        case .searching, .choosing, .comparing, .waiting: true
        case .none, .stopping, .paired, .failed, .unconfirmed: false
        }
    }
}
