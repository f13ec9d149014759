import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("A continuation ends exactly once, and so does its announcement to an app", .endsWithin(minutes: 10))
struct ContinuationTests {
    /// One continuation as it is seen from outside.
    private struct Trace: Hashable {
        var machine: Continuation
        var open: [Continuation.Action] = []
        var announcements = 0
        var isTaken = false
        /// Deliveries of the activity to the app that got the announcement.
        var deliveries = 0
        /// Deliveries of the activity to another app.
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
            // An app gets the result only after it has received the announcement.
            if announcements > 0, deliveries + failures > 0 { try #require(isTaken) }
            if announcements == 0 { try #require(failures == 0) }
            try #require(deliveries + failures <= 1 && deliveries + otherDeliveries <= 1 && results.count <= 1)
            switch action {
            case .announce, .fetch, .handOver, .openElsewhere: open.append(action)
            case .reportFailure, .finish: break
            }
        }
    }

    private struct State: Hashable {
        var traces: [Trace] = []

        mutating func handle(_ event: Continuation.Event, _ id: Int) throws {
            for action in traces[id].machine.handle(event) { try traces[id].take(action) }
        }

        mutating func begin(_ app: String?) throws {
            for id in traces.indices { try handle(Continuation.superseded, id) }
            var trace = Trace(machine: Continuation(announcedTo: app))
            for action in trace.machine.firstActions { try trace.take(action) }
            traces.append(trace)
        }
    }

    private static func activity(_ webpage: String?) throws -> Activity {
        try Activity(type: ActivityType("org.example.a"), webpageURL: webpage.map { text in try WebpageURL(text) })
    }

    /// All states that one more event can lead to.
    private static func successors(of state: State) throws -> [State] {
        var next: [State] = []
        func add(_ change: (inout State) throws -> Void) throws {
            var copy = state
            try change(&copy)
            next.append(copy)
        }
        if state.traces.count < 3 {
            for app in ["told", nil] { try add { try $0.begin(app) } }
        }
        for (id, trace) in state.traces.enumerated() {
            for (index, action) in trace.open.enumerated() {
                try results(of: action, id) { change in
                    try add { state in
                        state.traces[id].open.remove(at: index)
                        try change(&state)
                    }
                }
            }
        }
        return next
    }

    /// Every outcome that an action can have.
    private static func results(
        of action: Continuation.Action,
        _ id: Int,
        _ end: ((inout State) throws -> Void) throws -> Void
    ) throws {
        let error = HandoffError(.peerUnreachable, "gone")
        switch action {
        case .announce:
            try end { state in
                state.traces[id].isTaken = true
                try state.handle(.announced(.delivered), id)
            }
            try end { try $0.handle(.announced(.unreachable), id) }
        case .fetch:
            for page in [nil, "https://example.org"] {
                for apps in [[], ["told"], ["other"], ["other", "told"], ["told", "other"]] {
                    let activity = try activity(page)
                    try end { try $0.handle(.fetched(activity, for: apps), id) }
                }
            }
            try end { try $0.handle(.failed(error), id) }
        case .handOver:
            let bad: [Continuation.Response] = [
                .declined(), .failed("crashed"), .gaveUp("waited"), .failedLate("late"), .refused(error),
                .withheld(error),
            ]
            for response in [.accepted] + bad {
                try end { try $0.handle(.handedOver(response), id) }
            }
        case .openElsewhere:
            for result in [.success(.browser), .failure(error)] as [Result<Continuation.Outcome, HandoffError>] {
                try end { try $0.handle(.openedElsewhere(result), id) }
            }
        case .reportFailure, .finish: break
        }
    }

    @Test("Continuations end exactly once in every interleaving of two, with all outcomes of every step")
    func exhaustive() throws {
        // The states after as many events, with the number of interleavings that lead to each.
        var states = [State(): 1]
        var ends = 0
        while !states.isEmpty {
            var next: [State: Int] = [:]
            for (state, interleavings) in states {
                if !state.traces.isEmpty, state.traces.allSatisfy(\.open.isEmpty) {
                    ends += interleavings
                    try Self.checkEnd(state)
                }
                for successor in try Self.successors(of: state) where successor.traces.count <= 2 {
                    next[successor, default: 0] += interleavings
                }
            }
            states = next
        }
        #expect(ends > 1000)
        print("continuation: \(ends) interleavings of two")
    }

