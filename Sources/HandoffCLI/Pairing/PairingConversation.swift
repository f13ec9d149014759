import HandoffBus
import HandoffClient

/// What a pairing says to the person at a terminal, or to a program, and what the typed lines mean.
struct PairingConversation {
    private let output: Output
    private var dialogue = PairingDialogue(.searching)
    private var isInterrupted = false
    /// Whether the digits were confirmed before they could have been read.
    private var wasHasty = false

    private typealias Document = PairingDocument

    init(output: Output) {
        self.output = output
    }

    /// Shows the user what to do on the other device.
    func begin() {
        report(
            Document(event: "searching"),
            "Run `handoffctl pair` on the other device too, within two minutes. Searching …"
        )
    }

    /// Passes an event to the dialogue.
    mutating func advance(_ event: PairingDialogue.Event) -> [PairingDialogue.Action] {
        dialogue.handle(event, at: .sinceStart)
    }

    /// Handles a call of the daemon, and shows what it asks.
    mutating func take(_ call: PairingCall) -> [PairingDialogue.Action] {
        let actions = advance(.call(call))
        switch (call, dialogue.phase) {
        case (.choice, .choosing(let candidates, _)): list(candidates)
        case (.digits, .comparing(let comparison, _)):
            wasHasty = false
            show(comparison)
            return actions + advance(.shown)
        case (.cancelled(let message), .searching):
            report(Document(event: "cancelled", message: message), printable(message) + " Still looking …")
        default: break
        }
        return actions
    }

    /// Whether these digits are to be compared.
    func isComparing(_ question: PairingCall.QuestionID) -> Bool {
        if case .comparing(_, question) = dialogue.phase { true } else { false }
    }

    /// Asks about digits that could be read meanwhile; without effect for others than those that are shown.
    mutating func ask(_ question: PairingCall.QuestionID) {
        guard case .comparing(let comparison, question) = dialogue.phase else { return }
        // Programs know the question from the digits.
        let document = wasHasty ? Self.document(comparison) : nil
        wasHasty = false
        report(document, "Does \(printable(comparison.name)) show the same digits? Type yes or no:")
    }

    /// Handles a typed line.
    mutating func answer(_ line: String) -> [PairingDialogue.Action] {
        let words = line.lowercased().split(separator: " ")
        switch dialogue.phase {
        case .idle, .searching, .confirmed, .stopping: return []
        case .choosing(let candidates, let question):
            guard words.count == 1, let number = Int(words[0]), number >= 1, number <= candidates.count else {
                report(nil, "Type a number from 1 to \(candidates.count):")
                return []
            }
            return advance(.chosen(candidates[number - 1].number, question))
        case .comparing(_, let question):
            guard words.count == 1, let areSame = ["y": true, "yes": true, "n": false, "no": false][words[0]] else {
                report(nil, "Type yes or no:")
                return []
            }
            let actions = advance(.compared(areSame: areSame, question))
            if case .confirmed(let name) = dialogue.phase {
                report(Document(event: "waiting"), "Waiting for the answer on \(printable(name)) …")
            }
            wasHasty = isComparing(question)
            return actions
        }
    }

    /// Handles an interruption by the user.
    ///
    /// - Throws: ``CommandFailure`` when the dialog ends without the outcome: at the second one, or a final one.
    mutating func interrupt(isFinal: Bool) throws -> [PairingDialogue.Action] {
        guard !isFinal, !isInterrupted else { throw interruption(isFinal) }
        isInterrupted = true
        let actions = advance(.stop)
        // After the user's own yes only the other device can say how the pairing has ended.
        if case .stopping(.confirmed(let name)) = dialogue.phase {
            report(nil, "You have answered already; \(printable(name)) decides. Ctrl-C again leaves at once.")
        }
        return actions
    }

    /// Tells how the pairing has ended.
    ///
    /// - Throws: ``CommandFailure`` unless the devices are paired.
    func finish(_ ending: PairingDialogue.Ending) throws {
        switch ending {
        case .paired(let device, let name):
            let text = "Paired with \(printable(name)) (\(printable(device))). The devices now trust each other."
            report(Document(event: "paired", device: device, deviceName: name), text)
        case .stopped(let failure): throw Self.failure(.interrupted, failure)
        case .denied(let failure), .failed(let failure): throw Self.failure(.failed, failure)
        case .unconfirmed(let failure): throw Self.failure(.unconfirmed, failure)
        case .refused(let message): throw CommandFailure(status: .failed, message: printable(message))
        case .lost:
            throw CommandFailure(
                status: .noDaemon,
                message: "handoffd has stopped, which ended the pairing; start it again."
            )
        }
    }

    private static func failure(_ status: ExitStatus, _ failure: PairingFailure) -> CommandFailure {
        CommandFailure(status: status, message: printable(failure.message), name: failure.error)
    }

    /// Returns the failure of a dialog that ends without the outcome.
    private func interruption(_ isTermination: Bool) -> CommandFailure {
        switch dialogue.phase {
        case .confirmed(let name), .stopping(.confirmed(let name)):
            CommandFailure(
                status: .unconfirmed,
                message: "You have answered, and \(printable(name)) has not; see `handoffctl devices`."
            )
        default:
            CommandFailure(
                status: isTermination ? .terminated : .interrupted,
                message: "Pairing was interrupted. `handoffctl devices` shows what is trusted."
            )
        }
    }

    private func list(_ candidates: [PairingCandidate]) {
        let list = candidates.titles(printable).enumerated().map { number, title in
            "  \(number + 1)  \(title.name)" + (title.id.map { " (\(printable($0)))" } ?? "")
        }
        report(
            Document(event: "choice", candidates: candidates.map(\.name), devices: candidates.map(\.device)),
            (["Several devices are ready to pair:"] + list + ["Type the number of your other device:"])
                .joined(separator: "\n")
        )
    }

    private func show(_ comparison: PairingDialogue.Comparison) {
        let digits = comparison.digits
        report(Self.document(comparison), "\n    \(printable(digits.prefix(3) + " " + digits.suffix(3)))\n")
    }

    private static func document(_ comparison: PairingDialogue.Comparison) -> Document {
        Document(
            event: "digits",
            device: comparison.device,
            deviceName: comparison.name,
            digits: comparison.digits
        )
    }

    /// Prints the text, or with `--json` the document, if there is one.
    private func report(_ document: Document?, _ text: String) {
        // A dialog that nobody sees gets no answers, and ends with that.
        guard !output.isJSON || document != nil else { return }
        try? output.print(document, text)
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
