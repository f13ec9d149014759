import HandoffBus

/// A device that this one knows, as a person can name it on the command line.
enum KnownDevice: Sendable {
    case own(id: String, name: String)
    case trusted(DeviceDescription)
    case unconfirmed(UnconfirmedDevice)
    case questionable(DeviceQuestion)

    var id: String {
        switch self {
        case .own(let id, _): id
        case .trusted(let device): device.id
        case .unconfirmed(let device): device.id
        case .questionable(let question): question.id
        }
    }

    var name: String {
        switch self {
        case .own(_, let name): name
        case .trusted(let device): device.name
        case .unconfirmed(let device): device.name
        case .questionable(let question): question.name
        }
    }

    /// How many digits of an id name a device for what cannot be undone: one digit that is left over by mistake must not
    /// name any.
    private static let digitsForGood = 8

    /// Returns the device that `text` names, in upper or lower case: by its whole id, else by its name, else by the
    /// beginning of its id.
    ///
    /// - Parameter isForGood: whether what follows cannot be undone: then the beginning has to have eight digits.
    /// - Throws: ``CommandFailure`` unless it names exactly one of the devices, with the ids of those that it names.
    static func named(
        _ text: String,
        among devices: [KnownDevice],
        isForGood: Bool = false
    ) throws(CommandFailure) -> KnownDevice {
        let lowered = text.lowercased()
        if let device = devices.first(where: { $0.id == lowered }) { return device }
        let namesakes = devices.filter { !lowered.isEmpty && $0.name.lowercased() == lowered }
        let matches = namesakes.isEmpty ? devices.filter { !lowered.isEmpty && $0.id.hasPrefix(lowered) } : namesakes
        let quoted = printable(text).debugDescription
        guard let device = matches.first else {
            throw failure("No device has the name or the ID \(quoted). `handoffctl devices` lists them.")
        }
        guard !isForGood || !namesakes.isEmpty || lowered.count >= digitsForGood else {
            let cure = "give its name, or \(digitsForGood) digits of its ID"
            throw failure("This cannot be undone, and \(quoted) is only the beginning of an ID; \(cure):", matches)
        }
        guard matches.count == 1 else {
            throw failure("Several devices are named \(quoted); give the ID of one:", matches)
        }
        return device
    }

    /// A text that names no device, or that may name these.
    private static func failure(_ sentence: String, _ devices: [KnownDevice] = []) -> CommandFailure {
        let list = devices.map { "\n  \($0.id)  \(printable($0.name))" }
        return CommandFailure(status: .notFound, message: sentence + list.joined())
    }
}

extension HandoffClient {
    /// Returns all devices that this one knows and that `handoffctl devices` lists, this one first.
    func knownDevices() async throws -> [KnownDevice] {
        let status = try await status()
        let devices = try await objects().devices
        let unconfirmed = try await unconfirmedDevices()
        return [.own(id: status.deviceID, name: status.deviceName)] + devices.map(KnownDevice.trusted)
            + unconfirmed.map(KnownDevice.unconfirmed) + status.questions.map(KnownDevice.questionable)
    }
}
