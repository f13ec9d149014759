import FoundationEssentials
import TestLimits
import Testing

@testable import HandoffKit

@Suite("An activity about a document", .endsWithin(minutes: 10))
struct DocumentTests {
    private static let nowhere = "unix:path=/nowhere"

    @Test("The document is in userInfo under Apple's key, and stays there when userInfo is replaced and saved")
    func key() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            let (part, delegate) = (Part(), Replacer())
            let url = try DocumentURL(path: "/home/ann/My report.txt")
            #expect(url.description == "file:///home/ann/My%20report.txt")
            activity.documentURL = url
            #expect(activity.userInfo == [NSUserActivityDocumentURLKey: .url(url.description)])
            activity.userInfo = ["line": 12]
            #expect(activity.documentURL == url)
            part.userActivity = activity
            try await activity.save()
            #expect(activity.userInfo == ["part": true, NSUserActivityDocumentURLKey: .url(url.description)])
            activity.delegate = delegate
            try await activity.save()
            #expect(activity.userInfo == ["page": 7, NSUserActivityDocumentURLKey: .url(url.description)])
            activity.documentURL = nil
            #expect(activity.userInfo == ["page": 7])
        }
    }

    @Test("A document adds its URL again to an activity from which the app has removed it")
    func added() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let url = try DocumentURL(path: "/home/ann/a.txt")
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            #expect(HandoffDocument(continuing: activity) == nil)
            activity.documentURL = url
            let document = try #require(HandoffDocument(continuing: activity))
            activity.documentURL = nil
            try await activity.save()
            #expect(activity.documentURL == url)
            withExtendedLifetime(document) {}
        }
    }

    @Test("An activity ends with its document, unless a responder keeps it, which is then about no document")
    func closed() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            func open(_ activity: UserActivity) throws -> HandoffDocument? {
                activity.documentURL = try DocumentURL(path: "/home/ann/a.txt")
                return HandoffDocument(continuing: activity)
            }
            let ending = try UserActivity(activityType: "org.example.edit", in: handoff)
            var document = try open(ending)
            #expect(document != nil && !ending.isOver)
            document = nil
            #expect(ending.isOver)

            let kept = try UserActivity(activityType: "org.example.edit", in: handoff)
            let part = Part()
            part.userActivity = kept
            document = try open(kept)
            document?.close()
            #expect(!kept.isOver)
            #expect(kept.documentURL == nil)
        }
    }

    @Test("A document whose activity type nobody can tell has no activity; wrong files and types are refused")
    func unknown() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let document = try HandoffDocument(fileURL: DocumentURL(path: "/home/ann/a.txt"), in: handoff)
            document.becomeCurrent()
            #expect(document.userActivity == nil)
            #expect(throws: CocoaError.self) { try HandoffDocument(activityType: "edit", in: handoff) }
        }
        for wrong in ["https://example.org/a", "file://host/a", "/home/ann/a.txt", "file:///a%2"] {
            let error = #expect(throws: CocoaError.self) { try DocumentURL(wrong) }
            #expect(error?.handoffReason == .invalidDocument)
        }
        #expect(throws: CocoaError.self) { try DocumentURL(path: "a.txt") }
    }

    private final class Part: UserActivityResponder {
        let userActivityReference = UserActivityReference()

        func updateUserActivityState(_ activity: UserActivity) async {
            activity.addUserInfoEntries(from: ["part": true])
        }
    }

    private final class Replacer: UserActivityDelegate {
        func userActivityWillSave(_ userActivity: UserActivity) async {
            userActivity.userInfo = ["page": 7]
        }
    }
}
