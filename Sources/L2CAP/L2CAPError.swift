package import SystemPackage

/// An error of a Bluetooth socket: which kind, and a sentence that says what to do.
package struct L2CAPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an ``L2CAPError``; a struct, so that kinds can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case noBluetooth, unsupported, noAdapter, poweredOff, notPermitted, portTaken
            case refused, timedOut, busy, transient
            case connectionLost, closed, cancelled, messageTooLong, unexpected
        }

        private let wrapped: Wrapped

        package var description: String { wrapped.rawValue }

        /// This kernel has no Bluetooth.
        package static let noBluetooth = Code(wrapped: .noBluetooth)
        /// This kernel's Bluetooth has no LE credit-based channels.
        package static let unsupported = Code(wrapped: .unsupported)
        /// The host has no adapter, or none with that address.
        package static let noAdapter = Code(wrapped: .noAdapter)
        /// The adapter is switched off.
        package static let poweredOff = Code(wrapped: .poweredOff)
        /// The system does not allow it.
        package static let notPermitted = Code(wrapped: .notPermitted)
        /// Somebody else listens at that multiplexer.
        package static let portTaken = Code(wrapped: .portTaken)
        /// The peer is there and does not take the channel.
        package static let refused = Code(wrapped: .refused)
        /// Nobody answered in time.
        package static let timedOut = Code(wrapped: .timedOut)
        /// A connection to that device is being made already.
        package static let busy = Code(wrapped: .busy)
        /// The connection failed in a way that the next try may not.
        package static let transient = Code(wrapped: .transient)
        /// An open channel broke.
        package static let connectionLost = Code(wrapped: .connectionLost)
        /// This end is closed.
        package static let closed = Code(wrapped: .closed)
        /// The task was cancelled.
        package static let cancelled = Code(wrapped: .cancelled)
        /// The message is empty, or longer than the peer takes.
        package static let messageTooLong = Code(wrapped: .messageTooLong)
        /// None of these; the message has the system's word for it.
        package static let unexpected = Code(wrapped: .unexpected)
    }

    /// What was being done.
    package enum Operation: String, Hashable, Sendable {
        case open = "Opening a Bluetooth socket"
        case listen = "Listening for Bluetooth channels"
        case connect = "Opening a Bluetooth channel"
        case transfer = "Using a Bluetooth channel"
    }

    package let code: Code

    /// What went wrong and what to do, in a sentence for a person.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What that number of the system means for that operation.
    package init(_ errno: Errno, during operation: Operation) {
        let (code, cure) =
            switch (operation, errno) {
            case (.transfer, _): Self.transferMeaning(errno)
            case (.open, .noFunction), (.listen, .noFunction), (_, .notSupportedOnSocket):
                // Not of connect(2), where ENOSYS is what is left over of the air's reasons.
                (.unsupported, "This kernel has no LE credit-based channels; use one with CONFIG_BT_LE.")
            default: Self.setUpMeaning(errno)
            }
        self.init(code, "\(operation.rawValue) failed: \(errno). \(cure)")
    }

    /// Meanings before a channel is open.
    private static func setUpMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .addressFamilyNotSupported, .protocolNotSupported, .socketTypeNotSupported:
            // net/bluetooth/af_bluetooth.c, bt_sock_create: no family, or no L2CAP in it.
            (
                .noBluetooth,
                "This kernel has no Bluetooth; load the module `bluetooth`, or use a kernel with CONFIG_BT_LE."
            )
        case .noRouteToHost, .addressNotAvailable, .operationNotSupportedByDevice:
            // net/bluetooth/l2cap_core.c, l2cap_chan_connect: no adapter is up that could reach the device.
            (.noAdapter, "No adapter can be used; plug one in and switch it on.")
        case .networkDown:
            (.poweredOff, "The adapter is off; switch Bluetooth on.")
        case .permissionDenied, .notPermitted:
            // net/bluetooth/l2cap_sock.c, l2cap_sock_bind: multiplexers below 0x80 need CAP_NET_BIND_SERVICE.
            (.notPermitted, "A sandbox or a multiplexer below 0x80 forbids it; allow the address family AF_BLUETOOTH.")
        case .addressInUse: (.portTaken, "Another program listens there; let the kernel choose (multiplexer 0).")
        default: connectMeaning(errno)
        }
    }

    /// Meanings of a failed connect(2).
    private static func connectMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .connectionRefused:
            // net/bluetooth/l2cap_core.c, l2cap_le_connect_rsp; also when LE is off here.
            (.refused, "The device does not listen at that multiplexer any more; wait for its next advertisement.")
        case .timedOut, .hostIsDown:
            // net/bluetooth/lib.c, bt_to_errno: EHOSTDOWN is 0x04, nobody answered the page.
            (.timedOut, "The device did not answer; bring it nearer and wake it up.")
        case .connectionReset:
            // The peer took the channel and closed it before connect(2) could say so: another try meets the same.
            (.connectionLost, "The device closed the channel as soon as it was open.")
        case .resourceBusy:
            // net/bluetooth/hci_conn.c, hci_connect_le: one attempt at a time.
            (.busy, "A connection to it is being made already; wait for that.")
        case .noFunction, .connectionAbort, .wouldBlock, .alreadyInProcess:
            // net/bluetooth/lib.c, bt_to_errno: ENOSYS is what is left over, such as 0x3E, connection not established.
            (.transient, "This happens when the air is busy; try again a little later.")
        case .canceled: (.cancelled, "It was cancelled.")
        case .badFileDescriptor: (.closed, "It was closed from this side.")
        default: (.unexpected, "This should not happen; see the kernel's log for more.")
        }
    }

    /// Meanings on an open channel.
    private static func transferMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .connectionReset, .timedOut, .connectionAbort, .noFunction, .hostIsDown, .networkDown, .noRouteToHost:
            // net/bluetooth/l2cap_core.c, l2cap_conn_del: the reason of the link's end, as an errno.
            (.connectionLost, "The link broke; bring the devices nearer and try again.")
        case .brokenPipe, .socketNotConnected, .badFileDescriptor, .socketShutdown:
            (.closed, "The channel is closed.")
        case .canceled: (.cancelled, "It was cancelled.")
        case .messageTooLong: (.messageTooLong, "The message is longer than the peer takes.")
        default: (.unexpected, "This should not happen; see the kernel's log for more.")
        }
    }
}
