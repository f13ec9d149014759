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

    /// Sets the state of the radio.
    func radioChanged(to radio: RadioState) {
        engine.change { state, _ in
            state.radio.setState(radio)
            state.show(.radioChanged)
        }
    }

    /// Sets the port of the listener; nil when it cannot be reached.
    func listening(at port: LEPSM?) {
        engine.change { state, _ in state.radio.port = port }
    }

    /// Records that the advertisement of the plan has started.
    func began(_ plan: Engine.AdvertisingPlan) {
        guard let content = plan.content else { return }
        engine.change { state, now in state.origin.began(content, at: now) }
    }
}
