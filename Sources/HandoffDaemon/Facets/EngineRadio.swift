import Bluetooth
import HandoffCore
import HandoffRadio

extension Engine {
    /// The radio of this device.
    var radio: EngineRadio { EngineRadio(engine: self) }
}

/// The radio, as far as the engine plans for it.
struct EngineRadio: Sendable {
    let engine: Engine

    /// Sets the state of the radio; nothing is nearby while it cannot be used.
    func radioChanged(to radio: RadioState) {
        engine.change { state, now in
            let wasReady = state.radio.isReady
            state.radio.setState(radio)
            if !state.radio.isReady { state.show(state.nearby.table.removeAll()) }
            if !wasReady, state.radio.isReady { state.greet(at: now) }
            state.show(.radioChanged)
        }
    }

    /// Sets the port of the listener; nil when it cannot be reached.
    func listening(at port: LEPSM?) {
        engine.change { state, _ in state.radio.port = port }
    }

    /// Records that the radio has refused a duty.
    func failed(_ duty: RadioDuty, _ error: RadioError) { setRefusal(error, of: duty) }

    /// Records that the radio does a duty.
    func succeeded(_ duty: RadioDuty) { setRefusal(nil, of: duty) }

    private func setRefusal(_ error: RadioError?, of duty: RadioDuty) {
        engine.change { state, _ in
            if state.radio.setRefusal(error, of: duty) { state.show(.radioChanged) }
        }
    }

    /// The advisories about duties that a working radio refuses.
    var advisories: [(name: String, message: String)] {
        engine.read { state in
            RadioDuty.allCases.compactMap { duty in
                state.radio.refusals[duty].map { (duty.advisoryName, duty.explanation(of: $0)) }
            }
        }
    }

    /// Records that the advertisement of the plan has started.
    func began(_ plan: Engine.AdvertisingPlan) {
        succeeded(.advertising)
        guard let content = plan.content else { return }
        engine.change { state, now in state.origin.began(content, at: now) }
    }
}
