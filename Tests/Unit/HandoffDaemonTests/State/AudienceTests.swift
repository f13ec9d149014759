import DBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("What apps learn of files outside their sandbox", .endsWithin(minutes: 10))
struct AudienceTests {
    private static func message(_ code: HandoffError.Code, _ audience: Audience) -> HandoffError? {
        do throws(HandoffError) {
            try audience.checkingDocuments { () throws(HandoffError) in throw HandoffError(code, "/home/anna/\(code)") }
            return nil
        } catch {
            return error
        }
    }

    @Test("A missing file and one in no folder are one error for apps, and the user's programs learn which it is")
    func errors() {
        let apps = [.documentMissing, .documentNotShared].map { Self.message($0, .apps) }
        #expect(apps[0] == apps[1] && apps[0]?.code == .documentNotShared)
        #expect(apps[0]?.message.contains("/home") == false)
        #expect(Self.message(.documentMissing, .programs)?.message.hasPrefix("/home/anna") == true)
        #expect(Self.message(.invalidDocument, .apps)?.code == .invalidDocument)
    }

    @Test("The problem of a document is one sentence for apps, which names the file as they did and no folder")
    func problems() throws {
        var origin = Origin(streamTokenKey: .generate())
        let activity = try Activity(type: ActivityType("org.example.edit")).with {
            $0.userInfo = [Activity.documentURLKey: .url("file:///home/anna/a%20b")]
        }
        let id = try origin.create(activity, owner: ":1.1", isEligible: true).id
        func problem(_ text: String?, for audience: Audience) throws -> String? {
            origin.setDocumentProblem(text, of: id, at: .now)
            return audience.documentProblem(of: try origin.activity(id))
        }
        let texts = ["/home/anna/a b does not exist", "/home/anna/a b is in none of: docs (/home/docs)"]
        let asApp = try texts.map { try #require(try problem($0, for: .apps)) }
        #expect(asApp[0] == asApp[1] && asApp[0].hasPrefix("/home/anna/a b does not exist, or"))
        #expect(!asApp[0].contains("docs"))
        #expect(try texts.map { try problem($0, for: .programs) } == texts)
        #expect(try problem(nil, for: .apps) == nil)
    }
}
