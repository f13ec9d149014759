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
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let script = root.appending(path: "Unit/HandoffCryptoTests/Python/fetch_peer.py").path()
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let card = try await laptop.json("devices", "card")["card"].string
                try await laptop.publishing("org.example.edit", ["--title", "Grüße"]) { _ in
                    try await withProgram(python, [script, world.airDirectory, card]) { peer in
                        let (output, errors) = (Transcript(), Transcript())
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            group.addTask { await output.collect(peer.stdout) }
                            group.addTask { await errors.collect(peer.stderr) }
                            group.addTask {
                                defer { peer.kill() }
                                let own = try await output.first { $0.hasPrefix("handoff1:") ? $0 : nil }
                                _ = try await laptop.json("devices", "trust", own)
                                let line = try await output.first { $0.hasPrefix("{") ? $0 : nil }
                                let activity = try JSON(line)
                                #expect(activity["type"].string == "org.example.edit")
                                #expect(activity["title"].string == "Grüße")
                                try await laptop.log.event("activity.fetched")
                            }
                            try await group.waitForAll()
                        }
                    }
                }
            }
        }
    }
}
