import AsyncSupport
import DBus
import Epoll
private import Glibc
import HandoffBus
import HandoffClient

/// The dialog of a pairing at a terminal: handles the daemon's questions, the typed lines and the outcome in order.
struct PairingDialog: Sendable {
    static let path: ObjectPath = "/org/handoffd/control/pairing"

    /// An event of a pairing: a call of the daemon, a typed line, or the end of either.
    private enum Event: Sendable {
        case call(PairingCall)
        case line(String)
        case endOfInput
        /// The user wants to stop, or to leave without the outcome.
        case interrupted(isFinal: Bool)
        case daemonEnded
        /// The time has passed that the digits of a question have to be read.
        case wereReadable(PairingCall.QuestionID)
    }

    let output: Output
    /// The agent that the daemon calls.
    let agent: PairingQuestions

    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation

    init(output: Output) {
        let (events, newEvents) = AsyncStream.makeStream(of: Event.self)
        (self.output, self.events, self.newEvents) = (output, events, newEvents)
        agent = PairingQuestions { newEvents.yield(.call($0)) }
    }

    /// Runs the dialog until the daemon reports the outcome or exits, or the user interrupts it twice.
    ///
    /// - Parameters:
    ///   - waitForDaemonExit: returns when the daemon has exited.
    ///   - interruptions: calls its argument whenever the user interrupts the dialog.
    ///   - stop: asks the daemon to stop; never blocks.
    /// - Throws: ``CommandFailure`` unless the devices are paired.
    func run(
        until waitForDaemonExit: @escaping @Sendable () async throws -> Void,
        interruptions: @escaping @Sendable (_ interrupt: @Sendable (_ isFinal: Bool) -> Void) async -> Void,
        stop: @escaping @Sendable () -> Void
    ) async throws {
        let newEvents = newEvents
        // A blocked read of the terminal cannot be ended: the thread lives until the process exits.
        _ = try BlockingThread {
            while let line = readLine() { newEvents.yield(.line(line)) }
            newEvents.yield(.endOfInput)
        }
        // A connection waits for the answers to its calls before it closes.
        defer { agent.close() }
        try await race {
            try await converse(stop)
        } _: {
            try await withBackgroundTasks([{ await interruptions { newEvents.yield(.interrupted(isFinal: $0)) } }]) {
                try await waitForDaemonExit()
                try Task.checkCancellation()
                newEvents.yield(.daemonEnded)
                try await untilCancelled()
            }
        }
    }

    /// Handles the events one after the other, until the end.
    private func converse(_ stop: @escaping @Sendable () -> Void) async throws {
        var conversation = PairingConversation(output: output)
        conversation.begin()
        try await withThrowingTaskGroup { group in
            defer { group.cancelAll() }
            for await event in events {
                for action in try step(event, &conversation) {
                    switch action {
                    case .answer(let question, let answer): agent.answer(question, answer)
                    case .stop: stop()
                    case .end(let ending): return try conversation.finish(ending)
                    // The request was made before the dialog; the question is asked when it can be answered.
                    case .request, .wait: break
                    }
                }
                guard case .call(.digits(_, _, _, let question)) = event else { continue }
                group.addTask {
                    try await sleep(for: PairingDialogue.readingTime)
                    newEvents.yield(.wereReadable(question))
                }
            }
            // Only a cancelled task leaves the loop.
            throw CancellationError()
        }
    }

    private func step(_ event: Event, _ conversation: inout PairingConversation) throws -> [PairingDialogue.Action] {
        switch event {
        case .call(let call): return conversation.take(call)
        case .line(let line): return conversation.answer(line)
        case .endOfInput: return conversation.advance(.unanswerable)
        case .interrupted(let isFinal): return try conversation.interrupt(isFinal: isFinal)
        case .daemonEnded: return conversation.advance(.daemonStopped)
        case .wereReadable(let question):
            // Input typed before the question is not an answer to it.
            if conversation.isComparing(question) { tcflush(STDIN_FILENO, TCIFLUSH) }
            conversation.ask(question)
            return []
        }
    }
}
