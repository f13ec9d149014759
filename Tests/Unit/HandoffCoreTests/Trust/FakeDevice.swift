import HandoffCore
import HandoffCrypto
import HandoffModel

/// A device whose signatures are its own id, so that a model check can run without cryptography.
struct FakeDevice: Hashable {
    let keys: DevicePublicKeys
    let name: String

    var id: DeviceID { keys.device }
    var identity: DeviceIdentity { DeviceIdentity(publicKeys: keys, name: DeviceName(cleaning: name, of: id)) }

    init(_ number: UInt8, named name: String? = nil) throws {
        let key = [number &+ 9] + [UInt8](repeating: 7, count: 31)
        keys = try DevicePublicKeys(rawRepresentation: key + key)
        self.name = name ?? "device \(number)"
    }

    /// Signs a statement in this device's name.
    func sign(_ statement: CircleStatement) -> SignedStatement {
        SignedStatement(statement, signature: id.bytes)
    }

    /// Says something, with a signature.
    func adds(_ other: FakeDevice) -> SignedStatement { sign(.add(author: id, other.keys, name: other.name)) }
    func removes(_ other: FakeDevice) -> SignedStatement { sign(.remove(author: id, other.id)) }
    func names(_ other: FakeDevice, _ name: String, version: UInt32) -> SignedStatement {
        sign(.name(author: id, other.id, version: version, name))
    }

    /// Checks a signature as ``sign(_:)`` makes it.
    static func isValid(_ signed: SignedStatement, _ keys: DevicePublicKeys) -> Bool {
        signed.signature == keys.device.bytes
    }
}

extension Circle {
    /// Takes in statements whose signatures are ids.
    mutating func hear(_ statements: [SignedStatement]) { join(statements, isValid: FakeDevice.isValid) }
    mutating func hear(_ statements: SignedStatement...) { hear(statements) }
}
