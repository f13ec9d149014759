import AsyncSupport
import HandoffRadio
import Logging

/// Runs the radio and reports its state to the engine.
struct RadioService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    func run() async throws {
        let states = radio.states()
        try await race {
            try await radio.run()
        } _: {
            var last: RadioState?
            for await state in states {
                log(state, after: last)
                last = state
                engine.radio.radioChanged(to: state)
            }
            // The states end with the radio, whose error counts.
            try await untilCancelled()
        }
    }

    private func log(_ state: RadioState, after last: RadioState?) {
        switch state {
        case .ready(let description):
            if case .ready(let before)? = last, before.works(like: description) { return }
            logger.info("the radio is ready", metadata: ["event": "radio.ready", "radio": "\(description.name)"])
            for advisory in description.advisories {
                logger.notice(
                    "\(advisory.message)",
                    metadata: ["event": "radio.limited", "advisory": "\(advisory.name)"]
                )
            }
        // A radio is unavailable before it runs, which does not need a warning.
        case .unavailable where last == nil:
            logger.debug("the radio is starting")
        case .unavailable(let error):
            logger.warning(
                "the radio cannot be used: \(error.message)",
                metadata: ["event": "radio.unavailable", "code": "\(error.code)"]
            )
        }
    }
}
