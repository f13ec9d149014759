import AsyncSupport
import Epoll
import HandoffRadio
import Logging

/// Accepts channels and serves each of them.
struct ListeningService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let apps: AppStreams
    let reactor: Reactor
    let logger: Logger

    func run() async throws {
        try await listen()
    }

    private func listen() async throws {
        let server = SessionServer(engine: engine, apps: apps, reactor: reactor, logger: logger)
        try await withBackgroundTasks([{ try await server.run() }]) { try await listen(with: server) }
    }

    private func listen(with server: SessionServer) async throws {
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            let generation = engine.radioGeneration.current
            do {
                try await radio.withListener(
                    limit: ConnectionAdmission.maximumChannels,
                    serving: { await server.serve($0) }
                ) { port in
                    engine.radio.succeeded(.listening)
                    engine.radio.listening(at: port)
                    try await untilCancelled()
                }
            } catch let error as RadioError {
                if engine.read({ $0.radio.port != nil }) { retry.reset() }
                engine.radio.listening(at: nil)
                engine.radio.failed(.listening, error)
                logger.debug("cannot listen: \(error.message)", metadata: ["code": "\(error.code)"])
                _ = try await retry.wait(orUntil: engine.radioGeneration, changesSince: generation)
            }
        }
    }
}
