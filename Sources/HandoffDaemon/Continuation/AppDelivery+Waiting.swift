import AsyncSupport
import Epoll
import HandoffCore
import Logging
import SystemPackage

/// Programs that may wait for something before they go on with an activity.
extension AppDelivery {
    /// How long such a program may wait: a little less than the time for which its origin can be told what became of it
    /// (`TakeReports.lifetime`).
    private static let waitLimit = TakeReports.lifetime - .seconds(60)

    /// What a program has shown of whether it goes on.
    private enum Sign: Sendable {
        case closedInput
        case ended(Int32)
    }

    /// Starts a program, which goes on with the activity once it has closed its standard input, if it does not end with
    /// an error right after that, or when it ends with the status 0.
    ///
    /// - Throws: as `AppTracker.launch(_:over:)`.
    func launchWaiting(_ program: LaunchedProgram) async throws -> Continuation.Response {
        do {
            return try await ClosableInput.withFile(of: program.input, in: apps.inputDirectory) { input in
                var program = program
                program.inputPath = input.path
                let running = try await apps.launch(program, over: connection)
                input.remove()
                return try await response(of: program.command[0], running, input.watch)
            }
        } catch let error as ClosableInput.Failure {
            apps.logger.notice(
                "cannot tell when an app closes its input, so it counts as continuing after a while: \(error.error)",
                metadata: ["event": "app.unwatched", "app": "\(program.name)"]
            )
            return try await launchBriefly(program, knowsHandoff: true)
        }
    }

    private func response(
        of program: String,
        _ running: RunningProgram,
        _ input: ReaderWatch
    ) async throws -> Continuation.Response {
        let closing = Promise<Void>()
        return try await race {
            try await input.closed()
            closing.fulfil(())
            try await untilCancelled()
        } _: {
            try await Self.response(of: program, running, closing, within: Self.waitLimit)
        }
    }

    /// Waits for what a program tells, and ends one that does not tell in time.
    static func response(
        of program: String,
        _ running: RunningProgram,
        _ closing: Promise<Void>,
        within limit: Duration
    ) async throws -> Continuation.Response {
        let end = running.end
        let early = try await withTimeout(programLimit) { try await sign(end, closing) }
        let first = if let early { early } else { try await withTimeout(limit) { try await sign(end, closing) } }
        let status: Int32?
        switch first {
        case nil:
            running.stop()
            let minutes = limit.components.seconds / 60
            return .gaveUp("\(program) has not told within \(minutes) minutes that it goes on, and is ended.")
        case .ended(let number): status = number
        // The kernel closes the files of a program that ends before its status is known.
        case .closedInput: status = try await withTimeout(programLimit) { try await end.value() }
        }
        return status.map { Continuation.Response(of: program, status: $0, isEarly: early != nil) } ?? .accepted
    }

    private static func sign(_ end: Promise<Int32>, _ closing: Promise<Void>) async throws -> Sign {
        try await race {
            .ended(try await end.value())
        } _: {
            try await closing.value()
            return .closedInput
        }
    }
}
