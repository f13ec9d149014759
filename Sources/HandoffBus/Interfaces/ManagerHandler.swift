package import DBus

/// The methods and properties of `org.handoffd.Manager1`, implemented by the daemon.
///
/// Every member is called on the loop's thread, in the order in which the calls came, and may not block, but for
/// `createActivity`, which is called from a task of its own, in the order of the client's calls.
package protocol ManagerHandler: Sendable {
    /// The daemon's state.
    var status: DaemonStatus { get }
    /// This device's card.
    var card: String { get }

    /// Creates an activity that belongs to `client`.
    func createActivity(ofType type: String, _ draft: ActivityDraft, by client: BusName) throws -> ObjectPath
    /// Adds the device of a card to the circle.
    func trust(card: String) async throws -> ObjectPath
    /// Gives this device a name on all devices of its circle.
    func rename(to name: String) async throws
    /// Trusts a known device again, whoever has removed or brought it.
    func keep(device id: String) async throws
    /// Removes a known device, which need not be trusted.
    func remove(device id: String) async throws
    /// Leaves the circle without notifying the other devices.
    func leave() async throws
    /// Scans continuously until `client` leaves the bus or calls ``stopLooking(for:)``.
    func startLooking(for client: BusName) throws
    /// Ends the effect of ``startLooking(for:)``.
    func stopLooking(for client: BusName)
    /// Records that the process has the focus, as `client` has found out; nil while it is unknown which one has it.
    func setFocus(_ process: UInt32?, by client: BusName)
    /// Opens a stream to the app that began an activity which was continued here.
    ///
    /// - Returns: what opens the stream, which may take long.
    func openStream(continuation: String, by caller: Caller) -> @Sendable () async throws -> UnixFD
    /// Begins the use of receipts for the stream of which `stream` is the app's end.
    ///
    /// - Returns: the app's end of the connection over which they are given.
    func confirmStream(_ stream: UnixFD) throws -> UnixFD
    /// Cancels the calls of `openStream` for that continuation by `client` which are in progress.
    func cancelStream(continuation: String, by client: BusName)
}

extension Interface {
    /// `org.handoffd.Manager1`, served by `handler`.
    package static func manager(_ handler: some ManagerHandler) -> Interface {
        Interface(
            ManagerInterface.declaration,
            methods: [createActivity(handler)] + circle(handler) + attention(handler) + streams(handler),
            properties: DaemonStatus.properties(of: { handler.status })
        )
    }

    private static func createActivity(_ handler: some ManagerHandler) -> Method {
        ManagerInterface.createActivity.served { invocation in
            let type = try invocation.argument(0, as: String.self)
            let draft = try ActivityDraft(properties: invocation.arguments[1])
            let client = invocation.sender
            return .ordered { [.objectPath(try handler.createActivity(ofType: type, draft, by: client))] }
        }
    }

    /// The methods about the devices of the circle.
    private static func circle(_ handler: some ManagerHandler) -> [Method] {
        [
            ManagerInterface.card.served { _ in .reply([.string(handler.card)]) },
            ManagerInterface.trustCard.served { invocation in
                let card = try invocation.argument(0, as: String.self)
                return .deferred { [.objectPath(try await handler.trust(card: card))] }
            },
            ManagerInterface.rename.served { invocation in
                let name = try invocation.argument(0, as: String.self)
                return .doneAfter { try await handler.rename(to: name) }
            },
            ManagerInterface.leave.served { _ in .doneAfter { try await handler.leave() } },
            ManagerInterface.keepDevice.served { invocation in
                let id = try invocation.argument(0, as: String.self)
                return .doneAfter { try await handler.keep(device: id) }
            },
            ManagerInterface.removeDevice.served { invocation in
                let id = try invocation.argument(0, as: String.self)
                return .doneAfter { try await handler.remove(device: id) }
            },
        ]
    }

    /// The methods about what the person looks at.
    private static func attention(_ handler: some ManagerHandler) -> [Method] {
        [
            ManagerInterface.startLooking.served { invocation in
                try handler.startLooking(for: invocation.sender)
                return .done
            },
            ManagerInterface.stopLooking.served { invocation in
                handler.stopLooking(for: invocation.sender)
                return .done
            },
            ManagerInterface.setFocus.served { invocation in
                let process = try invocation.argument(0, as: UInt32.self)
                handler.setFocus(process == 0 ? nil : process, by: invocation.sender)
                return .done
            },
        ]
    }

    private static func streams(_ handler: some ManagerHandler) -> [Method] {
        [
            ManagerInterface.openStream.served { invocation in
                let continuation = try invocation.argument(0, as: String.self)
                let stream = handler.openStream(continuation: continuation, by: Caller(invocation))
                return .deferred { [.unixFD(try await stream())] }
            },
            ManagerInterface.confirmStream.served { invocation in
                .reply([.unixFD(try handler.confirmStream(invocation.argument(0)))])
            },
            ManagerInterface.cancelStream.served { invocation in
                handler.cancelStream(continuation: try invocation.argument(0), by: invocation.sender)
                return .done
            },
        ]
    }
}
