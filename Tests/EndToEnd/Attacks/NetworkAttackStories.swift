import HandoffAttackModel
import TestLimits
import Testing

/// The attacks of Tests/Stories/network_peer.py on a daemon in a network namespace.
@Suite("Attacks over the local network", .endsWithin(minutes: 15, instances: 4))
struct NetworkAttackStories {
    private static let peer = PythonStory(file: "network_peer.py", instances: 4)

    // The port is open for four seconds.
    @Test(
        "Strangers at the port of an offer get no byte, and nothing listens after it",
        .endsWithin(minutes: 15, instances: 4, places: 24)
    )
    func strangers() async throws {
        // As published: a server that answers everybody, for as long as the device can receive.
        measured(
            .strangersAtPort,
            onModel: "5 of 5 strangers get an answer; 1 port stays open",
            here: try await Self.result(of: "strangers")
        )
    }

    @Test(
        "A recorded connection is not accepted, in the same offer or in another one",
        .endsWithin(minutes: 15, instances: 4, places: 24)
    )
    func replays() async throws {
        // Where only the end that opens a connection has a random number, it is accepted as long as the secret is used.
        measured(
            .replayedConnection,
            onModel: "1 of 2 recorded connections is accepted",
            here: try await Self.result(of: "replays")
        )
    }

    @Test("A member that lies about its addresses ends its stream, and causes no connection to the internet")
    func hostile() async throws {
        // A device that connects to what it is told.
        measured(
            .hostileOffer,
            onModel: "0 of 4 offers end the stream; 7 calls to 7 hosts of the internet",
            here: try await Self.result(of: "hostile")
        )
    }

    /// What a story prints about its attack.
    private static func result(of story: String) async throws -> String {
        let start = "attack \(story): "
        let lines = try await peer.tell(story).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(start) })
        return String(line.dropFirst(start.count))
    }
}
