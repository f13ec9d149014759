/// What an X server has sent: a reply, an error or an event, of at least 32 bytes.
struct X11Message {
    /// The number of a change of a property, of the events.
    static let propertyNotify: UInt8 = 28
    /// A message has this many bytes, and a reply as many more as it says.
    static let size = 32

    let bytes: [UInt8]

    /// 0 for an error, 1 for a reply, else the number of an event; the highest bit tells that a client has sent it.
    var code: UInt8 { bytes.first ?? 0 }
    /// The lowest bits of the number of the request that it answers.
    var sequence: UInt16 { uint16(at: 2) }

    /// How many bytes the message has with those 32 at its beginning.
    static func length(of head: some Collection<UInt8>) -> Int {
        let head = X11Message(bytes: Array(head))
        // Replies, and events that some extensions have (`GenericEvent`).
        return head.code == 1 || head.code & 0x7F == 35 ? size + 4 * Int(head.uint32(at: 4)) : size
    }

    /// A byte; 0 if the message is shorter, as for the following two.
    func byte(at offset: Int) -> UInt8 { bytes.indices.contains(offset) ? bytes[offset] : 0 }

    func uint16(at offset: Int) -> UInt16 { UInt16(byte(at: offset)) | UInt16(byte(at: offset + 1)) << 8 }

    func uint32(at offset: Int) -> UInt32 { UInt32(uint16(at: offset)) | UInt32(uint16(at: offset + 2)) << 16 }
}
