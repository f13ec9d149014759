import FoundationEssentials
import HandoffKit
import TestLimits
import Testing

/// The programs of Docs/Adopting.md, word for word; a test compares the two.
@Suite("The Swift programs of Docs/Adopting.md", .endsWithin(minutes: 10))
struct AdoptingTests {
    private func origin() async throws {
        try await Handoff.run { handoff in
            let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
            activity.userInfo = ["line": 12]
            activity.becomeCurrent()
            try await edit()
        }
    }

    private func edit() async throws {}

    private func open(_ path: String, in window: some UserActivityResponder, _ handoff: Handoff) async throws {
        let document = try HandoffDocument(fileURL: DocumentURL(path: path), in: handoff)
        document.becomeCurrent()
        for await activity in document.userActivities {
            window.userActivity = activity
        }
    }

    @Test("An app runs without a bus as well, on its own actor, and reads the values that it has set")
    @MainActor
    func withoutBus() async throws {
        let edits = Edits()
        try await Handoff.run(bus: "unix:path=/nowhere") { handoff in
            MainActor.preconditionIsolated()
            let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
            activity.title = "Draft"
            activity.becomeCurrent()
            activity.addUserInfoEntries(from: ["line": 12])
            #expect(activity.title == "Draft")
            #expect(activity.userInfo == ["line": 12])
            activity.invalidate()
            #expect(activity.title == nil)
            edits.count += 1
        }
        #expect(edits.count == 1)
    }

    @Test("An invalid activity type is refused at once, and so is an app's name that is not a bus name")
    func refused() async throws {
        await #expect(throws: CocoaError.self) {
            try await Handoff.run(bus: "unix:path=/nowhere") { try UserActivity(activityType: "edit", in: $0) }
        }
        await #expect(throws: CocoaError.self) {
            try await Handoff.run(application: "no name", bus: "unix:path=/nowhere") { _ in }
        }
    }

    /// A non-sendable object, which cannot leave its actor.
    private final class Edits {
        var count = 0
    }

    @Test("An app that continues an activity restores its state")
    @MainActor
    func continuing() async throws {
        let editor = Editor()
        try await Handoff.run(bus: "unix:path=/nowhere") { handoff in
            let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
            activity.userInfo = ["line": 7]
            await editor.restoreUserActivityState(activity)
        }
        #expect(editor.line == 7)
    }

    @MainActor
    final class Editor: HandoffApplicationDelegate, UserActivityDelegate, UserActivityResponder {
        let userActivityReference = UserActivityReference()
        var line = 1

        func run() async throws {
            try await Handoff.run(application: "org.example.Editor", delegate: self) { _ in try await edit() }
        }

        func application(
            _ handoff: Handoff,
            continue userActivity: UserActivity,
            restorationHandler: @escaping RestorationHandler
        ) async -> Bool {
            await restorationHandler([self])
            userActivity.delegate = self
            userActivity.becomeCurrent()
            return true
        }

        func restoreUserActivityState(_ activity: UserActivity) async {
            line = activity.userInfo["line"]?.integer ?? 1
        }

        func userActivityWillSave(_ userActivity: UserActivity) async {
            userActivity.addUserInfoEntries(from: ["line": .integer(line)])
        }
    }
}

extension AdoptingTests.Editor {
    fileprivate func edit() async throws {}
}
