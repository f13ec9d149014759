import HandoffKit

@MainActor
final class Editor {
    var text = ""

    func run(_ keys: AsyncStream<Character>) async throws {
        try await Handoff.run { handoff in
            let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
            activity.title = "Draft"
            activity.delegate = self
            activity.becomeCurrent()
            for await key in keys {
                text.append(key)
                activity.needsSave = true
            }
        }
    }
}

extension Editor: UserActivityDelegate {
    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.userInfo = [
            "version": 1, "position": .integer(text.count), "end": .string(String(text.suffix(80))),
        ]
    }
}
