/// An error of bluetoothd or of communicating with it: a code, and a message that says what to do.
package struct BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``BlueZError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// bluetoothd is not running.
        case serviceAbsent
        /// bluetoothd was stopped or restarted during an operation.
        case serviceRestarted
        /// The policy of the bus does not allow this process to call bluetoothd.
        case accessDenied
        /// The connection to the bus was lost.
        case busLost
        /// bluetoothd did not answer in time.
        case timedOut
        /// The calling task was cancelled.
        case cancelled
        /// The adapter was removed or never existed.
        case adapterAbsent
        /// The adapter is switched off.
        case poweredOff
        /// The adapter is blocked by rfkill.
        case blocked
        /// The advertisement was valid, but bluetoothd or the kernel refused it.
        case advertisingRefused
        /// All advertisements that the controller can hold are in use.
        case advertisingSlotsTaken
        /// The advertisement is too long to be sent.
        case invalidAdvertisement
        /// bluetoothd stopped an active advertisement.
        case advertisementReleased
        /// bluetoothd refused to start discovery.
        case discoveryRefused
        /// A running discovery was stopped from outside.
        case discoveryEnded
        /// bluetoothd refused the GATT application.
        case applicationRefused
        /// bluetoothd is already performing such an operation.
        case busy
        /// bluetoothd does not know the device.
        case deviceAbsent
        /// The connection to the device failed.
        case connectFailed
        /// The link to the device was lost.
        case notConnected
        /// The device does not have that service or characteristic.
        case attributeAbsent
        /// The device refused a read or write of a characteristic.
        case attributeRefused
        /// bluetoothd rejected the arguments: a bug here, or an unknown version of bluetoothd.
        case invalidArguments
        /// bluetoothd answered with a value that the org.bluez documentation does not specify.
        case unexpectedReply
        /// Any other error.
        case failed

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    package let code: Code

    /// A sentence for the user: what went wrong and what to do.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