    /// Checks what each continuation has come to when nothing is in progress.
    private static func checkEnd(_ state: State) throws {
        for trace in state.traces {
            try #require(trace.machine.isOver)
            try #require(trace.results.count == 1)
            if trace.isTaken { try #require(trace.deliveries + trace.failures == 1) }
            if trace.announcements > 0, !trace.isTaken { try #require(trace.deliveries + trace.failures == 0) }
        }
    }

    @Test("A second continuation reports UserCancelled to the app of the first, but not before its announcement")
    func superseded() throws {
        var machine = Continuation(announcedTo: "told")
        #expect(machine.handle(Continuation.superseded).isEmpty)
        let actions = machine.handle(.announced(.delivered))
        guard case .reportFailure(let error) = actions.first else {
            Issue.record("the actions are \(actions)")
            return
        }
        #expect(error.code == .userCancelled)
        #expect(actions.count == 2)
    }

    @Test("A second continuation does not take back an activity that an app has received")
    func handedOverStays() throws {
        var machine = Continuation()
        let activity = try Self.activity(nil)
        #expect(machine.handle(.fetched(activity, for: ["a"])) == [.handOver(activity, to: "a")])
        #expect(machine.handle(Continuation.superseded).isEmpty)
        #expect(machine.handle(.handedOver(.accepted)) == [.finish(.success(.app("a")))])
    }

    @Test("If the app declines, the browser opens the web page; without one, the user gets an error")
    func declined() throws {
        for page in [nil, "https://example.org"] {
            var machine = Continuation()
            let activity = try Self.activity(page)
            _ = machine.handle(.fetched(activity, for: ["a"]))
            let actions = machine.handle(.handedOver(.declined()))
            if page != nil {
                #expect(actions == [.openElsewhere(activity, declinedBy: "a")])
            } else {
                guard case .finish(.failure(let error)) = actions.first else {
                    Issue.record("\(actions)")
                    return
                }
                #expect(error.code == .notContinuable)
            }
        }
    }

    @Test("If the announced app may not have the activity, it gets an error, and another claimant the activity")
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

    @Test(
        "If another app precedes the announced one for the title, it gets the activity, and the announced one an error"
    )
    func titled() throws {
        var machine = Continuation(announcedTo: "told")
        _ = machine.handle(.announced(.delivered))
        let activity = try Self.activity(nil)
        let actions = machine.handle(.fetched(activity, for: ["titled", "told"]))
        guard actions.count == 2, case .reportFailure(let error) = actions[0] else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .notContinuable)
        #expect(actions[1] == .handOver(activity, to: "titled"))
    }

    @Test(
        "A document that may start a program is opened by no app: the user gets the error, unless there is a web page"
    )
    func program() throws {
        let error = HandoffError(.documentIsProgram, "The document may start a program.")
        for page in [nil, "https://example.org"] {
            var machine = Continuation()
            let activity = try Self.activity(page)
            _ = machine.handle(.fetched(activity, for: ["a"]))
            let actions = machine.handle(.handedOver(.withheld(error)))
            #expect(actions == (page == nil ? [.finish(.failure(error))] : [.openElsewhere(activity, declinedBy: nil)]))
        }
    }

    @Test("What an app has not told in time is opened nowhere else, whatever the activity has")
    func gaveUp() throws {
        for page in [nil, "https://example.org"] {
            var machine = Continuation()
            _ = machine.handle(.fetched(try Self.activity(page), for: ["a"]))
            let actions = machine.handle(.handedOver(.gaveUp("It did not arrive.")))
            guard case .finish(.failure(let error)) = actions.first else {
                Issue.record("\(actions)")
                continue
            }
            #expect(actions.count == 1 && error.code == .appFailed && error.message.contains("It did not arrive."))
        }
    }

    @Test("In the place of an app that has run for a while and fails, the web page is opened, and no document")
    func failedLate() throws {
        let document: [String: UserInfoValue] = [Activity.documentURLKey: .url("file:///home/a/b.txt")]
        for (page, info) in [("https://example.org", [:]), ("https://example.org", document), (nil, document)] {
            let activity = try Self.activity(page).with { $0.userInfo = info }
            var machine = Continuation()
            _ = machine.handle(.fetched(activity, for: ["a", "b"]))
            let actions = machine.handle(.handedOver(.failedLate("a ended with the status 2.")))
            switch actions.first {
            case .openElsewhere(let left, let app):
                #expect(page != nil && left.webpageURL == activity.webpageURL && left.documentURL == nil && app == "a")
                #expect(machine.fallback == .browser)
            case .finish(.failure(let error)):
                #expect(page == nil && error.code == .appFailed && error.message.contains("the status 2"))
            default: Issue.record("\(actions)")
            }
            #expect(actions.count == 1)
        }
    }

    @Test("What an app has refused for good is opened nowhere else, whatever the activity has")
    func refused() throws {
        let error = HandoffError(.notContinuable, "It is no document.")
        let document: UserInfoValue = .url("file:///home/a/b.txt")
        for page in [nil, try WebpageURL("https://example.org")] {
            let activity = try Activity(
                type: ActivityType("org.example.a"),
                webpageURL: page,
                userInfo: [Activity.documentURLKey: document]
            )
            var machine = Continuation()
            _ = machine.handle(.fetched(activity, for: ["a"]))
            #expect(machine.handle(.handedOver(.refused(error))) == [.finish(.failure(error))])
        }
    }

    @Test("An app that cannot be started is skipped for the next one, and gets no message")
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

    @Test("If the only app cannot be started, the user learns that, unless there is a web page")
    func absentAppAlone() throws {
        for page in [nil, "https://example.org"] {
            var machine = Continuation(announcedTo: "absent")
            _ = machine.handle(.announced(.unreachable))
            let activity = try Self.activity(page)
            let actions = machine.handle(.fetched(activity, for: ["absent"]))
            if page == nil, case .finish(.failure(let error)) = actions.first {
                #expect(error.code == .appFailed && error.message.contains("absent"))
            } else {
                #expect(actions == [.openElsewhere(activity, declinedBy: nil)])
            }
        }
    }

    @Test("A document that no app accepts is opened without one")
    func document() throws {
        let url = UserInfoValue.url("file:///home/a/b.txt")
        let activity = try Activity(
            type: ActivityType("org.example.a"),
            userInfo: [Activity.documentURLKey: url]
        )
        for apps in [[], ["a"]] {
            var machine = Continuation()
            var actions = machine.handle(.fetched(activity, for: apps))
            if !apps.isEmpty { actions = machine.handle(.handedOver(.declined())) }
            // The app that has declined the activity may open its document nevertheless.
            #expect(actions == [.openElsewhere(activity, declinedBy: apps.first)])
            #expect(machine.handle(.openedElsewhere(.success(.document("b")))) == [.finish(.success(.document("b")))])
        }
    }
}
