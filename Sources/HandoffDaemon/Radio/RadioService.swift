import HandoffRadio
import Logging
import ServiceLifecycle

/// Runs the radio and reports its state to the engine.
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
                        // A radio is unavailable before it runs, which does not need a warning.
                        if case .unavailable = state, isFirst {
                            logger.debug("the radio is starting")
                        } else {
                            log(state)
                        }
                        isFirst = false
                        engine.radio.radioChanged(to: state)
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
            logger.info("the radio is ready", metadata: ["event": "radio.ready", "radio": "\(description.name)"])
            for advisory in description.advisories {
                logger.notice(
                    "\(advisory.message)",
                    metadata: ["event": "radio.limited", "advisory": "\(advisory.name)"]
                )
            }
        case .unavailable(let error):
            logger.warning(
                "the radio cannot be used: \(error.message)",
                metadata: ["event": "radio.unavailable", "code": "\(error.code)"]
            )
        }
    }
}
