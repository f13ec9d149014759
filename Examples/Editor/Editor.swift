import HandoffKit

/// An editor in a terminal: every line that the user types is added to the text.
@main
@MainActor
final class Editor {
    private var text = ""
    private var activity: UserActivity?
    /// Texts that the user has put aside in order to continue another one.
    private var drafts: [String] = []

    static func main() async throws {
        try await Editor().run()
    }

    private func run() async throws {
        try await Handoff.run(application: "org.example.Editor", delegate: self) { handoff in
            begin(try UserActivity(activityType: "org.example.editor.editing", in: handoff))
            for await line in typedLines() {
                text += line + "\n"
                activity?.needsSave = true
            }
        }
        for text in drafts + [text] { print(text, terminator: "---\n") }
    }

    private func begin(_ activity: UserActivity) {
        activity.title = "Draft"
        activity.supportsContinuationStreams = true
        activity.delegate = self
        activity.becomeCurrent()
        self.activity = activity
    }
}

extension Editor: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.userInfo = ["version": 1, "lines": .integer(text.count { $0 == "\n" })]
    }

    func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws {
        try await streams.output.write(Array(text.utf8))
        try streams.output.finish()
        // The other editor has received everything when it ends its direction.
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
        do {
            let bytes = try await userActivity.withContinuationStreams { streams in
                let bytes = try await streams.input.readAll(limit: 100_000_000)
                // Tells the other editor that all of it has arrived.
                try streams.output.finish()
                return bytes
            }
            open(String(decoding: bytes, as: UTF8.self), of: userActivity)
            return true
        } catch {
            // Half a text is no text: nothing here has changed, and the other device keeps its own.
            return false
        }
    }

    /// Continues with a text of another device, and keeps the one of this device.
    private func open(_ text: String, of activity: UserActivity) {
        if !self.text.isEmpty { drafts.append(self.text) }
        self.text = text
        self.activity?.invalidate()
        begin(activity)
        print("continued from \(activity.originDeviceName ?? ""): \(text)")
    }
}
