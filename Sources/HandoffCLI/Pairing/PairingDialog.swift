import DBus
import Epoll
private import Glibc
import HandoffBus
private import Synchronization

/// The dialog of a pairing at a terminal: handles the daemon's questions, the typed lines and the outcome in order.
struct PairingDialog: Sendable {
    static let path: ObjectPath = "/org/handoffd/control/pairing"

    /// An event of a pairing: a call of the daemon, a typed line, or the end of either.
    enum Event: Sendable {
        case choice([PairingCandidate], Reply<UInt64>)
        case digits(String, name: String, device: String, Reply<Bool>)
        case cancelled(String)
        case paired(device: String, name: String)
        case failed(error: String, message: String)
        case line(String)
        case endOfInput
        /// The user wants to stop, or to leave without the outcome.
        case interrupted(isFinal: Bool)
        case daemonEnded
    }

    /// The answer that a call of the daemon waits for: given at most once; an error if it is released without one.
    final class Reply<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

        init(_ continuation: CheckedContinuation<Value, any Error>) {
            self.continuation = Mutex(continuation)
        }

        deinit {
            resume(.failure(Cancelled.error))
        }

        func resume(_ result: Result<Value, any Error>) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(with: result)
        }
    }

    /// How many digits of an id tell devices of one name apart.
    private static let idDigits = 8

    /// The question to which the next typed line is the answer.
    private enum Question {
        case none
        case choice([PairingCandidate], Reply<UInt64>)
        case digits(name: String, Reply<Bool>)
        /// The user has said yes; the device of that name decides.
        case confirmed(name: String)
    }

    let output: Output
    let agent: Agent

    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation

    init(output: Output) {
        self.output = output
        (events, newEvents) = AsyncStream.makeStream()
        agent = Agent(events: newEvents)
    }

    /// Shows the user what to do on the other device.
    func begin() {
        report(
            Document(event: "searching"),
            "Run `handoffctl pair` on the other device too, within two minutes. Searching …"
        )
    }

    /// Runs the dialog until the daemon reports the outcome or exits, or the user interrupts it twice.
    ///
    /// - Parameters:
    ///   - waitForDaemonExit: returns when the daemon has exited.
    ///   - watchInterruptions: calls its argument whenever the user interrupts the dialog, and then stops the request.
    /// - Throws: ``CommandFailure`` unless the devices are paired.
    func run(
        until waitForDaemonExit: @escaping @Sendable () async throws -> Void,
        onInterruption watchInterruptions:
            @escaping @Sendable (_ interrupt: @Sendable (_ isFinal: Bool) -> Void) async -> Void
    ) async throws {
        let newEvents = newEvents
        // A blocked read of the terminal cannot be ended: the thread lives until the process exits.
        _ = try BlockingThread {
            while let line = readLine() { newEvents.yield(.line(line)) }
            newEvents.yield(.endOfInput)
        }
        do {
            try await runDialog(until: waitForDaemonExit, watchInterruptions)
        } catch {
            await cancelAllQuestions()
            throw error
        }
        await cancelAllQuestions()
    }

    /// Releases the open questions: a connection waits for the answers to its calls before it closes.
    private func cancelAllQuestions() async {
        newEvents.finish()
        for await _ in events {}
    }

    private func runDialog(
        until waitForDaemonExit: @escaping @Sendable () async throws -> Void,
        _ watchInterruptions: @escaping @Sendable (_ interrupt: @Sendable (_ isFinal: Bool) -> Void) async -> Void
    ) async throws {
        let newEvents = newEvents
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                await watchInterruptions { newEvents.yield(.interrupted(isFinal: $0)) }
                return false
            }
            group.addTask {
                try await waitForDaemonExit()
                try Task.checkCancellation()
                newEvents.yield(.daemonEnded)
                return false
            }
            group.addTask {
                try await runDialog()
                return true
            }
            defer { group.cancelAll() }
            while let isOver = try await group.next(), !isOver {}
        }
    }

    private func runDialog() async throws {
        var question = Question.none
        var isInterrupted = false
        for await event in events {
            switch event {
            case .choice(let candidates, let reply):
                question = .choice(candidates, reply)
                ask(candidates)
            case .digits(let digits, let name, let device, let reply):
                question = .digits(name: name, reply)
                ask(digits, name, device)
            case .line(let line): question = answer(line, to: question)
            case .cancelled(let message):
                cancel(question)
                question = .none
                report(Document(event: "cancelled", message: message), printable(message) + " Still looking …")
            case .endOfInput: cancel(question)
            case .interrupted(let isFinal) where isFinal || isInterrupted:
                throw Self.interruption(of: question, isFinal)
            case .interrupted:
                isInterrupted = true
                cancel(question)
                if case .confirmed(let name) = question { reportStop(waitingFor: name) } else { question = .none }
            case .paired(let device, let name):
                let text = "Paired with \(printable(name)) (\(printable(device))). The devices now trust each other."
                return report(Document(event: "paired", device: device, deviceName: name), text)
            case .failed(let error, let message):
                // What the daemon says after the user has interrupted the request, and nobody else has ended it.
                let isOwnEnd = isInterrupted && error == HandoffErrorName.userCancelled.errorName.description
                let status = isOwnEnd ? ExitStatus.interrupted : Self.status(of: error)
                throw CommandFailure(status: status, message: printable(message), name: error)
            case .daemonEnded:
                throw CommandFailure(
                    status: .noDaemon,
                    message: "handoffd has stopped, which ended the pairing; start it again."
                )
            }
        }
    }

    private func reportStop(waitingFor name: String) {
        report(
            nil,
            "You have answered already; \(printable(name)) decides. Ctrl-C again leaves at once."
        )
    }

    /// Returns the failure of a dialog that ends without the outcome.
    private static func interruption(of question: Question, _ isTermination: Bool) -> CommandFailure {
        guard case .confirmed(let name) = question else {
            return CommandFailure(
                status: isTermination ? .terminated : .interrupted,
                message: "Pairing was interrupted. `handoffctl devices` shows what is trusted."
            )
        }
        return CommandFailure(
            status: .unconfirmed,
            message: "You have answered, and \(printable(name)) has not; see `handoffctl devices`."
        )
    }

    private func ask(_ candidates: [PairingCandidate]) {
        let list = Self.titles(of: candidates).enumerated().map { "  \($0.offset + 1)  \($0.element)" }
        report(
            Document(event: "choice", candidates: candidates.map(\.name), devices: candidates.map(\.device)),
            (["Several devices are ready to pair:"] + list + ["Type the number of your other device:"])
                .joined(separator: "\n")
        )
    }

    /// Returns how each device is shown: by its name, and by the first digits of its id where another one has that name.
    static func titles(of candidates: [PairingCandidate]) -> [String] {
        candidates.map { candidate in
            let name = printable(candidate.name)
            let isUnique = candidates.count { printable($0.name) == name } == 1
            return isUnique ? name : "\(name) (\(printable(String(candidate.device.prefix(idDigits)))))"
        }
    }

    private func ask(_ digits: String, _ name: String, _ device: String) {
        report(
            Document(event: "digits", device: device, deviceName: name, digits: digits),
            "\n    \(printable(digits.prefix(3) + " " + digits.suffix(3)))\n\n"
                + "Does \(printable(name)) show the same digits? Type yes or no:"
        )
    }

    /// Answers `question` with a typed line; returns the question that remains open.
    private func answer(_ line: String, to question: Question) -> Question {
        let words = line.lowercased().split(separator: " ")
        switch question {
        case .none, .confirmed: return question
        case .choice(let candidates, let reply):
            guard words.count == 1, let number = Int(words[0]), number >= 1, number <= candidates.count else {
                report(nil, "Type a number from 1 to \(candidates.count):")
                return question
            }
            reply.resume(.success(candidates[number - 1].number))
        case .digits(let name, let reply):
            guard words.count == 1, let isSame = ["y": true, "yes": true, "n": false, "no": false][words[0]] else {
                report(nil, "Type yes or no:")
                return question
            }
            reply.resume(.success(isSame))
            guard isSame else { return .none }
            report(Document(event: "waiting"), "Waiting for the answer on \(printable(name)) …")
            return .confirmed(name: name)
        }
        return .none
    }

    private func cancel(_ question: Question) {
        switch question {
        case .none, .confirmed: break
        case .choice(_, let reply): reply.resume(.failure(Cancelled.error))
        case .digits(_, let reply): reply.resume(.failure(Cancelled.error))
        }
    }

    /// Prints the text, or with `--json` the document, if there is one.
    private func report(_ document: Document?, _ text: String) {
        // A dialog that nobody sees gets no answers, and ends with that.
        guard !output.isJSON || document != nil else { return }
        try? output.print(document, text)
    }

    private static func status(of error: String) -> ExitStatus {
        error == HandoffErrorName.unconfirmed.errorName.description ? .unconfirmed : .failed
    }

    private enum Cancelled {
        static let error = HandoffErrorName.userCancelled.reply("The question was withdrawn, or the dialog has ended.")
    }
}

