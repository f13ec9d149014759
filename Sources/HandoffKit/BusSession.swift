import AsyncSupport
import DBus
import FoundationEssentials
import HandoffBus

/// The app's connection to the bus, re-established when it is lost.
struct BusSession: Sendable {

    let handoff: Handoff
    let bus: BusAddress
    /// The app's bus name and object; nil for an app that continues no activities.
    let application: ApplicationCalls?

    /// Serves until the task is cancelled.
    func run() async {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            do {
                try await Connection.withConnection(to: bus) { try await serve(over: $0) }
            } catch {
                guard !Task.isCancelled else { return }
                handoff.note(unavailable: CocoaError(any: error))
            }
            if ContinuousClock.now - begin > backoff.longest { backoff.reset() }
            try? await backoff.wait()
        }
    }

    private func serve(over connection: Connection) async throws {
        connection.objects.insert([.activityDelegate(DelegateObject(handoff: handoff))], at: Publisher.delegatePath)
        if let application {
            let desktop = Interface.desktopApplication(DesktopApplicationObject(handoff: handoff))
            connection.objects.insert(
                [.application(ApplicationObject(handoff: handoff)), desktop],
                at: application.path
            )
        }
        let answers = handoff.publisher.attach(connection)
        defer { handoff.publisher.detach() }
        try await withApplicationName(on: connection) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await answer in answers { report(handoff.publisher.receive(answer), to: answer.step) }
                }
                group.addTask { try await followActivities(over: connection) }
                try await group.waitForAll()
            }
        }
    }

    /// Owns the app's name on the bus while `body` runs, so that the daemon can call it.
    private func withApplicationName(on connection: Connection, _ body: @escaping @Sendable () async throws -> Void)
        async throws
    {
        guard let name = application?.application else { return try await body() }
        do {
            try await connection.withName(name, body)
        } catch let error as DBusError where error.code == .nameTaken {
            // The other instance continues activities until it ends; this one can still publish its own.
            let error = CocoaError(error)
            handoff.perform { await handoff.delegate?.application(handoff, isUnavailable: error) }
            try await withBackgroundTasks([{ try await takeOver(name, on: connection) }], body: body)
        }
    }

    /// Owns the app's name from when the other instance has ended.
    private func takeOver(_ name: BusName, on connection: Connection) async throws {
        while true {
            try await connection.withOwner(of: name) { owners in
                for await owner in owners where owner == nil { return }
                throw CancellationError()
            }
            do {
                try await connection.withName(name) { () async throws -> Void in try await untilCancelled() }
            } catch let error as DBusError where error.code == .nameTaken {
                // A third instance was faster.
                continue
            }
        }
    }

    /// Follows what the daemon reports about activities, from before the first one is published.
    private func followActivities(over connection: Connection) async throws {
        let changes = MatchRule(
            sender: HandoffName.bus,
            pathNamespace: HandoffName.activities,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            arg0: HandoffName.activityInterface.description
        )
        try await connection.withSignals(changes) { signals in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await signal in signals {
                        let properties = signal.arguments.dropFirst().first?.stringDictionary ?? [:]
                        report(handoff.publisher.objectChanged(signal.path, properties))
                    }
                }
                group.addTask { try await followDaemon(over: connection) }
                try await group.waitForAll()
            }
        }
    }

    /// Publishes all activities again to each new daemon.
    ///
    /// No `DaemonFollower`: that one reads the interfaces for the user's own programs, which an app in a sandbox does not
    /// reach, and tells of a daemon once it has answered. An app publishes to one that has just come.
    private func followDaemon(over connection: Connection) async throws {
        try await connection.withOwner(of: HandoffName.bus) { owners in
            var last: BusName??
            for await owner in owners where owner != last {
                // If no daemon is running at first, publishing starts one; a daemon that was stopped later is not
                // restarted here.
                if owner != nil || last == nil {
                    handoff.publisher.daemonAppeared(owner)
                    handoff.refreshDocuments()
                } else {
                    handoff.publisher.daemonDisappeared()
                }
                last = owner
                handoff.note(unavailable: owner == nil ? CocoaError(.noDaemon, "handoffd is not running.") : nil)
            }
        }
    }

    /// Tells the app or its developer what the daemon has answered or reported.
    private func report(_ notice: Publisher.Notice?, to step: Publication.Step? = nil) {
        switch notice {
        case nil: break
        case .largeActivity(let activity, let size): activity.warn(ofSize: size)
        case .failure(let activity, let error):
            let failure =
                step == .start
                ? CocoaError(.noDaemon, "handoffd could not be started: \(error.message)") : CocoaError(error)
            guard failure.handoffReason != .noDaemon else { return handoff.note(unavailable: failure) }
            guard let activity else { return }
            activity.note(failure)
            handoff.perform { await activity.reportRefusal(failure) }
        }
    }
}
