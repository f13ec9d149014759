import Bluetooth
import HandoffCore
import HandoffRadio

extension Engine {
    /// The radio of this device.
    var air: EngineAir { EngineAir(engine: self) }
}

/// The radio, as far as the engine plans for it.
struct EngineAir: Sendable {
    let engine: Engine

    /// Sets the state of the radio.
    func radioChanged(to radio: RadioState) {
        engine.change { state, _ in
            state.air.setRadio(radio)
            state.show(.radioChanged)
        }
    }

    /// Sets the port of the listener; nil when it cannot be reached.
    func listening(at port: LEPSM?) {
        engine.change { state, _ in state.air.port = port }
    }

    /// Records that the advertisement of the plan has started.
    func began(_ plan: Engine.AdvertisingPlan) {
        guard let content = plan.content else { return }
        engine.change { state, now in state.origin.began(content, at: now) }
    }
}
