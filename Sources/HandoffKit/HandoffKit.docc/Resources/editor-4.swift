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
}

extension Editor: HandoffApplicationDelegate {
    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        guard userActivity.userInfo["version"]?.integer == 1 else { return false }
        activity?.invalidate()
        text = userActivity.userInfo["end"]?.string ?? ""
        begin(userActivity)
        return true
    }
}
