import HandoffModel

/// The devices that have introduced themselves and can be chosen.
struct PairingCandidates: Sendable {
    private var all: [PairingMachine.Candidate] = []
    /// When the first of them appeared.
    private var since = Duration.zero

    /// Whether there is none.
    var isEmpty: Bool { all.isEmpty }

    /// The candidates by name.
    var byName: [PairingMachine.Candidate] {
        all.sorted { ($0.peer.name.rawValue, $0.channel) < ($1.peer.name.rawValue, $1.channel) }
    }

    /// Returns the candidate at that channel.
    subscript(channel: PairingMachine.ChannelID) -> PairingMachine.Candidate? {
        all.first { $0.channel == channel }
    }

    /// Adds a candidate in place of those that are the same device, and returns their channels.
    mutating func insert(_ candidate: PairingMachine.Candidate, at now: Duration) -> [PairingMachine.ChannelID] {
        if all.isEmpty { since = now }
        let replaced = all.filter { $0.peer.publicKeys == candidate.peer.publicKeys }.map(\.channel).sorted()
        all.removeAll { replaced.contains($0.channel) }
        all.append(candidate)
        return replaced
    }

    /// Removes and returns the candidate at a channel; after the last one is removed, the waiting time for further
    /// candidates starts again.
    @discardableResult
    mutating func remove(_ channel: PairingMachine.ChannelID) -> PairingMachine.Candidate? {
        all.firstIndex { $0.channel == channel }.map { all.remove(at: $0) }
    }

    /// Returns when to choose among the candidates; nil while there is none.
    ///
    /// - Parameter awaitsMore: whether a device was heard that has not introduced itself yet.
    func due(awaitsMore: Bool) -> Duration? {
        let window = awaitsMore ? PairingMachine.maximumCandidateWindow : PairingMachine.candidateWindow
        return all.isEmpty ? nil : since + window
    }
}
