import DBus
private import Glibc
import HandoffBus

/// Standard input and output as one end of a continuation stream.
struct StandardStreams: Sendable {
    let direction: StreamDirection
    /// The name of the other device, for messages.
    let deviceName: String

    /// Copies standard input to the stream and the stream to standard output, until both have ended and each side has
    /// confirmed that it has everything.
    ///
    /// Does not wait for the end of input from a terminal once the other side has finished: the user sees that it has.
    /// The stream ends for the other side only if this returns; if it throws, or a signal ends the process, the other
    /// side gets an error.
    ///
    /// - Throws: ``CommandFailure`` if data may be missing, with the reason.
    func connect(to stream: UnixFD, of client: HandoffClient) async throws {
        let copy = StreamCopy(stream, try await receipts(of: stream, client), direction)
        let progress = ProgressDisplay(direction: direction)
        let waitsForInput = direction == .sending || direction == .both && isatty(STDIN_FILENO) == 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            if let progress { group.addTask { try await progress.run(copy) } }
            group.addTask {
                do throws(StreamCopy.Failure) {
                    try await copy.run(waitsForInput: waitsForInput)
                } catch {
                    progress?.end(copy)
                    throw CommandFailure(status: .failed, message: error.message(about: deviceName))
                }
                progress?.end(copy)
            }
            // The display of the progress runs until it is cancelled.
            _ = try await group.next()
        }
    }
}

extension StandardStreams {
    /// Begins the use of receipts for the stream.
    private func receipts(of stream: UnixFD, _ client: HandoffClient) async throws -> BlockingReceipts {
        do {
            return try await BlockingReceipts(for: stream, from: client)
        } catch let error as DBusError where HandoffErrorName(error.name) == .noSuchStream {
            throw CommandFailure(status: .failed, message: StreamCopy.Failure.broken.message(about: deviceName))
        }
    }
}

extension StreamCopy.Failure {
    /// What happened, and what to do, for people.
    fileprivate func message(about device: String) -> String {
        switch self {
        case .broken:
            "The stream broke, and data may be missing: the program on \(device) ended early, or the connection was "
                + "lost. See there, or move the devices closer together, and try again."
        case .output(let error):
            "Standard output cannot be written (\(error)), so the received data is incomplete."
        case .input(let error):
            "Standard input cannot be read (\(error)), so the sent data is incomplete; the program on \(device) gets an "
                + "error."
        case .unconfirmed:
            "Everything was given to handoffd, and \(device) has not confirmed that it has all of it: the program there "
                + "ended early, or the connection was lost. See there, and send it again if something is missing."
        case .unexpectedData:
            "The program on \(device) sends data, for which --send has no use. Leave it out, or give --receive there."
        }
    }
}
