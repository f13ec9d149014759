private import AsyncSupport
package import DBus
private import Epoll
private import SystemPackage

extension Connection {
    /// Finds the sandbox of another client of this bus; nil for a program outside any.
    ///
    /// It is looked for on a thread of its own: a sandbox may have file systems that do not answer.
    ///
    /// - Throws: `DBusError` when the bus does not know the client, and `Errno` when its program has ended or cannot be
    ///   examined: ESRCH, or such as EACCES for one that does not let others look at its root directory.
    package func sandbox(of client: BusName) async throws -> ProgramSandbox? {
        let credentials = try await credentials(of: client)
        let result = Promise<Result<ProgramSandbox?, Errno>>()
        _ = try BlockingThread {
            result.fulfil(Result { () throws(Errno) in try ProgramSandbox(of: credentials) })
        }
        return try await result.value().get()
    }
}
