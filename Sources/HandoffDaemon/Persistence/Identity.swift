import FoundationEssentials
package import HandoffCore
package import HandoffCrypto
package import HandoffModel
import SystemPackage
// FoundationEssentials has a DeviceID for file systems.
package import struct HandoffModel.DeviceID

/// The identity of this device: its keys, generated once and kept in the state directory.
package struct Identity: Sendable {
    package let keys: DeviceKeys

    /// The id under which other devices know this one.
    package var id: DeviceID { keys.publicKeys.device }

    private struct Document: Codable {
        var agreementKey: Data
        var signingKey: Data
    }

    private static let file = StateFile<Document>(name: "identity", version: 2)

    /// Returns the identity in `directory`, which is generated and saved there at the first start.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read, is damaged, is missing beside those that were written after
    ///   it, or cannot be written. A damaged file is not changed.
    package static func loaded(from directory: StateDirectory) async throws(HandoffError) -> Identity {
        if let identity = try read(from: directory) { return identity }
        for name in [CircleFile.name, PairingsFile.name] where try directory.read(name) != nil {
            throw HandoffError(
                .stateDamaged,
                "\(directory.path.appending(file.name)) is missing, and \(name) beside it is not: the keys of this device are "
                    + "lost. Restore it from a backup, or move the directory away to start again as a new device."
            )
        }
        let identity = Identity(keys: .generate())
        try await identity.write(to: directory)
        return identity
    }

    /// Replaces the identity in `directory`.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file has not changed.
    func write(to directory: StateDirectory) async throws(HandoffError) {
        let document = Document(
            agreementKey: Data(keys.agreement.rawRepresentation),
            signingKey: Data(keys.signing.rawRepresentation)
        )
        try await Self.file.write(document, to: directory)
    }

    /// Returns the identity in `directory`; nil when there is none yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged.
    package static func read(from directory: StateDirectory) throws(HandoffError) -> Identity? {
        guard let document = try file.read(from: directory) else { return nil }
        do {
            let keys = DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: Array(document.agreementKey)),
                signing: try SigningKey(rawRepresentation: Array(document.signingKey))
            )
            return Identity(keys: keys)
        } catch {
            throw HandoffError(
                .stateDamaged,
                "\(directory.path.appending("identity")) contains no usable keys. Restore it from a backup."
            )
        }
    }
}
