import DBus
import Epoll
import HandoffBus
private import Synchronization
import SystemPackage

/// The activity delegate of `handoffctl publish --copy`: it sends the file to each device that opens a stream, and
/// prints what became of it.
final class CopyDelegate: ActivityDelegate {
    static let path: ObjectPath = "/org/handoffd/control"

    /// How many devices may copy at once, with a thread for each.
    private static let maximumSendings = 4

    private let source: CopySource
    private let output: Output
    private let sendings = Mutex(0)

    init(_ source: CopySource, _ output: Output) {
        self.source = source
        self.output = output
    }

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        guard
            sendings.withLock({ count in
                count += 1
                return count <= Self.maximumSendings
            })
        else {
            end()
            throw HandoffErrorName.limitReached.reply("Too many devices copy the file at once: try again later.")
        }
        do throws(Errno) {
            let sending = CopySending(try source.open(), to: stream)
            _ = try BlockingThread { [self] in
                show(sending, to: device, named: name)
                end()
            }
        } catch {
            end()
            report("\(printable(source.name)) cannot be sent: \(error)", to: device, named: name)
            throw HandoffErrorName.documentMissing.reply("The file is not there any more, or cannot be read.")
        }
    }

    private func end() {
        sendings.withLock { $0 -= 1 }
    }

    private func show(_ sending: CopySending, to device: ObjectPath, named name: String) {
        do throws(CopySending.Failure) {
            try sending.run()
            report(nil, to: device, named: name)
        } catch {
            report(message(error), to: device, named: name)
        }
    }

    /// Prints that a device has the copy, or the reason why not.
    ///
    /// Output that has no reader ends nothing: who copies does not depend on it.
    private func report(_ failure: String?, to device: ObjectPath, named name: String) {
        var event = PublishEvent(failure == nil ? "copied" : "copyFailed")
        event.device = device.lastElement
        event.deviceName = name
        event.message = failure
        let text = failure.map { "\(printable(name)) has no copy: \($0)" } ?? "\(printable(name)) has a copy"
        try? output.print(event, text)
    }

    private func message(_ failure: CopySending.Failure) -> String {
        switch failure {
        case .broken: "the command there ended early, or the connection was lost."
        case .changed: "the file was changed meanwhile; the next copy is of its new content."
        case .unreadable(let error): "the file cannot be read: \(error)."
        }
    }
}
