package import DBus
package import HandoffBus

/// What the window knows and does: events in, actions out, without a clock, a bus or a toolkit.
///
/// `WindowModel.view` is what the window shows of it.
package struct WindowModel: Sendable {
    /// Whether there is a daemon.
    package enum Daemon: Sendable {
        case connecting
        /// There is none; why, if that is known.
        case absent(String?)
        /// There is no bus on which it could be; why.
        case unreachable(String)
        case running(DaemonState)
    }

    /// What the person is asked in a window of its own.
    package enum Question: Hashable, Sendable {
        case removal(device: String, RemovalConsequences)
        /// Whether a device that only a person can decide about is removed.
        case drop(device: String)
        case name(device: String)
        case rule(kind: String)
        /// Whether a document may be opened that may start a program.
        case program(ObjectPath, message: String)
    }

    /// What is known of the title of an activity.
    package enum Title: Hashable, Sendable {
        case fetching
        case none
        case known(String)
    }

    package internal(set) var daemon = Daemon.connecting
    package internal(set) var page = PageName.nearby
    package internal(set) var pairing = PairingProgress()
    package internal(set) var question: Question?
    /// The number of the last question; no two have the same.
    package internal(set) var questionNumber: UInt64 = 0
    package internal(set) var examination = Examination.none
    /// The activities that this window is continuing, and the last step of each.
    package internal(set) var continuing: [ObjectPath: NearbyActivityEvent.Step] = [:]
    package internal(set) var titles: [ObjectPath: Title] = [:]
    /// The activities nearby in the order of their rows: nearest first when they appear, and then where they are.
    ///
    /// A row that moves may come under the hand of a person who presses another one.
    var order: [ObjectPath] = []
    /// Microseconds since 1970.
    package internal(set) var now: UInt64 = 0
    /// The page to be shown now; nil for the one that is.
    package internal(set) var shows: PageName?
    package internal(set) var isClosed = false
    var isFocused = false

    package init() {}

    /// The daemon's state; nil while it is absent.
    package var state: DaemonState? {
        if case .running(let state) = daemon { state } else { nil }
    }

    /// The activities nearby in the order of their rows.
    func nearby(in state: DaemonState) -> [NearbyActivityDescription] {
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        return state.objects.nearby.sorted { places[$0.path, default: 0] < places[$1.path, default: 0] }
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: what has happened.
    ///   - now: the time, in microseconds since 1970.
    /// - Returns: what has to be done, in this order.
    package mutating func handle(_ event: WindowEvent, at now: UInt64) -> [WindowAction] {
        self.now = now
        shows = nil
        let actions: [WindowAction] =
            switch event {
            case .user(let event): handle(event)
            case .daemon(let event): handle(event)
            case .minutePassed: state == nil ? [] : [.refresh]
            }
        return actions + previews()
    }

    /// Fetches the titles that are missing, one at a time, while the person looks at the list.
    ///
    /// A fetch opens a channel to the other device, which nothing but a person's act may cause: looking is one, and
    /// each activity is fetched once.
    private mutating func previews() -> [WindowAction] {
        guard isFocused, page == .nearby, !isClosed, pairing.isOver, let state,
            !titles.values.contains(.fetching), continuing.isEmpty,
            let next = nearby(in: state).first(where: { titles[$0.path] == nil && $0.opensWith != "none" })
        else { return [] }
        titles[next.path] = .fetching
        return [.preview(next.path)]
    }
}
