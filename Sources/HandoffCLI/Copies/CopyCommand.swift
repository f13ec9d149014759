import ArgumentParser
import AsyncSupport
import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// `handoffctl copy`: takes the file that another device offers with `handoffctl publish --copy`.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the file that another device offers to this one.",
        usage: "handoffctl copy [<options>] [<id>] [--into <directory>]",
        discussion: """
            The other device offers it with `handoffctl publish --copy FILE`. The copy has its
            name and its time, and a note from where it came; a file that is here already
            stays, and the copy gets a number. Without an ID, it takes the nearest file.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The number of the activity in `handoffctl nearby`.",
        completion: KnownNames.nearbyNumbers.completion
    )
    var id: Int?

    @OptionGroup var waiting: WaitOption

    @Option(
        help: ArgumentHelp("Where to put it; otherwise into the directory for downloads.", valueName: "directory"),
        completion: .directory
    )
    var into: String?

    @Option(help: ArgumentHelp("Refuse a file of more megabytes (of 1000000 bytes).", valueName: "megabytes"))
    var limit = 1000

    @Option(help: ArgumentHelp("For programs: the continuation of an activity that was fetched.", valueName: "text"))
    var continuation: String?

    @Option(help: ArgumentHelp("With --continuation: the name of the device, to show.", valueName: "name"))
    var deviceName: String?

    func validate() throws {
        guard id == nil || waiting.wait == nil else {
            throw ValidationError("Give an ID or --wait, not both: an activity that is not there yet has no ID.")
        }
        guard continuation == nil || id == nil && waiting.wait == nil else {
            throw ValidationError("--continuation says already which activity it is.")
        }
        guard deviceName == nil || continuation != nil else {
            throw ValidationError("--device-name needs --continuation.")
        }
        guard (0...1_000_000_000).contains(limit) else { throw ValidationError("--limit: \(limit) is out of range.") }
    }

    func run() async throws {
        let (id, waiting, into) = (id, waiting, into)
        let known = continuation.map { Chosen(continuation: $0, deviceName: deviceName ?? "the other device") }
        let limit = limit * 1_000_000
        try await options.withClient { client, output in
            // Before the other device is told that this one goes on with it.
            let directory =
                if let into { try CopyDirectory(try absolutePath(into)) } else {
                    try CopyDirectory.downloads(ProcessInfo.processInfo.environment)
                }
            let chosen =
                if let known { known } else { try await Self.choose(id: id, waiting, client, output) }
            let stream = try await client.openStream(chosen.continuation)
            let reception = CopyReception(stream, into: directory, limit: limit, from: chosen.deviceName)
            let result = try await Self.receive(reception, from: chosen.deviceName)
            try output.print(CopyDocument(result, chosen, directory), Self.text(result, chosen, directory))
        }
    }

    fileprivate struct Chosen: Sendable {
        let continuation: String
        let deviceName: String
    }

    private static func choose(
        id: Int?,
        _ waiting: WaitOption,
        _ client: HandoffClient,
        _ output: Output
    ) async throws -> Chosen {
        let nearby = try await waiting.choice(
            from: client,
            id: id,
            type: id == nil ? CopiedFile.activityType : nil,
            output
        )
        let fetched = try await cancelling(client, nearby.path) { try await client.fetch(nearby.path, for: .take) }
        guard let continuation = fetched.continuation, fetched.activity.type.rawValue == CopiedFile.activityType else {
            throw CommandFailure(
                status: .failed,
                message: "\(printable(nearby.deviceName)) offers no file there; `handoffctl publish --copy` does."
            )
        }
        return Chosen(continuation: continuation, deviceName: nearby.deviceName)
    }

    /// Receives the file; a signal ends that, and removes what has arrived.
    private static func receive(
        _ reception: CopyReception,
        from deviceName: String
    ) async throws -> CopyReception.Result {
        let outcome = Mutex<CopyReception.Result?>(nil)
        let interruption = try await untilInterrupted {
            try await showingProgress(of: reception) {
                do throws(CopyReception.Failure) {
                    let result = try await reception.run()
                    outcome.withLock { $0 = result }
                } catch {
                    try Task.checkCancellation()
                    throw CommandFailure(status: .failed, message: error.message(about: printable(deviceName)))
                }
            }
        }
        if let result = outcome.withLock({ $0 }) { return result }
        throw CommandFailure(status: interruption ?? .failed, message: "Interrupted; there is no copy.")
    }

    /// Shows on a terminal how far a reception has come, until `body` ends.
    private static func showingProgress(
        of reception: CopyReception,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard ProgressLine.isPossible else { return try await body() }
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                defer { ProgressLine.clear() }
                while true {
                    let counts = reception.byteCounts
                    ProgressLine.show(
                        ProgressText(
                            sent: nil,
                            size: nil,
                            received: counts.received,
                            receivedSize: counts.size,
                            elapsed: begin.duration(to: .now)
                        )
                    )
                    try await sleep(for: ProgressLine.interval)
                }
            }
            group.addTask { try await body() }
            // The display runs until it is cancelled.
            _ = try await group.next()
        }
    }

    private static func text(_ result: CopyReception.Result, _ chosen: Chosen, _ directory: CopyDirectory) -> String {
        let (name, told) = (printable(decoding: result.name), printable(decoding: result.file.name))
        var text = "copied \(told) (\(ProgressText.bytes(result.file.size))) from \(printable(chosen.deviceName)) to "
        text += "\(printable(directory.path))/\(name)"
        if name != told { text += "\nIt is not called \(told): another file is, or that name is not allowed here." }
        if !result.isNoted { text += "\nThe file system there cannot note where a file came from." }
        return text
    }
}

/// What `handoffctl copy --json` prints.
struct CopyDocument: Encodable {
    /// The `file:` URL of the copy.
    let url: String
    /// Its name, for people.
    let name: String
    /// In bytes.
    let size: Int
    let deviceName: String
    /// Whether the file notes where it came from.
    let isOriginNoted: Bool

    fileprivate init(_ result: CopyReception.Result, _ chosen: CopyCommand.Chosen, _ directory: CopyDirectory) {
        let path = Array(directory.path.utf8) + [UInt8(ascii: "/")] + result.name
        url = (try? FileURL(path: path).description) ?? ""
        name = printable(decoding: result.name)
        size = result.file.size
        deviceName = chosen.deviceName
        isOriginNoted = result.isNoted
    }
}

extension CopyReception.Failure {
    /// What happened, and what to do, for people.
    fileprivate func message(about device: String) -> String {
        switch self {
        case .broken:
            "The copy is incomplete, and was removed: the file was changed on \(device), the command there ended, "
                + "or the connection was lost. Try again."
        case .noFile: "\(device) sends no file with a name that can be used."
        case .tooLarge(let file, let limit):
            "\(printable(decoding: file.name)) has \(ProgressText.bytes(file.size)), more than the "
                + "\(ProgressText.bytes(limit)) of --limit."
        case .noRoom(let file, let available):
            "\(printable(decoding: file.name)) has \(ProgressText.bytes(file.size)), and there is room for "
                + "\(ProgressText.bytes(available)) only."
        case .unwritable(let error): "The copy cannot be written, and was removed: \(error)."
        }
    }
}

/// Bytes of another device as a text that is safe to show.
private func printable(decoding bytes: some Collection<UInt8>) -> String {
    printable(String(decoding: bytes, as: UTF8.self))
}
