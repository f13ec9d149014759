import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A peer in Python, written from the protocol's specification, interoperates with the daemon",
    .endsWithin(minutes: 15, instances: 4)
)
struct ForeignPeerStories {
    @Test("The peer is trusted by its card and fetches the advertised activity, and the origin learns which peer did")
    func fetch() async throws {
        let python = try #require(
            ProcessInfo.processInfo.environment["HANDOFF_TEST_PYTHON"],
            "Set HANDOFF_TEST_PYTHON to a Python 3 with Tests/Unit/HandoffCryptoTests/Python/requirements.txt."
        )
        let script = Repository.file("Tests/Unit/HandoffCryptoTests/Python/fetch_peer.py").path()
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let card = try await laptop.json("devices", "card")["card"].string
                try await laptop.publishing("org.example.edit", ["--title", "Grüße"]) { _ in
                    try await withTranscript(of: python, [script, world.airDirectory, card]) { _, output in
                        let own = try await output.first { $0.hasPrefix("handoff2:") ? $0 : nil }
                        _ = try await laptop.json("devices", "trust", own)
                        let line = try await output.first { $0.hasPrefix("{") ? $0 : nil }
                        let activity = try JSON(line)
                        #expect(activity["type"].string == "org.example.edit")
                        #expect(activity["title"].string == "Grüße")
                        try await laptop.log.event("activity.fetched")
                        try await laptop.log.event("take.reported")
                    }
                }
            }
        }
    }
}
