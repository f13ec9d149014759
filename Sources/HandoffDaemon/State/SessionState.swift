import HandoffCore
import HandoffModel

/// The engine's state of sessions with trusted devices: where to dial them, and which need a circle update.
struct SessionState: Sendable {
    /// The endpoint at which each trusted device was heard last.
    private(set) var endpoints: [DeviceID: PeerEndpoint] = [:]
    /// Whether streams may move to the local network.
    var usesLocalNetwork = true
    private var updateThrottles: [DeviceID: UpdateThrottle] = [:]
    /// The devices that were found to know a different state of the circle.
    private var divergentPeers: Set<DeviceID> = []

    /// Records where a device was heard; nil leaves what is known.
    mutating func recordEndpoint(_ endpoint: PeerEndpoint?, of device: DeviceID) {
        if let endpoint { endpoints[device] = endpoint }
    }

    /// Records that a device has advertised a circle update for this one.
    mutating func recordInvitation(by device: DeviceID, at now: Moment) {
        updateThrottles[device, default: UpdateThrottle()].recordInvitation(at: now)
    }

    /// Records that an exchange with a device has brought something that was not known.
    mutating func recordNews(from device: DeviceID) {
        updateThrottles[device]?.recordNews()
    }

    /// Records that somebody has come to this device: a device whose call has failed is dialled again.
    mutating func somebodyCame() {
        for device in updateThrottles.keys { updateThrottles[device]?.somebodyCame() }
    }

    /// Records whether a device was found to know a different state of the circle.
    mutating func setDivergent(_ isDivergent: Bool, _ device: DeviceID) {
        if isDivergent { divergentPeers.insert(device) } else { divergentPeers.remove(device) }
    }

    /// Returns whether a device that is nearby has to be dialled for a circle update; if so, counts the call.
    ///
    /// It is dialled once in a slot while it may not know the present circle, some more times when it advertises an
    /// update, and once more when a session has shown that it knows a different state.
    mutating func shouldUpdate(_ device: DeviceID, hasUpdate: Bool, at now: Moment) -> Bool {
        let isDivergent = divergentPeers.remove(device) != nil
        let isDue = updateThrottles[device, default: UpdateThrottle()].shouldCall(at: now, hasUpdate: hasUpdate)
        return isDue || isDivergent
    }

    /// Forgets a device that was removed.
    mutating func forget(_ device: DeviceID) {
        endpoints[device] = nil
        updateThrottles[device] = nil
        divergentPeers.remove(device)
    }
}
