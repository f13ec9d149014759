import FoundationEssentials
import HandoffCore
import HandoffCrypto
import HandoffModel
import SystemPackage
// FoundationEssentials has a DeviceID for file systems.
import struct HandoffModel.DeviceID

/// The pairings that may not be reconciled on both sides, kept in the state directory.
enum PairingsFile {
    private struct Entry: Codable {
        var pairing: Data
        var name: String
        var publicKeys: Data
        var settlingKey: Data?
        var standing: String
        var isSettled: Bool
        var began: Int64
    }

    static let name = "pairings"
    private static let file = StateFile<[Entry]>(name: name, version: 2)

    /// Returns the pairings in the file; none when it does not exist yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    static func read(from directory: StateDirectory) throws(HandoffError) -> PairingRecords {
        var records: [PairingRecord] = []
        for entry in try file.read(from: directory) ?? [] {
            do {
                guard let id = PairingID(bytes: Array(entry.pairing)),
                    let status = PairingRecord.Status(rawValue: entry.standing)
                else { throw CryptoError(.malformed, "no id or no standing") }
                let publicKeys = try DevicePublicKeys(rawRepresentation: Array(entry.publicKeys))
                records.append(
                    PairingRecord(
                        id: id,
                        peer: DeviceIdentity(
                            publicKeys: publicKeys,
                            name: DeviceName(cleaning: entry.name, of: publicKeys.device)
                        ),
                        settlingKey: try entry.settlingKey.map {
                            try AdvertisingKey(rawRepresentation: Array($0))
                        },
                        status: status,
                        isReconciled: entry.isSettled,
                        began: entry.began
                    )
                )
            } catch {
                let path = directory.path.appending(name)
                throw HandoffError(
                    .stateDamaged,
                    "\(path) contains an invalid pairing. Restore it from a backup, or move it away: unconfirmed pairings "
                        + "then stay so until the devices are paired again."
                )
            }
        }
        return PairingRecords(records)
    }

    /// Replaces the file durably.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file has not changed.
    static func write(_ records: PairingRecords, to directory: StateDirectory) async throws(HandoffError) {
        let entries = records.all.map {
            Entry(
                pairing: Data($0.id.bytes),
                name: $0.peer.name.rawValue,
                publicKeys: Data($0.peer.publicKeys.rawRepresentation),
                settlingKey: $0.settlingKey.map { Data($0.rawRepresentation) },
                standing: $0.status.rawValue,
                isSettled: $0.isReconciled,
                began: $0.began
            )
        }
        try await file.write(entries, to: directory)
    }
}
