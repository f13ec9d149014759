/// A version of the protocol between devices; Docs/Protocol.md describes it.
package struct ProtocolVersion: Hashable, Sendable {
    package let rawValue: Int

    /// The UUID of the service data in advertisements, by which devices learn each other's version.
    package let serviceUUID: String

    /// The UUID of the service data by which pairing devices find each other.
    package let pairingServiceUUID: String

    /// The version that this daemon supports.
    package static let current = ProtocolVersion(
        rawValue: 1,
        serviceUUID: "6496566b-3dbc-40e5-a269-566274cc801d",
        pairingServiceUUID: "4ca8c808-ad9b-44b6-bc9b-8bbf586d90ef"
    )
}
