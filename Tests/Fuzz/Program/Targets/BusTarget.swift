import CDBus
import HandoffBus
import HandoffModel
import HandoffWire

@testable import BlueZ
@testable import DBus

/// Messages of D-Bus, and what is made of their arguments.
///
/// If the first byte is even, the rest is a message as a bus delivers it. If it is odd, a chunk is the signature and
/// the rest the body of a message with a valid header, lowest byte first.
struct BusTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let isRaw = input.byte() & 1 == 0
        let message = isRaw ? input.remainder() : Self.message(signature: input.chunk(), body: input.remainder())
        _ = try? Signature(String(decoding: message.prefix(300), as: UTF8.self))
        guard
            let raw = message.withUnsafeBytes({ bytes in
                dbus_message_demarshal(bytes.baseAddress, Int32(bytes.count), nil)
            })
        else { return }
        let received = Message(taking: raw)
        guard let arguments = try? MessageDecoder.arguments(of: received) else { return }
        for argument in arguments { Self.read(argument) }
    }

    /// Reads an argument as everything that an argument can be here.
    private static func read(_ value: Value) {
        if let userInfo = try? UserInfoCoding.userInfo(from: value) {
            let again = try? UserInfoCoding.userInfo(from: UserInfoCoding.value(of: userInfo))
            precondition(again == userInfo, "userInfo survives the bus")
        }
        _ = UserInfoCoding.displayValue(value)
        if let draft = try? ActivityDraft(properties: value), let activity = try? draft.activity(ofType: "a.b") {
            let encoded = Answer.activity(activity).encode()
            guard (try? activity.checkEncodedSize()) != nil else { return }
            precondition((try? Answer(decoding: encoded)) == .activity(activity), "an activity survives the air")
        }
        if let properties = value.stringDictionary {
            let adapter = ObjectPath(trusted: "/org/bluez/hci0")
            let device = ObjectPath(trusted: "/org/bluez/hci0/dev_00_AA_01_00_00_2F")
            var mirror = DeviceMirror(adapter: adapter)
            _ = mirror.apply(.added(device, ["org.bluez.Device1": properties]))
            _ = mirror.apply(
                .changed(device, interface: "org.bluez.Device1", values: properties, invalidated: ["RSSI"])
            )
            _ = mirror.replace(with: [device: ["org.bluez.Device1": properties]])
            precondition(mirror.count <= 1, "one device is remembered once")
        }
    }

    /// A method call with that signature and body (D-Bus specification, "Message Format").
    private static func message(signature: [UInt8], body: [UInt8]) -> [UInt8] {
        let signature = Array(signature.prefix(255))
        var fields = field(1, "o", text("/a")) + field(3, "s", text("A"))
        fields = aligned(fields, 8) + [8, 1, UInt8(ascii: "g"), 0, UInt8(signature.count)] + signature + [0]
        let header: [UInt8] = [UInt8(ascii: "l"), 1, 0, 1] + number(body.count) + number(1) + number(fields.count)
        return aligned(header + fields, 8) + body
    }

    /// A header field with a short text, from a multiple of eight to another.
    private static func field(_ code: UInt8, _ type: Character, _ content: [UInt8]) -> [UInt8] {
        aligned([code, 1, type.asciiValue ?? 0, 0] + content, 8)
    }

    private static func text(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) + [0] }

    private static func number(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func aligned(_ bytes: [UInt8], _ boundary: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (boundary - bytes.count % boundary) % boundary)
    }
}
