import DBus
import Epoll
private import Glibc
import HandoffBus
private import Synchronization

/// A pairing at a terminal: what the daemon asks, what the person types, and how it ends, one after the other.
struct PairingDialog: Sendable {
    static let path: ObjectPath = "/org/handoffd/control/pairing"

    /// What happens while two devices pair.
    enum Event: Sendable {
        case choice([PairingCandidate], Reply<UInt64>)
        case digits(String, name: String, device: String, Reply<Bool>)
        case cancelled(String)
        case paired(device: String, name: String)
        case failed(error: String, message: String)
        case line(String)
        case endOfInput
        case daemonEnded
    }

    /// A question that waits for its answer, which comes once; one that is dropped is withdrawn.
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

    /// A question of which the answer is awaited.
    private enum Question {
        case none
        case choice([PairingCandidate], Reply<UInt64>)
        case digits(name: String, Reply<Bool>)
    }

    let output: Output
    let agent: Agent

    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation
    private let end = Completion()

    init(output: Output) {
        self.output = output
        (events, newEvents) = AsyncStream.makeStream()
        agent = Agent(events: newEvents)
    }

    /// Whether the daemon has said how it has ended.
    var hasEnded: Bool { end.isFinished }

    /// Tells the person what to do.
    func begin() {
        report(
            Document(event: "searching"),
            "Run `handoffctl pair` on the other device too, within two minutes. Looking for it …"
        )
    }

    /// Asks and answers until the daemon says how it has ended, or is gone.
    func run(until waitForDaemonExit: @escaping @Sendable () async throws -> Void) async throws {
        let newEvents = newEvents
        // Reading a terminal blocks, and nothing ends it: the thread goes with the command.
        _ = try BlockingThread {
            while let line = readLine() { newEvents.yield(.line(line)) }
            newEvents.yield(.endOfInput)
        }
        do {
            try await runDialog(until: waitForDaemonExit)
        } catch {
            await cancelAllQuestions()
            throw error
        }
        await cancelAllQuestions()
    }

    /// Drops what the daemon has asked in the last moment: a connection waits for the answers to its calls.
    private func cancelAllQuestions() async {
        newEvents.finish()
        for await _ in events {}
    }

    private func runDialog(until waitForDaemonExit: @escaping @Sendable () async throws -> Void) async throws {
        let newEvents = newEvents
        try await withThrowingTaskGroup(of: Bool.self) { group in
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
                question = cancel(question)
                report(Document(event: "cancelled", message: message), message + " Looking on …")
            case .endOfInput: _ = cancel(question)
            case .paired(let device, let name):
                end.finish()
                let text = "Paired with \(printable(name)) (\(device)). Both devices trust each other now."
                return report(Document(event: "paired", device: device, deviceName: name), text)
            case .failed(let error, let message):
                end.finish()
                throw CommandFailure(status: Self.status(of: error), message: message, name: error)
            case .daemonEnded:
                end.finish()
                throw CommandFailure(status: .noDaemon, message: "handoffd has stopped, and the pairing with it.")
            }
        }
    }

    private func ask(_ candidates: [PairingCandidate]) {
        let list = candidates.enumerated().map { "  \($0.offset + 1)  \(printable($0.element.name))" }
        report(
            Document(event: "choice", candidates: candidates.map(\.name)),
            (["Several devices pair:"] + list + ["Which one is yours? Type its number:"]).joined(separator: "\n")
        )
    }

    private func ask(_ digits: String, _ name: String, _ device: String) {
        report(
            Document(event: "digits", device: device, deviceName: name, digits: digits),
            "\n    \(digits.prefix(3)) \(digits.suffix(3))\n\nDoes \(printable(name)) show the same digits? Type yes or no:"
        )
    }

    /// Takes in what the person has typed, and returns what is still asked.
    private func answer(_ line: String, to question: Question) -> Question {
        let words = line.lowercased().split(separator: " ")
        switch question {
        case .none: return .none
        case .choice(let candidates, let reply):
            guard words.count == 1, let number = Int(words[0]), (1...candidates.count).contains(number) else {
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
            if isSame { report(Document(event: "waiting"), "Waiting for the answer on \(printable(name)) …") }
        }
        return .none
    }

    private func cancel(_ question: Question) -> Question {
        switch question {
        case .none: break
        case .choice(_, let reply): reply.resume(.failure(Cancelled.error))
        case .digits(_, let reply): reply.resume(.failure(Cancelled.error))
        }
        return .none
    }

    /// Shows a text to a person, or an event to a program; nothing to a program that has none.
    private func report(_ document: Document?, _ text: String) {
        guard output.isJSON else { return output.write(text) }
        if let document { output.write(Output.compact(document)) }
    }

    private static func status(of error: String) -> ExitStatus {
        error == HandoffErrorName.unconfirmed.errorName.description ? .unconfirmed : .failed
    }

    private enum Cancelled {
        static let error = HandoffErrorName.userCancelled.reply("Nobody answers any more.")
    }
}

/// What `handoffctl pair --json` prints, one line for each event.
struct PairingDocument: Encodable {
    /// `searching`, `choice`, `digits`, `waiting`, `cancelled` or `paired`.
    let event: String
    var device: String?
    var deviceName: String?
    var digits: String?
    /// The names of the devices, in the order of their numbers from 1 on.
    var candidates: [String]?
    var message: String?
}

extension PairingDialog {
    private typealias Document = PairingDocument

    /// What the daemon calls.
    struct Agent: PairingAgent {
        let events: AsyncStream<Event>.Continuation

        func choose(_ candidates: [PairingCandidate]) async throws -> UInt64 {
            try await withCheckedThrowingContinuation { events.yield(.choice(candidates, Reply($0))) }
        }

        func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool {
            // What was typed before the digits were there says nothing about them.
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

    /// Whether it has ended.
    private final class Completion: Sendable {
        private let state = Mutex(false)

        var isFinished: Bool { state.withLock { $0 } }

        func finish() {
            state.withLock { $0 = true }
        }
    }
}
