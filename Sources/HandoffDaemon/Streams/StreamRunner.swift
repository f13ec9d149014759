import AsyncSupport

/// Carries streams, each of which uses its channel of the radio for a part of its time only.
final class StreamRunner: Sendable {
    private let runner = UncancelledTaskRunner(errorAfterEnd: CancellationError())

    /// Carries streams until the task is cancelled.
    func run() async {
        await runner.run()
    }

    /// Carries a stream; returns when it has ended, or needs the radio no more.
    ///
    /// - Parameter carry: runs until the stream has ended, even if the calling task is cancelled, which closes the
    ///   channel; fulfils its argument when it does not use the channel any more.
    /// - Throws: `CancellationError` when the task is cancelled, or ``run()`` has ended.
    func run(_ carry: @escaping @Sendable (Promise<Void>) async -> Void) async throws {
        let released = Promise<Void>()
        let isAccepted = runner.submit {
            await FreedMemory.ofProcess.isKept {
                await carry(released)
                released.fulfil(())
            }
        }
        guard isAccepted else { throw CancellationError() }
        try await released.value()
    }
}
