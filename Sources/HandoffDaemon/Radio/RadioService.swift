import HandoffRadio
import Logging
import ServiceLifecycle

/// Runs the radio and tells the engine what becomes of it.
struct RadioService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    func run() async throws {
        let states = radio.states()
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await radio.run() }
                group.addTask {
                    var isFirst = true
                    for await state in states {
                        // Before it runs, a radio cannot be used, which is nothing to warn of.
                        if case .unavailable = state, isFirst {
                            logger.debug("the radio starts")
                        } else {
                            log(state)
                        }
                        isFirst = false
                        engine.radioChanged(to: state)
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func log(_ state: RadioState) {
        switch state {
        case .ready(let description):
            logger.info("the radio is ready", metadata: ["radio": "\(description.name)"])
            for advisory in description.advisories {
                logger.notice("\(advisory.message)", metadata: ["advisory": "\(advisory.name)"])
            }
        case .unavailable(let error):
            logger.warning("the radio cannot be used: \(error.message)", metadata: ["code": "\(error.code)"])
        }
    }
}
