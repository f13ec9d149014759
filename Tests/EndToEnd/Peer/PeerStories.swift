import TestLimits
import Testing

/// The stories of Tests/Stories/peer.py, in each of which the peer of Tests/Peer meets real daemons on a simulated air.
///
/// There are at most two daemons, their buses, and two peers, each of which watches the air.
@Suite(
    "A peer in Python, written from the documents alone, and daemons do everything with each other",
    .endsWithin(minutes: 15, instances: 6)
)
struct PeerStories {
    private static let stories = PythonStory(file: "peer.py", instances: 6)

    @Test("The peer calls a daemon, both users compare the digits, and the peer fetches an activity")
    func pairsAsCaller() async throws { try await Self.tell("pairs_as_caller") }

    @Test("A daemon calls the peer, both users compare the digits, and the daemon continues an activity of the peer")
    func pairsAsListener() async throws { try await Self.tell("pairs_as_listener") }

    @Test("A user who sees other digits, on either side, ends the pairing on both")
    func refuses() async throws { try await Self.tell("refuses") }

    @Test("A user who stops after having confirmed ends the pairing on both sides if the other has not confirmed")
    func withdraws() async throws { try await Self.tell("withdraws") }

    @Test("Of several devices the user chooses, and the choice that the daemon has made alone is taken back before")
    func chooses() async throws { try await Self.tell("chooses") }

    @Test("When the channel is lost before both users know the result, both devices find out, with one result")
    func reconciles() async throws { try await Self.tell("reconciles") }

    @Test("The peer looks at an activity of a daemon, takes it, and reports what became of it, also in a later session")
    func fetches() async throws { try await Self.tell("fetches") }

    @Test("A daemon looks at an activity of the peer, takes it, and the peer learns what became of it")
    func serves() async throws { try await Self.tell("serves") }

    @Test("Streams between the peer and a daemon carry bytes in both directions, whoever calls, and fail distinctly")
    func streams() async throws { try await Self.tell("streams") }

    @Test("A device that one member has added is known to all three, and each continues activities of the others")
    func joins() async throws { try await Self.tell("joins") }

    @Test("A removal by the peer takes effect at a daemon, and one by a daemon takes effect at the peer")
    func removes() async throws { try await Self.tell("removes") }

    @Test("A device that was away while a key was replaced gets the new one by an advertisement for it alone")
    func hearsNews() async throws { try await Self.tell("hears_news") }

    private static func tell(_ story: String) async throws { try await stories.tell(story) }
}
