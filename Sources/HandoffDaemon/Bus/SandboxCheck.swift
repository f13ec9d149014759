import AsyncSupport
import DBus
import Epoll
import HandoffBus
import Logging
import SystemPackage

/// Refuses the calls of programs in a sandbox, and of those of which it cannot be found out.
struct SandboxCheck: Sendable {
    let connection: Connection
    let logger: Logger

    /// Returns the error with which the calls of a client are answered; nil for a client outside any sandbox.
    func refusal(of client: BusName) async -> DBusError? {
        do {
            let credentials = try await connection.credentials(of: client)
            guard let sandbox = try await Self.sandbox(of: credentials) else { return nil }
            return refusal(of: client, "runs in the sandbox of \(sandbox)")
        } catch let error as DBusError {
            return refusal(of: client, "is unknown to the bus: \(error.message)")
        } catch {
            return refusal(of: client, "cannot be examined: \(error)")
        }
    }

    private func refusal(of client: BusName, _ reason: String) -> DBusError {
        logger.notice(
            "refused the calls of a program, which \(reason)",
            metadata: ["event": "client.refused", "client": "\(client)"]
        )
        return HandoffErrorName.callerSandboxed.reply(
            "\(HandoffName.control) is for programs outside a sandbox, and the one that calls \(reason). Apps use "
                + "\(HandoffName.bus)."
        )
    }

    /// Looks for the sandbox of a client on a thread of its own: a sandbox may have file systems that do not answer.
    private static func sandbox(of credentials: ConnectionCredentials) async throws -> ProgramSandbox? {
        let result = Promise<Result<ProgramSandbox?, Errno>>()
        _ = try BlockingThread {
            result.fulfil(Result { () throws(Errno) in try ProgramSandbox(of: credentials) })
        }
        return try await result.value().get()
    }
}
