import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

@testable import HandoffDaemon

/// An exchange of circles that this device begins with a trusted one, whose part the harness plays.
struct CircleExchange: Sendable {
    private let keys: FuzzKeys
    private let devices: TrustedDevices
    private let message: CircleMessage

    /// Prepares a device that trusts the peer.
    ///
    /// - Parameter directory: a directory without the file `devices`.
    init(_ keys: FuzzKeys, in directory: StateDirectory) throws {
        self.keys = keys
        var devices = try TrustedDevices(
            from: directory,
            for: Identity(keys: keys.own),
            named: DeviceName("own"),
            at: FuzzKeys.slot
        )
        let peer = DeviceIdentity(publicKeys: keys.peer.publicKeys, name: try DeviceName("peer"))
        let key = try FuzzKeys.advertisingKey(9)
        try devices.insert(peer, key: key)
        self.devices = devices
        message = CircleMessage(
            statements: nil,
            digest: Circle(of: keys.peer.publicKeys).digest,
            advertisingKey: key.rawRepresentation,
            directedKey: key.daily.key.rawRepresentation,
            knownKey: devices.ownKey.id.bytes
        )
    }

    /// Answers with one set of statements and acknowledges with another.
    func run(_ first: [SignedStatement], _ second: [SignedStatement]) {
        var (answer, acknowledgement) = (message, message)
        answer.statements = first.isEmpty ? nil : first.map(\.bytes)
        acknowledgement.statements = second.isEmpty ? nil : second.map(\.bytes)
        var input = FuzzInput(
            Self.padded(Answer.circle(answer).encode())
                + Self.padded(Acknowledgement(circle: acknowledgement).encode())
        )
        run(&input)
    }

    /// Answers with the plaintexts of the input.
    func run(_ input: inout FuzzInput) {
        let request = Request.circle(CircleRequest(digest: devices.digest))
        var client = ClientSession(keys: keys.own, peer: keys.peer.publicKeys, request: request)
        guard let opening = try? client.open(FrameCodec.encode(keys.greeting.bytes)),
            var harness = ListenerHarness(keys, answering: opening)
        else { preconditionFailure("the harness has the right keys") }
        var devices = devices
        var isAcknowledged = false
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                guard let frame = harness.frame(plaintext) else { return }
                do {
                    if isAcknowledged {
                        guard let conclusion = try client.receiveConclusion(frame) else { continue }
                        return receive(conclusion.circle, &devices)
                    }
                    guard let received = try client.receive(frame) else { continue }
                    guard case .circle(let circle) = received.answer else { return }
                    guard acknowledge(circle, &devices, &client, &harness) else { return }
                    isAcknowledged = true
                } catch {
                    return
                }
            }
        }
    }

    /// Takes the answer in and acknowledges it; returns false when the peer is not trusted any more.
    private func acknowledge(
        _ circle: CircleMessage,
        _ devices: inout TrustedDevices,
        _ client: inout ClientSession,
        _ harness: inout ListenerHarness
    ) -> Bool {
        receive(circle, &devices)
        guard let own = devices.message(for: keys.peer.publicKeys.device, knowing: circle.digest) else { return false }
        guard let bytes = try? client.acknowledge(Acknowledgement(circle: own)),
            let message = harness.message(in: bytes)
        else {
            preconditionFailure("the listener can read the acknowledgement")
        }
        precondition((try? Acknowledgement(decoding: message))?.circle == own, "what was taken in can be sent")
        return true
    }

    private func receive(_ circle: CircleMessage?, _ devices: inout TrustedDevices) {
        guard let circle else { return }
        let before = devices
        do {
            let changes = try devices.receive(circle, from: keys.peer.publicKeys.device)
            precondition(changes.removed.allSatisfy { devices[$0.id] == nil }, "a removed device is not trusted")
        } catch {
            precondition(
                devices.digest == before.digest && devices.all == before.all,
                "a refused message changes nothing"
            )
        }
        let (ids, trusted) = (devices.all.map(\.id), devices.contents.circle.members.map(\.id))
        precondition(ids.sorted() == trusted, "the devices are those that the circle trusts")
    }

    private static func padded(_ message: [UInt8]) -> [UInt8] {
        let count = min(message.count, 65_535)
        return [3, UInt8(count >> 8), UInt8(count & 0xFF)] + message.prefix(count)
    }
}
