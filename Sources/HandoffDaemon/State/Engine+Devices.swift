import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio

extension Engine {
    /// Trusts a device from now on.
    ///
    /// - Throws: ``HandoffError`` with `ownCard`, `limitReached` or `stateUnwritable`.
    func trust(_ device: TrustedDevices.Device) throws(HandoffError) {
        guard device.id != identity.id else {
            throw HandoffError(.ownCard, "This card is this device's own; trust it on your other device instead.")
        }
        try TrustedDevices.checkKey(of: device, for: identity)
        _ = try changeDevices { devices throws(HandoffError) in
            let isKnown = devices[device.id] != nil
            try devices.insert(device)
            return isKnown
        } then: { state, isKnown throws(HandoffError) in
            try state.rekey(for: identity)
            if state.pairing.trusted(device.id) { state.outbox.append(.pairingsChanged) }
            state.outbox.append(isKnown ? .deviceChanged(device) : .deviceAdded(device))
        }
    }

    /// Removes a trusted device; its entries disappear at once, and this device advertises under a new key.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `stateUnwritable`.
    func remove(_ id: DeviceID) throws(HandoffError) {
        try changeDevices { devices throws(HandoffError) in
            try devices.remove(id)
        } then: { state, _ throws(HandoffError) in
            try state.rekey(for: identity)
            state.forget(id)
            state.pairing.forget(id, for: identity)
        }
        removals.set(())
    }

    /// Leaves the circle without notifying any other device, and advertises under a new key.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func leave() throws(HandoffError) {
        _ = try changeDevices { devices throws(HandoffError) in
            let left = devices.all.map(\.id)
            try devices.leave()
            return left
        } then: { state, left throws(HandoffError) in
            try state.rekey(for: identity)
            for id in left {
                state.forget(id)
                state.pairing.forget(id, for: identity)
            }
            state.outbox.append(.identityChanged)
        }
        removals.set(())
    }

    /// Runs `body` as long as a device is trusted.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when the device is removed first; else what `body` throws.
    func whileTrusted(_ id: DeviceID, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await race(body) { [self] in
            var version = removals.current
            while read({ $0.devices[id] != nil }) { version = try await removals.changed(since: version) }
            throw HandoffError(.unknownDevice, "That device is not trusted any more.")
        }
    }

    /// Sets the state of the radio.
    func radioChanged(to radio: RadioState) {
        change { state, _ in
            if case .ready = radio { state.radioGeneration += 1 }
            state.radio = radio
            state.outbox.append(.radioChanged)
        }
    }

    /// Sets the port of the listener; nil when it cannot be reached.
    func listening(at port: LEPSM?) {
        change { state, _ in state.port = port }
    }
}
