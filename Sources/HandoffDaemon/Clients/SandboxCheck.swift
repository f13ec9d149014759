import DBus
import HandoffBus
import Logging
import SystemPackage

/// Refuses the calls of programs in a sandbox, and of those of which it cannot be found out.
struct SandboxCheck: Sendable {
    let connection: Connection
    /// A program may connect anew as often as it likes.
    let log: PeerLog

    /// Decides about the calls of a client: those of a client outside any sandbox are performed.
    ///
    /// Nothing is decided while this process lacks what it takes to examine a client, such as a file descriptor.
    func verdict(on client: BusName) async -> CallerVerdict {
        do {
            guard let sandbox = try await connection.sandbox(of: client) else { return .admitted }
            return .refused(refusal(of: client, "runs in the sandbox of \(sandbox)"))
        } catch let error as DBusError {
            return .undecided(refusal(of: client, "is unknown to the bus: \(error.message)"))
        } catch {
            return lacksResources(error)
                ? .undecided(lack(of: error, for: client))
                : .refused(refusal(of: client, "cannot be examined: \(error)"))
        }
    }

    private func refusal(of client: BusName, _ reason: String) -> DBusError {
        log.log(
            "client.refused",
            at: .notice,
            "refused the calls of a program, which \(reason)",
            metadata: ["client": "\(client)"]
        )
        return HandoffErrorName.callerSandboxed.reply(
            "\(HandoffName.control) is for programs outside a sandbox, and the one that calls \(reason). Apps use "
                + "\(HandoffName.bus)."
        )
    }

    /// Whether an error says that this process or the machine has used up something; the client is not at fault.
    private func lacksResources(_ error: any Error) -> Bool {
        let lacks: Set<Errno> = [
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .resourceTemporarilyUnavailable,
        ]
        return (error as? Errno).map(lacks.contains) ?? false
    }

    private func lack(of error: any Error, for client: BusName) -> DBusError {
        log.log(
            "client.unexamined",
            at: .notice,
            "cannot examine a program that calls: \(error)",
            metadata: ["client": "\(client)"]
        )
        return .failure(
            .limitsExceeded,
            "handoffd cannot examine the program that calls: \(error). Raise the limits of its process, and call again."
        )
    }
}
