import HandoffKit

/// An editor in a terminal: every line that the user types is added to the text.
@main
@MainActor
final class Editor {
    private var text = ""

    static func main() async throws {
        try await Editor().run()
    }

    private func run() async throws {
        try await Handoff.run { handoff in
            let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
            activity.title = "Draft"
            activity.becomeCurrent()
            for await line in typedLines() {
                text += line + "\n"
                activity.needsSave = true
            }
        }
    }
}
