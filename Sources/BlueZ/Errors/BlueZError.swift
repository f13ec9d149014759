/// An error of bluetoothd or of communicating with it: a code, and a message that says what to do.
package struct BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``BlueZError``; a struct, so that codes can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case serviceAbsent, serviceRestarted, accessDenied, busLost, timedOut, cancelled
            case adapterAbsent, poweredOff, blocked
            case advertisingRefused, advertisingSlotsTaken, invalidAdvertisement, advertisementReleased
            case discoveryRefused, discoveryEnded, applicationRefused
            case busy, deviceAbsent, connectFailed, notConnected, attributeAbsent, attributeRefused
            case invalidArguments, unexpectedReply, failed
        }

        private let wrapped: Wrapped

        package var description: String { wrapped.rawValue }

        /// bluetoothd is not running.
        package static let serviceAbsent = Code(wrapped: .serviceAbsent)
        /// bluetoothd was stopped or restarted during an operation.
        package static let serviceRestarted = Code(wrapped: .serviceRestarted)
        /// The policy of the bus does not allow this process to call bluetoothd.
        package static let accessDenied = Code(wrapped: .accessDenied)
        /// The connection to the bus was lost.
        package static let busLost = Code(wrapped: .busLost)
        /// bluetoothd did not answer in time.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The calling task was cancelled.
        package static let cancelled = Code(wrapped: .cancelled)
        /// The adapter was removed or never existed.
        package static let adapterAbsent = Code(wrapped: .adapterAbsent)
        /// The adapter is switched off.
        package static let poweredOff = Code(wrapped: .poweredOff)
        /// The adapter is blocked by rfkill.
        package static let blocked = Code(wrapped: .blocked)
        /// The advertisement was valid, but bluetoothd or the kernel refused it.
        package static let advertisingRefused = Code(wrapped: .advertisingRefused)
        /// All advertisements that the controller can hold are in use.
        package static let advertisingSlotsTaken = Code(wrapped: .advertisingSlotsTaken)
        /// The advertisement is too long to be sent.
        package static let invalidAdvertisement = Code(wrapped: .invalidAdvertisement)
        /// bluetoothd stopped an active advertisement.
        package static let advertisementReleased = Code(wrapped: .advertisementReleased)
        /// bluetoothd refused to start discovery.
        package static let discoveryRefused = Code(wrapped: .discoveryRefused)
        /// A running discovery was stopped from outside.
        package static let discoveryEnded = Code(wrapped: .discoveryEnded)
        /// bluetoothd refused the GATT application.
        package static let applicationRefused = Code(wrapped: .applicationRefused)
        /// bluetoothd is already performing such an operation.
        package static let busy = Code(wrapped: .busy)
        /// bluetoothd does not know the device.
        package static let deviceAbsent = Code(wrapped: .deviceAbsent)
        /// The connection to the device failed.
        package static let connectFailed = Code(wrapped: .connectFailed)
        /// The link to the device was lost.
        package static let notConnected = Code(wrapped: .notConnected)
        /// The device does not have that service or characteristic.
        package static let attributeAbsent = Code(wrapped: .attributeAbsent)
        /// The device refused a read or write of a characteristic.
        package static let attributeRefused = Code(wrapped: .attributeRefused)
        /// bluetoothd rejected the arguments: a bug here, or an unknown version of bluetoothd.
        package static let invalidArguments = Code(wrapped: .invalidArguments)
        /// bluetoothd answered with a value that the org.bluez documentation does not specify.
        package static let unexpectedReply = Code(wrapped: .unexpectedReply)
        /// Any other error.
        package static let failed = Code(wrapped: .failed)
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
