package import DBus

/// The methods and properties of `org.handoffd.Manager1`, implemented by the daemon.
///
/// Every member is called on the connection's thread, in the order in which the calls came; none may block.
package protocol ManagerHandler: Sendable {
    /// The version of the daemon.
    var version: String { get }
    /// The version of the protocol between devices.
    var protocolVersion: UInt32 { get }
    /// This device's id, 16 hexadecimal digits.
    var deviceID: String { get }
    /// The name under which other devices show this one.
    var deviceName: String { get }
    /// `ready`, or the name of the reason why the radio cannot be used.
    var radioState: String { get }
    /// The radio's name when ready, otherwise a sentence that says what to do.
    var radioMessage: String { get }
    /// The advisories, as pairs of a name and a sentence.
    var advisories: [(name: String, message: String)] { get }
    /// How much is scanned for the activities of other devices, and why not more.
    var scanning: ScanningDescription { get }
    /// The object of the current activity; `/` when there is none.
    var currentActivity: ObjectPath { get }
    /// This device's card.
    var card: String { get }

    /// The known devices about which a person has to decide.
    var questions: [DeviceQuestion] { get }

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
            name: HandoffName.managerInterface,
            methods: [
                createActivity(handler), cardMethod(handler), trustCard(handler), rename(handler), leave(handler),
                keepDevice(handler), removeDevice(handler), startLooking(handler), stopLooking(handler),
                setFocus(handler), openStream(handler), confirmStream(handler), cancelStream(handler),
            ],
            properties: constants(handler) + states(handler)
        ).annotatedForCodeGenerators()
    }

    private static func createActivity(_ handler: some ManagerHandler) -> Method {
        Method(
            name: "CreateActivity",
            inputs: [
                Argument(name: "type", type: .string),
                Argument(name: "properties", type: [String: Value].valueType), .options,
            ],
            outputs: [Argument(name: "activity", type: .objectPath)]
        ) { invocation in
            let type = try invocation.arguments.decode(at: 0, as: String.self)
            let draft = try ActivityDraft(properties: invocation.arguments[1])
            return .reply([.objectPath(try handler.createActivity(ofType: type, draft, by: invocation.sender))])
        }
    }

    private static func cardMethod(_ handler: some ManagerHandler) -> Method {
        Method(name: "Card", inputs: [.options], outputs: [Argument(name: "card", type: .string)]) { _ in
            .reply([.string(handler.card)])
        }
    }

    private static func trustCard(_ handler: some ManagerHandler) -> Method {
        Method(
            name: "TrustCard",
            inputs: [
                Argument(name: "card", type: .string), .options,
            ],
            outputs: [Argument(name: "device", type: .objectPath)]
        ) { invocation in
            let card = try invocation.arguments.decode(at: 0, as: String.self)
            return .deferred { [.objectPath(try await handler.trust(card: card))] }
        }
    }

    private static func rename(_ handler: some ManagerHandler) -> Method {
        Method(name: "Rename", inputs: [Argument(name: "name", type: .string), .options]) { invocation in
            let name = try invocation.arguments.decode(at: 0, as: String.self)
            return .deferred {
                try await handler.rename(to: name)
                return []
            }
        }
    }

    private static func leave(_ handler: some ManagerHandler) -> Method {
        Method(name: "Leave", inputs: [.options]) { _ in
            .deferred {
                try await handler.leave()
                return []
            }
        }
    }

    private static func keepDevice(_ handler: some ManagerHandler) -> Method {
        Method(name: "KeepDevice", inputs: [Argument(name: "id", type: .string), .options]) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: String.self)
            return .deferred {
                try await handler.keep(device: id)
                return []
            }
        }
    }

    private static func removeDevice(_ handler: some ManagerHandler) -> Method {
        Method(name: "RemoveDevice", inputs: [Argument(name: "id", type: .string), .options]) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: String.self)
            return .deferred {
                try await handler.remove(device: id)
                return []
            }
        }
    }

    private static func startLooking(_ handler: some ManagerHandler) -> Method {
        Method(name: "StartLooking", inputs: [.options]) { invocation in
            try handler.startLooking(for: invocation.sender)
            return .reply([])
        }
    }

    private static func stopLooking(_ handler: some ManagerHandler) -> Method {
        Method(name: "StopLooking", inputs: [.options]) { invocation in
            handler.stopLooking(for: invocation.sender)
            return .reply([])
        }
    }

    private static func setFocus(_ handler: some ManagerHandler) -> Method {
        Method(name: "SetFocus", inputs: [Argument(name: "process", type: .uint32), .options]) { invocation in
            let process = try invocation.arguments.decode(at: 0, as: UInt32.self)
            handler.setFocus(process == 0 ? nil : process, by: invocation.sender)
            return .reply([])
        }
    }

    private static func openStream(_ handler: some ManagerHandler) -> Method {
        Method(
            name: "OpenStream",
            inputs: [
                Argument(name: "continuation", type: .string), .options,
            ],
            outputs: [Argument(name: "stream", type: .unixFD)]
        ) { invocation in
            let continuation = try invocation.arguments.decode(at: 0, as: String.self)
            let stream = handler.openStream(continuation: continuation, by: Caller(invocation))
            return .deferred { [.unixFD(try await stream())] }
        }
    }

    private static func confirmStream(_ handler: some ManagerHandler) -> Method {
        Method(
            name: "ConfirmStream",
            inputs: [
                Argument(name: "stream", type: .unixFD), .options,
            ],
            outputs: [Argument(name: "receipts", type: .unixFD)]
        ) { invocation in
            let stream = try invocation.arguments.decode(at: 0, as: UnixFD.self)
            return .reply([.unixFD(try handler.confirmStream(stream))])
        }
    }

    private static func cancelStream(_ handler: some ManagerHandler) -> Method {
        Method(
            name: "CancelStream",
            inputs: [
                Argument(name: "continuation", type: .string), .options,
            ]
        ) { invocation in
            let continuation = try invocation.arguments.decode(at: 0, as: String.self)
            handler.cancelStream(continuation: continuation, by: invocation.sender)
            return .reply([])
        }
    }

    private static func constants(_ handler: some ManagerHandler) -> [Property] {
        [
            Property(name: "Version", type: .string, changes: .constant) { .string(handler.version) },
            Property(name: "ProtocolVersion", type: .uint32, changes: .constant) { .uint32(handler.protocolVersion) },
            Property(name: "DeviceID", type: .string, changes: .emitted) { .string(handler.deviceID) },
        ]
    }

    private static func states(_ handler: some ManagerHandler) -> [Property] {
        [
            Property(name: "DeviceName", type: .string, changes: .emitted) { .string(handler.deviceName) },
            Property(name: "RadioState", type: .string, changes: .emitted) { .string(handler.radioState) },
            Property(name: "RadioMessage", type: .string, changes: .emitted) { .string(handler.radioMessage) },
            Property(name: "Advisories", type: .dictionaries, changes: .emitted) {
                Value.advisories(handler.advisories)
            },
            Property(name: "Scanning", type: [String: Value].valueType, changes: .emitted) {
                handler.scanning.value
            },
            Property(name: "Questions", type: .dictionaries, changes: .emitted) {
                DeviceQuestion.list(handler.questions)
            },
            Property(name: "CurrentActivity", type: .objectPath, changes: .emitted) {
                .objectPath(handler.currentActivity)
            },
        ]
    }
}

extension Value {
    /// Returns advisories as a value of type `aa{sv}`.
    package static func advisories(_ advisories: [(name: String, message: String)]) -> Value {
        .dictionaries(advisories.map { ["Name": .string($0.name), "Message": .string($0.message)] })
    }
}
