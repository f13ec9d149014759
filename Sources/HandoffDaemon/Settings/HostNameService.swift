import AsyncSupport
import Epoll
import Glibc
import HandoffCore
import Logging
import SystemPackage

/// Gives the device the name of the host whenever that changes, unless it has a name of its own.
struct HostNameService: Service {
    private let reloader: SettingsReloader
    private let logger: Logger
    /// Waits for the next change.
    private let changed: @Sendable () async throws -> Void

    /// Follows the kernel, which tells a change of the name to those that poll its file (poll(2) on a sysctl).
    ///
    /// Without that file, the name is read at a start and at a reload only.
    init(_ reloader: SettingsReloader, on reactor: Reactor, logger: Logger) {
        let file = try? ReactorDescriptor(
            Descriptor { open("/proc/sys/kernel/hostname", O_RDONLY | O_NONBLOCK | O_CLOEXEC) },
            on: reactor
        )
        if file == nil {
            logger.notice(
                "the kernel does not tell when the host gets another name: `handoffctl reload` reads it",
                metadata: ["event": "host.unwatched"]
            )
        }
        self.init(reloader, logger: logger) {
            guard let file else { try await untilCancelled() }
            do {
                try await file.ready(for: .priority)
            } catch Errno.canceled {
                throw CancellationError()
            }
        }
    }

    /// Follows another source of changes.
    init(_ reloader: SettingsReloader, logger: Logger, changed: @escaping @Sendable () async throws -> Void) {
        (self.reloader, self.logger, self.changed) = (reloader, logger, changed)
    }

    func run() async throws {
        while true {
            // It may have changed since the settings were read.
            do {
                try await reloader.takeHostName()
            } catch let error as HandoffError {
                logger.error(
                    "the device keeps its name: \(error.message)",
                    metadata: ["event": "host.refused"]
                )
            }
            try await changed()
        }
    }
}
