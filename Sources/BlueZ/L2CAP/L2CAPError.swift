package import SystemPackage

/// An error of a Bluetooth socket: a code, and a message that says what to do.
package struct L2CAPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of an ``L2CAPError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// This kernel does not support Bluetooth.
        case noBluetooth
        /// This kernel does not support LE credit-based channels.
        case unsupported
        /// The host has no adapter, or none with that address.
        case noAdapter
        /// The adapter is switched off.
        case poweredOff
        /// The system does not permit the operation.
        case notPermitted
        /// Another program listens on the PSM.
        case portTaken
        /// The peer answered and refused the channel.
        case refused
        /// The peer did not answer in time.
        case timedOut
        /// A connection to the device is already being made.
        case busy
        /// The connection failed, but the next attempt may succeed.
        case transient
        /// The link of an open channel was lost.
        case connectionLost
        /// This end is closed.
        case closed
        /// The task was cancelled.
        case cancelled
        /// The message is empty, or longer than the peer accepts.
        case messageTooLong
        /// Any other error; the message contains the system's description.
        case unexpected

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    /// The operation that failed; the raw value is used in messages.
    package enum Operation: String, Hashable, Sendable {
        case open = "Opening a Bluetooth socket"
        case listen = "Listening for Bluetooth channels"
        case connect = "Opening a Bluetooth channel"
        case transfer = "Using a Bluetooth channel"
    }

    package let code: Code

    /// A sentence for the user: what went wrong and what to do.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates the error for a channel that could not be opened, with the time that was spent and the time limit.
    ///
    /// If the peer does not answer within the limit, the kernel ends the attempt with ECONNREFUSED, as if the peer had
    /// refused it (net/bluetooth/l2cap_core.c, `l2cap_chan_timeout`: in the state BT_CONNECT). So from the limit on, that
    /// means a time-out.
    package init(_ errno: Errno, connectingFor time: Duration, limit: Duration) {
        let ended = errno == .connectionRefused && time >= limit
        self.init(ended ? .timedOut : errno, during: .connect)
    }

    /// Creates the error for a failed operation from its `errno`.
    package init(_ errno: Errno, during operation: Operation) {
        let (code, cure) =
            switch (operation, errno) {
            case (.transfer, _): Self.transferMeaning(errno)
            case (.open, .noFunction), (.listen, .noFunction), (_, .notSupportedOnSocket):
                // Not for connect(2), where ENOSYS stands for all Bluetooth errors without an errno of their own.
                (.unsupported, "This kernel has no LE credit-based channels; use one with CONFIG_BT_LE.")
            default: Self.setUpMeaning(errno)
            }
        self.init(code, "\(operation.rawValue) failed: \(errno). \(cure)")
    }

    /// Returns the code and advice for an error before a channel is open.
    private static func setUpMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .addressFamilyNotSupported, .protocolNotSupported, .socketTypeNotSupported:
            // net/bluetooth/af_bluetooth.c, bt_sock_create: the address family is missing, or has no L2CAP.
            (
                .noBluetooth,
                "This kernel has no Bluetooth; load the module `bluetooth`, or use a kernel with CONFIG_BT_LE."
            )
        case .noRouteToHost, .addressNotAvailable, .operationNotSupportedByDevice:
            // net/bluetooth/l2cap_core.c, l2cap_chan_connect: no adapter is up that could reach the device.
            (.noAdapter, "No usable Bluetooth adapter; plug one in and switch it on.")
        case .networkDown:
            (.poweredOff, "The adapter is off; switch Bluetooth on.")
        case .permissionDenied, .notPermitted:
            // net/bluetooth/l2cap_sock.c, l2cap_sock_bind: PSMs below 0x80 need CAP_NET_BIND_SERVICE.
            (.notPermitted, "A sandbox forbids it, or the PSM is below 0x80; allow the address family AF_BLUETOOTH.")
        case .addressInUse: (.portTaken, "Another program listens on this PSM; let the kernel choose one (PSM 0).")
        default: connectMeaning(errno)
        }
    }

    /// Returns the code and advice for an error of connect(2).
    private static func connectMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .connectionRefused:
            // net/bluetooth/l2cap_core.c, l2cap_le_connect_rsp; also when LE is off here.
            (.refused, "The device no longer listens on that PSM; wait for its next advertisement.")
        case .timedOut, .hostIsDown:
            // net/bluetooth/lib.c, bt_to_errno: EHOSTDOWN is 0x04, page timeout.
            (.timedOut, "The device did not answer; bring it nearer and wake it up.")
        case .connectionReset, .socketNotConnected:
            // The peer accepted the channel and closed it before connect(2) completed, or before its MTU was read
            // (l2cap_sock_getsockopt): another attempt would end the same way.
            (.connectionLost, "The device closed the channel as soon as it was open.")
        case .resourceBusy:
            // net/bluetooth/hci_conn.c, hci_connect_le: only one attempt at a time.
            (.busy, "A connection to this device is already being made; wait for it to finish.")
        case .noFunction, .connectionAbort, .wouldBlock, .alreadyInProcess:
            // net/bluetooth/lib.c, bt_to_errno: ENOSYS stands for all other codes, such as 0x3E, connection failed to
            // be established.
            (.transient, "This happens when the radio channel is busy; try again a little later.")
        case .canceled: (.cancelled, "It was cancelled.")
        case .badFileDescriptor: (.closed, "The socket was closed on this side.")
        default: (.unexpected, "This error is unexpected; see the kernel's log for more.")
        }
    }

    /// Returns the code and advice for an error on an open channel.
    private static func transferMeaning(_ errno: Errno) -> (Code, String) {
        switch errno {
        case .connectionReset, .timedOut, .connectionAbort, .noFunction, .hostIsDown, .networkDown, .noRouteToHost:
            // net/bluetooth/l2cap_core.c, l2cap_conn_del: the reason for the loss of the link, as an errno.
            (.connectionLost, "The link broke; bring the devices nearer and try again.")
        case .brokenPipe, .socketNotConnected, .badFileDescriptor, .socketShutdown:
            (.closed, "The channel is closed.")
        case .canceled: (.cancelled, "It was cancelled.")
        case .messageTooLong:
            // `send` checks the length: so the kernel has given the channel another MTU (Docs/BlueZ.md).
            (
                .connectionLost,
                "The kernel has mixed the channel up with one that bluetoothd opened; set 'Channels = 1' under [GATT] in "
                    + "/etc/bluetooth/main.conf and restart bluetooth.service."
            )
        default: (.unexpected, "This error is unexpected; see the kernel's log for more.")
        }
    }
}
