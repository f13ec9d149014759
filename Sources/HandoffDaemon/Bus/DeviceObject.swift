import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel

/// Implements `Device1` for one trusted device of the engine.
struct DeviceObject: DeviceHandler {
    let engine: Engine
    let id: DeviceID

    var description: DeviceDescription { engine.trust.describe(id) }

    var consequencesOfRemoval: RemovalConsequences {
        RemovalConsequences(engine.trust.consequences(ofRemoving: id))
    }

    func remove() async throws {
        try await engine.trust.remove(id)
    }

    func rename(to name: String) async throws {
        try await engine.trust.rename(id, to: DeviceName(name))
    }
}