/// What `handoffctl pair --json` prints: one line for each event.
struct PairingDocument: Encodable {
    /// `searching`, `choice`, `digits`, `waiting`, `cancelled` or `paired`.
    let event: String
    var device: String?
    var deviceName: String?
    var digits: String?
    /// The names of the devices, in the order of their numbers, which start at 1.
    var candidates: [String]?
    /// The ids of the same devices.
    var devices: [String]?
    var message: String?
}

extension PairingDialog {
    private typealias Document = PairingDocument

    /// The pairing agent that the daemon calls; forwards each call as an event.
    struct Agent: PairingAgent {
        let events: AsyncStream<Event>.Continuation

        func choose(_ candidates: [PairingCandidate]) async throws -> UInt64 {
            // handoffd offers at least two, and any program on the bus may call the agent.
            guard !candidates.isEmpty else { throw DBusError.failure(.invalidArgs, "There is no device to choose.") }
            return try await withCheckedThrowingContinuation { events.yield(.choice(candidates, Reply($0))) }
        }

        func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool {
            // Input typed before the digits were shown is not an answer to them.
            tcflush(STDIN_FILENO, TCIFLUSH)
            return try await withCheckedThrowingContinuation {
                events.yield(.digits(digits, name: name, device: device, Reply($0)))
            }
        }

        func cancel(_ message: String) {
            events.yield(.cancelled(message))
        }

        func paired(_ device: ObjectPath, named name: String) {
            events.yield(.paired(device: device.lastElement, name: name))
        }

        func failed(_ error: String, _ message: String) {
            events.yield(.failed(error: error, message: message))
        }
    }
}
