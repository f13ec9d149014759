/// An error of bluetoothd, or of reaching it: which kind, and a sentence that says what to do.
package struct BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``BlueZError``; a struct, so that kinds can be added.
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

        /// bluetoothd does not run.
        package static let serviceAbsent = Code(wrapped: .serviceAbsent)
        /// bluetoothd went away or was restarted while something was being done.
        package static let serviceRestarted = Code(wrapped: .serviceRestarted)
        /// The policy of the bus does not let this process talk to bluetoothd.
        package static let accessDenied = Code(wrapped: .accessDenied)
        /// The connection to the bus is gone.
        package static let busLost = Code(wrapped: .busLost)
        /// bluetoothd did not answer in time.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The calling task was cancelled.
        package static let cancelled = Code(wrapped: .cancelled)
        /// The adapter was removed, or never was there.
        package static let adapterAbsent = Code(wrapped: .adapterAbsent)
        /// The adapter is switched off.
        package static let poweredOff = Code(wrapped: .poweredOff)
        /// The adapter is blocked by rfkill.
        package static let blocked = Code(wrapped: .blocked)
        /// The advertisement was well formed and bluetoothd or the kernel refused it.
        package static let advertisingRefused = Code(wrapped: .advertisingRefused)
        /// All advertisements that the controller can hold are taken.
        package static let advertisingSlotsTaken = Code(wrapped: .advertisingSlotsTaken)
        /// The advertisement does not fit the air.
        package static let invalidAdvertisement = Code(wrapped: .invalidAdvertisement)
        /// bluetoothd took a running advertisement off the air.
        package static let advertisementReleased = Code(wrapped: .advertisementReleased)
        /// bluetoothd would not look for devices.
        package static let discoveryRefused = Code(wrapped: .discoveryRefused)
        /// A running discovery was ended from outside.
        package static let discoveryEnded = Code(wrapped: .discoveryEnded)
        /// bluetoothd did not take the GATT application.
        package static let applicationRefused = Code(wrapped: .applicationRefused)
        /// bluetoothd is doing one of these already.
        package static let busy = Code(wrapped: .busy)
        /// bluetoothd knows no such device.
        package static let deviceAbsent = Code(wrapped: .deviceAbsent)
        /// The device could not be reached.
        package static let connectFailed = Code(wrapped: .connectFailed)
        /// The link to the device is gone.
        package static let notConnected = Code(wrapped: .notConnected)
        /// The device does not have that service or characteristic.
        package static let attributeAbsent = Code(wrapped: .attributeAbsent)
        /// The device refused to read or write a characteristic.
        package static let attributeRefused = Code(wrapped: .attributeRefused)
        /// bluetoothd found our arguments wrong: our bug, or a version that nobody has met yet.
        package static let invalidArguments = Code(wrapped: .invalidArguments)
        /// bluetoothd answered something that org.bluez does not say it would.
        package static let unexpectedReply = Code(wrapped: .unexpectedReply)
        /// Anything else.
        package static let failed = Code(wrapped: .failed)
    }

    package let code: Code

    /// What went wrong and what to do, in a sentence for a person.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
