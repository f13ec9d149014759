import HandoffDaemon

/// The targets, each of which reads one kind of input from outside.
enum TargetName: String, CaseIterable {
    // What unknown devices can send.
    case advertisement, frame, stranger, message, gatt, pairing, connection
    // What trusted devices can send, behind a handshake with the right keys.
    case caller, listener, stream, circle
    // What web sites send, which anybody may have set up.
    case site
    // What users and programs of this computer hand over, and what is read from its files.
    case card, address, bus, json, desktop, browser, state

    /// Prepares the target.
    ///
    /// - Parameter directory: a directory for the files that the target reads.
    func target(in directory: StateDirectory) async throws -> any FuzzTarget & Sendable {
        switch self {
        case .advertisement: try AdvertisementTarget()
        case .frame: FrameTarget()
        case .stranger: try StrangerTarget()
        case .message: MessageTarget()
        case .gatt: GATTTarget()
        case .pairing: try PairingTarget()
        case .connection: ConnectionTarget()
        case .caller: try CallerTarget()
        case .listener: try ListenerTarget()
        case .stream: try StreamTarget()
        case .circle: try CircleTarget(in: directory)
        case .site: try SiteTarget()
        case .card: CardTarget()
        case .address: AddressTarget()
        case .bus: BusTarget()
        case .json: JSONTarget()
        case .desktop: DesktopTarget()
        case .browser: BrowserTarget()
        case .state: try await StateTarget(in: directory)
        }
    }
}
