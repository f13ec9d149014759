import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("A continuation ends exactly once, and so does what was announced to an app", .endsWithin(minutes: 10))
struct ContinuationTests {
    /// One continuation as the outside sees it.
    private struct Life {
        var machine: Continuation
        var open: [Continuation.Action] = []
        var announcements = 0
        var isTaken = false
        /// Of the activity to the app that was told.
        var deliveries = 0
        /// Of the activity to another app.
        var otherDeliveries = 0
        var failures = 0
        var results: [Result<Continuation.Outcome, HandoffError>] = []

        mutating func take(_ action: Continuation.Action) throws {
            switch action {
            case .announce: announcements += 1
            case .handOver(_, to: "told"): deliveries += 1
            case .handOver: otherDeliveries += 1
            case .reportFailure: failures += 1
            case .finish(let result): results.append(result)
            case .fetch, .openElsewhere: break
            }
            // What an app is told comes after it has taken in the announcement.
            if announcements > 0, deliveries + failures > 0 { try #require(isTaken) }
            if announcements == 0 { try #require(failures == 0) }
            try #require(deliveries + failures <= 1 && deliveries + otherDeliveries <= 1 && results.count <= 1)
            switch action {
            case .announce, .fetch, .handOver, .openElsewhere: open.append(action)
            case .reportFailure, .finish: break
            }
        }
    }

    private struct World {
        var lives: [Life] = []

        mutating func handle(_ event: Continuation.Event, _ id: Int) throws {
            for action in lives[id].machine.handle(event) { try lives[id].take(action) }
        }

        mutating func begin(_ app: String?) throws {
            for id in lives.indices { try handle(Continuation.superseded, id) }
            var life = Life(machine: Continuation(announcedTo: app))
            for action in life.machine.firstActions { try life.take(action) }
            lives.append(life)
        }
    }

    private static func activity(_ webpage: String?) throws -> Activity {
        try Activity(type: ActivityType("org.example.a"), webpageURL: webpage.map { text in try WebpageURL(text) })
    }

    /// All worlds that one more event can make of this one.
    private static func successors(of world: World) throws -> [World] {
        var next: [World] = []
        func add(_ change: (inout World) throws -> Void) throws {
            var copy = world
            try change(&copy)
            next.append(copy)
        }
        if world.lives.count < 3 {
            for app in ["told", nil] { try add { try $0.begin(app) } }
        }
        for (id, life) in world.lives.enumerated() {
            for (index, action) in life.open.enumerated() {
                try results(of: action, id) { change in
                    try add { world in
                        world.lives[id].open.remove(at: index)
                        try change(&world)
                    }
                }
            }
        }
        return next
    }

    /// Every way in which an action can end.
    private static func results(
        of action: Continuation.Action,
        _ id: Int,
        _ end: ((inout World) throws -> Void) throws -> Void
    ) throws {
        let error = HandoffError(.peerUnreachable, "gone")
        switch action {
        case .announce:
            try end { world in
                world.lives[id].isTaken = true
                try world.handle(.announced(.delivered), id)
            }
            try end { try $0.handle(.announced(.unreachable), id) }
        case .fetch:
            for page in [nil, "https://example.org"] {
                for apps in [[], ["told"], ["other"], ["other", "told"]] {
                    let activity = try activity(page)
                    try end { try $0.handle(.fetched(activity, for: apps), id) }
                }
            }
            try end { try $0.handle(.failed(error), id) }
        case .handOver:
            for response in [Continuation.Response.accepted, .declined, .failed("crashed")] {
                try end { try $0.handle(.handedOver(response), id) }
            }
        case .openElsewhere:
            for result in [.success(.browser), .failure(error)] as [Result<Continuation.Outcome, HandoffError>] {
                try end { try $0.handle(.openedElsewhere(result), id) }
            }
        case .reportFailure, .finish: break
        }
    }

    @Test("in every interleaving of two continuations and all outcomes of every step")
    func exhaustive() throws {
        var (worlds, ends) = ([World()], 0)
        while let world = worlds.popLast() {
            if !world.lives.isEmpty, world.lives.allSatisfy(\.open.isEmpty) {
                ends += 1
                for life in world.lives {
                    try #require(life.machine.isOver)
                    try #require(life.results.count == 1)
                    if life.isTaken { try #require(life.deliveries + life.failures == 1) }
                    if life.announcements > 0, !life.isTaken { try #require(life.deliveries + life.failures == 0) }
                }
            }
            guard world.lives.count <= 2 else { continue }
            worlds += try Self.successors(of: world).filter { $0.lives.count <= 2 }
        }
        #expect(ends > 1000)
    }

    @Test("a second continuation gives the app of the first UserCancelled, and not before it was told")
    func superseded() throws {
        var machine = Continuation(announcedTo: "told")
        #expect(machine.handle(Continuation.superseded).isEmpty)
        let actions = machine.handle(.announced(.delivered))
        guard case .reportFailure(let error) = actions.first else {
            Issue.record("the app is told \(actions)")
            return
        }
        #expect(error.code == .userCancelled)
        #expect(actions.count == 2)
    }

    @Test("what the app has been given is not taken back by a second continuation")
    func handedOverStays() throws {
        var machine = Continuation()
        let activity = try Self.activity(nil)
        #expect(machine.handle(.fetched(activity, for: ["a"])) == [.handOver(activity, to: "a")])
        #expect(machine.handle(Continuation.superseded).isEmpty)
        #expect(machine.handle(.handedOver(.accepted)) == [.finish(.success(.app("a")))])
    }

    @Test("an app that declines leaves the web page to the browser; without one, the person is told")
    func declined() throws {
        for page in [nil, "https://example.org"] {
            var machine = Continuation()
            let activity = try Self.activity(page)
            _ = machine.handle(.fetched(activity, for: ["a"]))
            let actions = machine.handle(.handedOver(.declined))
            if page != nil {
                #expect(actions == [.openElsewhere(activity)])
            } else {
                guard case .finish(.failure(let error)) = actions.first else {
                    Issue.record("\(actions)")
                    return
                }
                #expect(error.code == .notContinuable)
            }
        }
    }

    @Test("where the app that was told may not have it, it gets the error, and another claimant the activity")
    func otherApp() throws {
        var machine = Continuation(announcedTo: "told")
        _ = machine.handle(.announced(.delivered))
        let activity = try Self.activity("https://example.org")
        let actions = machine.handle(.fetched(activity, for: ["other", "third"]))
        guard actions.count == 2, case .reportFailure(let error) = actions[0] else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .notContinuable)
        #expect(actions[1] == .handOver(activity, to: "other"))
        #expect(machine.handle(.handedOver(.accepted)) == [.finish(.success(.app("other")))])
    }

    @Test("an app that cannot be started is left out for the next one, and hears nothing")
    func absentApp() throws {
        for isFetchedFirst in [true, false] {
            var machine = Continuation(announcedTo: "absent")
            let activity = try Self.activity(nil)
            var actions: [Continuation.Action] = []
            if isFetchedFirst { actions += machine.handle(.fetched(activity, for: ["absent", "other"])) }
            actions += machine.handle(.announced(.unreachable))
            if !isFetchedFirst { actions += machine.handle(.fetched(activity, for: ["absent", "other"])) }
            #expect(actions == [.handOver(activity, to: "other")])
        }
    }

    @Test("a document that no app takes is opened without one")
    func document() throws {
        let url = UserInfoValue.url("file:///home/a/b.txt")
        let activity = try Activity(
            type: ActivityType("org.example.a"),
            userInfo: [Activity.documentURLKey: url]
        )
        for apps in [[], ["a"]] {
            var machine = Continuation()
            var actions = machine.handle(.fetched(activity, for: apps))
            if !apps.isEmpty { actions = machine.handle(.handedOver(.declined)) }
            #expect(actions == [.openElsewhere(activity)])
            #expect(machine.handle(.openedElsewhere(.success(.document("b")))) == [.finish(.success(.document("b")))])
        }
    }
}
