import HandoffKit

@MainActor
final class Editor {
    var text = ""
    var activity: UserActivity?

    func run(_ keys: AsyncStream<Character>) async throws {
        try await Handoff.run(application: "org.example.Editor", delegate: self) { handoff in
            begin(try UserActivity(activityType: "org.example.editor.editing", in: handoff))
            for await key in keys {
                text.append(key)
                activity?.needsSave = true
            }
        }
    }

    func begin(_ activity: UserActivity) {
        activity.title = "Draft"
        activity.supportsContinuationStreams = true
        activity.delegate = self
        activity.becomeCurrent()
        self.activity = activity
    }
}

extension Editor: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.userInfo = [
            "version": 1, "position": .integer(text.count), "end": .string(String(text.suffix(80))),
        ]
    }

    func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws {
        try await streams.output.write(Array(text.utf8))
        try streams.output.finish()
        // The other editor has everything when it ends the conversation.
        _ = try await streams.input.readAll(limit: 0)
    }
}

extension Editor: HandoffApplicationDelegate {
    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        guard userActivity.userInfo["version"]?.integer == 1 else { return false }
        let whole = try? await userActivity.withContinuationStreams { streams in
            try await streams.input.readAll(limit: 100_000_000)
        }
        activity?.invalidate()
        text = whole.map { String(decoding: $0, as: UTF8.self) } ?? userActivity.userInfo["end"]?.string ?? ""
        begin(userActivity)
        return true
    }
}
