import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@testable import HandoffKit

@Suite("The calls to a daemon about an activity depend on the daemon's state", .endsWithin(minutes: 10))
struct PublicationTests {
    private static let path: ObjectPath = "/org/handoffd/Handoff1/Activity/1"

    private func publication() throws -> Publication {
        Publication(type: try ActivityType("org.example.edit"), draft: ActivityDraft())
    }

    @Test("An activity is not sent before it is current, then as a whole, and then it is made current")
    func beginning() throws {
        var publication = try publication()
        publication.draft.properties.title = "T"
        #expect(publication.steps() == [])
        publication.turn = 1
        #expect(publication.steps() == [.create(publication.type, publication.draft)])
        #expect(publication.steps() == [])
        publication.created(at: Self.path)
        #expect(publication.steps() == [.describe(Self.path), .becomeCurrent(Self.path)])
        #expect(publication.steps() == [])
    }

    @Test("An activity that is kept is sent before it is current")
    func kept() throws {
        var publication = try publication()
        publication.isKept = true
        #expect(publication.steps() == [.create(publication.type, publication.draft)])
        publication.created(at: Self.path)
        #expect(publication.steps() == [.describe(Self.path)])
    }

    @Test("A change during the creation is sent once the activity has been created")
    func changesMeanwhile() throws {
        var publication = try publication()
        publication.turn = 1
        _ = publication.steps()
        publication.draft.properties.title = "T"
        publication.turn = nil
        #expect(publication.steps() == [])
        publication.created(at: Self.path)
        #expect(publication.steps() == [.describe(Self.path), .set(Self.path, .title, .string("T"))])
    }

    @Test("A daemon that comes back receives the whole activity again")
    func forgetting() throws {
        var publication = try known()
        publication.draft.properties.title = "T"
        _ = publication.steps()
        publication.forget()
        #expect(publication.steps() == [.create(publication.type, publication.draft)])
    }

    @Test("A creation that was refused is not requested again until the activity has changed")
    func refused() throws {
        var publication = try publication()
        publication.turn = 1
        _ = publication.steps()
        publication.notCreated(isFinal: true)
        #expect(publication.steps() == [])
        publication.draft.properties.title = "T"
        #expect(publication.steps() == [.create(publication.type, publication.draft)])
    }

    @Test("The published state does not change during a save, and NeedsSave is cleared on both sides")
    func saving() throws {
        var publication = try known()
        publication.draft.needsSave = true
        #expect(publication.steps() == [.set(Self.path, .needsSave, .boolean(true))])
        publication.beginSaving()
        publication.draft.properties.userInfo = [:]
        publication.draft.properties.title = "T"
        #expect(publication.steps() == [])
        publication.draft.properties.userInfo = ["a": .null]
        publication.endSaving()
        let steps = publication.steps()
        #expect(steps.count == 2)
        #expect(steps.contains(.set(Self.path, .title, .string("T"))))
        #expect(!publication.draft.needsSave)
        publication.draft.needsSave = true
        #expect(publication.steps() == [.set(Self.path, .needsSave, .boolean(true))])
    }

    @Test("An activity that ends during its creation is invalidated once it has been created")
    func endingEarly() throws {
        var publication = try publication()
        publication.turn = 1
        _ = publication.steps()
        publication.invalidate()
        #expect(publication.steps() == [])
        #expect(!publication.isGone)
        publication.created(at: Self.path)
        #expect(publication.steps() == [.invalidate(Self.path)])
        #expect(publication.isGone)
    }

    @Test("After any history, the daemon has the state that the app has set", arguments: 0..<200 as Range<UInt64>)
    func anyHistory(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var publication = try publication()
        var daemon: ActivityDraft?
        var current = false
        var pending: ActivityDraft?
        func perform(_ steps: [Publication.Step]) throws {
            for step in steps {
                switch step {
                case .create(_, let draft): pending = draft
                case .describe, .measure: break
                case .start: Issue.record("a publication does not start daemons")
                case .set(_, let key, let value): try daemon?.set(key, to: value)
                case .becomeCurrent: current = true
                case .resignCurrent: current = false
                case .invalidate: daemon = nil
                }
            }
        }
        func answer() throws {
            guard let asked = pending else { return }
            (daemon, pending, current) = (asked, nil, false)
            publication.created(at: Self.path)
            try perform(publication.steps())
        }
        for round in 0..<40 {
            switch random.next() % 6 {
            case 0: publication.draft.properties.title = "\(round)"
            case 1: publication.draft.properties.userInfo["\(round % 3)"] = .integer(Int64(round))
            case 2: publication.turn = UInt64(round)
            case 3: publication.turn = nil
            case 4: try answer()
            default:
                guard random.next() % 4 == 0 else { break }
                publication.forget()
                (daemon, pending, current) = (nil, nil, false)
            }
            try perform(publication.steps())
        }
        try answer()
        #expect(daemon == nil || daemon == publication.draft)
        #expect(current == (publication.turn != nil))
    }

    private func known() throws -> Publication {
        var publication = try publication()
        publication.turn = 1
        _ = publication.steps()
        publication.created(at: Self.path)
        _ = publication.steps()
        return publication
    }
}

/// A generator whose numbers follow from its seed (SplitMix64, by Sebastiano Vigna, in the public domain).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
