import DBus
import Epoll
public import FoundationEssentials
import HandoffApps
import HandoffBus
import HandoffModel
import Synchronization

/// The connection of an app to Handoff, which exists while a closure runs.
///
/// ```swift
/// try await Handoff.run(application: "org.example.Editor", delegate: editor) { handoff in
///     let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
///     activity.becomeCurrent()
///     try await editor.run()
/// }
/// ```
public final class Handoff: Sendable {
    let publisher = Publisher()
    let delegate: (any HandoffApplicationDelegate)?
    let reactor: Reactor
    /// The id of the app's desktop file; nil if it has none.
    let application: String?
    /// The team that the app's desktop file declares; nil if it declares none.
    let teamID: String?
    let diagnostics: Diagnostics

    /// Calls of the delegates; they run concurrently.
    private let work: AsyncStream<@Sendable () async -> Void>
    private let newWork: AsyncStream<@Sendable () async -> Void>.Continuation
    private let availability = Mutex(Availability.unknown)
    /// The documents that are open.
    private let documents = Mutex(OpenDocuments())

    private struct OpenDocuments {
        var all: [HandoffDocument.ID: WeakDocument] = [:]
        var lastID: HandoffDocument.ID = 0
    }

    private struct WeakDocument {
        weak var document: HandoffDocument?
    }

    /// Whether Handoff is available.
    private enum Availability {
        case unknown
        case available
        case unavailable(CocoaError)
    }

    private init(
        application: String?,
        delegate: (any HandoffApplicationDelegate)?,
        reactor: Reactor,
        diagnostics: Diagnostics
    ) {
        self.application = application
        self.delegate = delegate
        self.reactor = reactor
        self.diagnostics = diagnostics
        let directories = AppDirectories(environment: ProcessInfo.processInfo.environment)
        teamID = application.flatMap { AppScan.teamID(ofApp: $0, in: directories) }
        (work, newWork) = AsyncStream.makeStream()
    }

    /// Connects the app to Handoff while `body` runs.
    ///
    /// `body` starts at once, whether or not handoffd is running: current activities are published as soon as it runs,
    /// and again after each restart of it. When this method returns, all activities of the app have ended, and all
    /// calls of its delegates have been cancelled and awaited.
    ///
    /// - Parameters:
    ///   - application: the id of the app's desktop file without `.desktop`, such as `org.example.Editor`, under which
    ///     it continues activities of other devices; nil for an app that only publishes activities. The team that the
    ///     file declares (`X-Handoff-TeamID`) is that of the app's activities.
    ///   - delegate: the object that continues activities of other devices.
    ///   - bus: the address of the bus to use instead of the session bus, such as `unix:path=/run/user/1000/bus`.
    ///   - body: the work of the app; it runs on the caller's actor.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; before `body` runs, `CocoaError` if `application` is not a valid bus name, or if
    ///   the system allows no more threads or file descriptors.
    public nonisolated(nonsending) static func run<Success>(
        application: String? = nil,
        delegate: (any HandoffApplicationDelegate)? = nil,
        bus: String? = nil,
        _ body: nonisolated(nonsending) (Handoff) async throws -> Success
    ) async throws -> Success {
        try await run(
            application: application,
            delegate: delegate,
            bus: bus,
            diagnostics: .standardError,
            body
        )
    }

    /// The same with another place for the messages to the developer.
    nonisolated(nonsending) static func run<Success>(
        application: String? = nil,
        delegate: (any HandoffApplicationDelegate)? = nil,
        bus: String? = nil,
        diagnostics: Diagnostics,
        _ body: nonisolated(nonsending) (Handoff) async throws -> Success
    ) async throws -> Success {
        let calls: ApplicationCalls?
        do { calls = try application.map { id throws(DBusError) in try ApplicationCalls(id: id) } } catch {
            throw CocoaError(error)
        }
        var hasBegun = false
        do {
            return try await Reactor.withReactor { reactor in
                hasBegun = true
                let handoff = Handoff(
                    application: application,
                    delegate: delegate,
                    reactor: reactor,
                    diagnostics: diagnostics
                )
                let session = BusSession(
                    handoff: handoff,
                    bus: bus.map(BusAddress.init(argument:)) ?? .session,
                    application: calls
                )
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await session.run() }
                    group.addTask { await handoff.work() }
                    defer {
                        handoff.publisher.endAll()
                        group.cancelAll()
                    }
                    return try await body(handoff)
                }
            }
        } catch {
            guard !hasBegun else { throw error }
            let reason = HandoffReason(rawValue: "Failed")
            throw CocoaError(reason, "The system allows no more threads or file descriptors (\(error)).")
        }
    }

    /// Why Handoff is unavailable at the moment; nil when it is available.
    public var unavailability: CocoaError? {
        switch availability.withLock({ $0 }) {
        case .unknown: CocoaError(.noDaemon, "The connection to handoffd is not established yet.")
        case .available: nil
        case .unavailable(let error): error
        }
    }

    /// Runs `action` in a task of its own, which is cancelled when ``run(application:delegate:bus:_:)`` ends.
    func perform(_ action: @escaping @Sendable () async -> Void) {
        newWork.yield(action)
    }

    /// Records whether Handoff is available, and notifies the delegate of a change.
    func note(unavailable error: CocoaError?) {
        let isNew = availability.withLock { availability in
            defer { availability = error.map(Availability.unavailable) ?? .available }
            switch availability {
            case .unknown: return true
            case .available: return error != nil
            case .unavailable(let last): return last.handoffReason != error?.handoffReason
            }
        }
        guard isNew else { return }
        perform { await self.delegate?.application(self, isUnavailable: error) }
    }

    /// What the streams of this app need.
    var streamSupport: StreamConnection.Support {
        StreamConnection.Support(reactor: reactor) { [publisher] stream in
            guard let connection = publisher.connection else {
                throw CocoaError(.noDaemon, "There is no connection to the bus.")
            }
            return try await HandoffClient(connection: connection).confirmStream(stream, at: HandoffName.bus)
        } perform: { [weak self] action in
            self?.perform(action)
        }
    }

    /// Adds a document, which looks for its activity again whenever a daemon has started.
    func insert(_ document: HandoffDocument) -> HandoffDocument.ID {
        documents.withLock { documents in
            documents.lastID = documents.lastID.next
            documents.all[documents.lastID] = WeakDocument(document: document)
            return documents.lastID
        }
    }

    /// Removes a document that is being deallocated.
    func removeDocument(_ id: HandoffDocument.ID) {
        documents.withLock { $0.all[id] = nil }
    }

    /// Looks for the activities of all documents with a new daemon.
    func refreshDocuments() {
        // Loaded outside of the lock: the last reference to a document may be released here.
        let open = documents.withLock { Array($0.all.values) }.compactMap(\.document)
        for document in open { document.refresh() }
    }

    /// Tells the user that an activity does not come, because the app does not: on the desktop, otherwise on standard
    /// error.
    func show(_ failure: CocoaError) async {
        guard failure.handoffReason != .userCancelled, !failure.isShownToUser else { return }
        let notification = FailureNotification(
            application: application ?? ProcessInfo.processInfo.processName,
            message: failure.handoffMessage
        )
        do {
            guard let connection = publisher.connection else { throw DBusError(.disconnected, "There is no bus.") }
            try await notification.show(over: connection)
        } catch {
            diagnostics.write("Could not continue: \(failure.handoffMessage)")
        }
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            for await action in work { group.addTask { await action() } }
            group.cancelAll()
        }
    }
}
