package import Bluetooth
package import HandoffRadio

/// The address and port at which a device can be dialled.
package struct PeerEndpoint: Hashable, Sendable {
    package let address: RadioAddress
    package let port: LEPSM

    package init(address: RadioAddress, port: LEPSM) {
        self.address = address
        self.port = port
    }
}
