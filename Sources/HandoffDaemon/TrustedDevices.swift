import SystemPackage
import FoundationEssentials
package import HandoffCore
package import HandoffCrypto
package import HandoffModel
// FoundationEssentials has a DeviceID of the file system.
package import struct HandoffModel.DeviceID

/// The devices that this one trusts, kept in the state directory.
package struct TrustedDevices: Sendable {
    /// One trusted device.
    package struct Device: Hashable, Sendable {
        package let id: DeviceID
        package let name: DeviceName
        package let publicKey: DevicePublicKey
        package let advertisingKey: AdvertisingKey
    }

    /// The largest number of devices; each costs the scanner work for every advertisement heard.
    package static let maximumCount = 100

    private struct Entry: Codable {
        var name: String
        var publicKey: Data
        var advertisingKey: Data
    }

    private static let file = StateFile<[Entry]>(name: "devices", version: 1)

    private let directory: StateDirectory
    private var devices: [DeviceID: Device] = [:]

    /// The devices in `directory`; none when the file is not there yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; it stays as it is.
    package init(from directory: StateDirectory) throws(HandoffError) {
        self.directory = directory
        for entry in try Self.file.read(from: directory) ?? [] {
            do {
                let device = Device(
                    name: try DeviceName(entry.name),
                    publicKey: try DevicePublicKey(rawRepresentation: Array(entry.publicKey)),
                    advertisingKey: try AdvertisingKey(rawRepresentation: Array(entry.advertisingKey))
                )
                devices[device.id] = device
            } catch {
                throw HandoffError(
                    .stateDamaged,
                    "\(directory.path.appending("devices")) holds an entry that is no device. Restore it from a backup."
                )
            }
        }
    }

    /// All devices, by name.
    package var all: [Device] {
        devices.values.sorted { ($0.name.rawValue, $0.id.description) < ($1.name.rawValue, $1.id.description) }
    }

    package var isEmpty: Bool { devices.isEmpty }

    /// The device with that id, if it is trusted.
    package subscript(id: DeviceID) -> Device? { devices[id] }

    /// Trusts a device, or takes over the new name and advertising key of one that is trusted already.
    ///
    /// - Throws: ``HandoffError`` when there are too many, or the file cannot be written; then nothing has changed.
    package mutating func insert(_ device: Device) throws(HandoffError) {
        guard devices[device.id] != nil || devices.count < Self.maximumCount else {
            throw HandoffError(
                .limitReached,
                "\(Self.maximumCount) devices are trusted, which is the most; remove one of them first."
            )
        }
        try replace { $0[device.id] = device }
    }

    /// Ends the trust in a device.
    ///
    /// - Throws: ``HandoffError`` when it is not trusted, or the file cannot be written; then nothing has changed.
    package mutating func remove(_ id: DeviceID) throws(HandoffError) {
        guard devices[id] != nil else {
            throw HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
        }
        try replace { $0[id] = nil }
    }

    /// Opens what these devices advertise.
    package var opener: AdvertisementOpener<DeviceID> {
        AdvertisementOpener(keys: all.map { ($0.id, $0.advertisingKey) })
    }

    /// Finds out which of these devices calls.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when one of them has a key that protects nothing.
    package func trial(for identity: Identity) throws(HandoffError) -> NoiseResponderTrial<DeviceID> {
        try Self.trial(of: all, for: identity, failure: .stateDamaged)
    }

    /// Refuses a device whose key protects nothing, before it is kept.
    ///
    /// - Throws: ``HandoffError`` with `invalidCard`.
    package static func checkKey(of device: Device, for identity: Identity) throws(HandoffError) {
        _ = try trial(of: [device], for: identity, failure: .invalidCard)
    }

    private static func trial(
        of devices: [Device],
        for identity: Identity,
        failure: HandoffError.Code
    ) throws(HandoffError) -> NoiseResponderTrial<DeviceID> {
        do {
            return try NoiseResponderTrial(
                localStatic: identity.keys.agreement,
                candidates: devices.map { ($0.id, $0.publicKey) }
            )
        } catch {
            throw HandoffError(failure, error.message)
        }
    }

    private mutating func replace(_ change: (inout [DeviceID: Device]) -> Void) throws(HandoffError) {
        var draft = self
        change(&draft.devices)
        let entries = draft.all.map {
            Entry(
                name: $0.name.rawValue,
                publicKey: Data($0.publicKey.rawRepresentation),
                advertisingKey: Data($0.advertisingKey.rawRepresentation)
            )
        }
        try Self.file.write(entries, to: directory)
        self = draft
    }
}

extension TrustedDevices.Device {
    /// The device of a public key; its id follows from it.
    package init(name: DeviceName, publicKey: DevicePublicKey, advertisingKey: AdvertisingKey) {
        self.init(id: publicKey.device, name: name, publicKey: publicKey, advertisingKey: advertisingKey)
    }
}
