/// Something that an input has made a target accept: the seeds of the corpus are to reach each one (`--reached`).
enum Milestone: String, CaseIterable {
    // Sessions.
    case streamRequest = "request for a stream"
    case acknowledgement, report, circle
    case take = "end of a take"

    // Pieces of a stream over the radio.
    case offer
    case emptyOffer = "empty offer"
    case data, taken, alive, end, arrived, move
    case pendingMove = "move before the connection has proved itself"

    // Pieces over the local network.
    case networkData = "data over the network"
    case networkTaken = "taken over the network"
    case networkAlive = "alive over the network"
    case networkEnd = "end over the network"
    case networkArrived = "arrived over the network"

    // Connections over a local network.
    case accepted = "accepted opening"
    case provenByOpener = "connection proven where it was opened"
    case provenByAcceptor = "connection proven where it was accepted"
    case openingOfPeer = "opening of a peer with the secret"
    case answerOfPeer = "answer of a peer with the secret"
    case confirmationOfPeer = "confirmation of a peer with the secret"

    /// What every stream that its peer does not break can reach.
    static let stream: [Milestone] = [
        .offer, .emptyOffer, .data, .taken, .alive, .end, .arrived, .move, .networkData, .networkTaken, .networkAlive,
        .networkEnd, .networkArrived,
    ]
}

extension [Milestone: Int] {
    /// Counts of milestones of which none is reached yet.
    init(of milestones: [Milestone]) {
        self = Dictionary(uniqueKeysWithValues: milestones.map { ($0, 0) })
    }

    /// Counts milestones that one input has reached.
    mutating func add(_ reached: Set<Milestone>) {
        for milestone in reached { self[milestone, default: 0] += 1 }
    }
}
