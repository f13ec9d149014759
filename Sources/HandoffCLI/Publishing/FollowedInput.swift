import AsyncSupport
import DBus
import HandoffBus

/// `handoffctl publish --follow`: an activity that follows the lines of a program on standard input.
final class FollowedInput: ActivityDelegate {
    private static let path: ObjectPath = "/org/handoffd/control"

    /// How long the program may take to answer `willSave`: the daemon waits for 3 s, and sends what it has after it.
    private static let patience = Duration.milliseconds(2500)

    private let activity: PublishedActivity
    private let client: HandoffClient
    private let output: Output
    private let streams: FollowedStreams
    /// How many lines have been handled.
    private let handled = CurrentValue(0)

    init(over client: HandoffClient, _ output: Output) {
        self.client = client
        self.output = output
        streams = FollowedStreams(over: client, output)
        activity = PublishedActivity(nil, over: client, output)
    }

    /// Follows the input until its end, a signal, or the end of the bus; then the activity ends.
    func run() async throws {
        client.connection.objects.insert([.activityDelegate(self)], at: Self.path)
        let input: InputLines
        do {
            input = try InputLines()
        } catch {
            throw CommandFailure(status: .failed, message: "Standard input cannot be read: \(error).")
        }
        try await activity.run { [self] in
            try await race {
                try await self.streams.run()
            } _: {
                for await line in input.lines {
                    try await self.handle(line)
                    self.handled.modify { $0 += 1 }
                }
            }
        }
    }

    private func handle(_ line: InputLines.Line) async throws {
        do {
            guard let text = line.text else {
                let limit = InputLines.maximumBytes / 1024
                throw FollowedLine.Fault(description: "it is longer than \(limit) KiB")
            }
            switch try FollowedLine(text) {
            case .activity(var content):
                content.draft = DocumentContent.added(to: content.draft)
                content.draft.delegate = Self.path
                try await activity.change(to: content)
            case .nothing: try await activity.change(to: nil)
            case .unchanged: break
            case .stream(let stream):
                guard streams.answer(stream) else {
                    throw FollowedLine.Fault(description: "no stream \(stream) waits for an answer")
                }
            }
        } catch let fault as FollowedLine.Fault {
            try report("Line \(line.number) changes nothing: \(fault).")
        } catch let error as DBusError where error.code == .remote && !error.indicatesAbsentService {
            try report("Line \(line.number) was refused: \(error.message)")
        }
    }

    private func report(_ message: String) throws {
        guard output.isJSON else { return output.note(printable(message)) }
        var event = PublishEvent("invalidLine")
        event.message = message
        try output.print(event, "")
    }

    // MARK: Calls of the daemon

    func willSave(_ activity: ObjectPath) async throws {
        let before = handled.current
        try output.print(PublishEvent("willSave"), "another device asks for the newest state")
        _ = try await withTimeout(Self.patience) { [handled] in try await handled.changed(since: before) }
    }

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        try streams.open(stream, from: device, named: name)
    }
}
