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

    /// Whether `text` is its id, the beginning of that, or its name, in upper or lower case.
    private func isNamed(_ text: String) -> Bool {
        let text = text.lowercased()
        return !text.isEmpty && (id.hasPrefix(text) || name.lowercased() == text)
    }

    /// Returns the device that `text` names: by its whole id, else by its name or the beginning of its id.
    ///
    /// - Throws: ``CommandFailure`` unless it names exactly one of the devices, with the ids of those that it names.
    static func named(_ text: String, among devices: [KnownDevice]) throws(CommandFailure) -> KnownDevice {
        if let device = devices.first(where: { $0.id == text.lowercased() }) { return device }
        let matches = devices.filter { $0.isNamed(text) }
        guard let device = matches.first else {
            throw CommandFailure(
                status: .notFound,
                message: "No device has the name or the ID \(printable(text).debugDescription). `handoffctl devices` "
                    + "lists them."
            )
        }
        guard matches.count == 1 else {
            let list = matches.map { "  \($0.id)  \(printable($0.name))" }.joined(separator: "\n")
            throw CommandFailure(
                status: .notFound,
                message: "Several devices are named \(printable(text).debugDescription); give the ID of one:\n\(list)"
            )
        }
        return device
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
