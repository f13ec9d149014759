/// A request to an X server, with the least significant byte first (X Window System Protocol, "Requests").
struct X11Request {
    private var bytes: [UInt8]

    /// - Parameters:
    ///   - opcode: the number of the request, or of the extension that has it.
    ///   - detail: the second byte.
    init(_ opcode: UInt8, _ detail: UInt8 = 0) {
        bytes = [opcode, detail, 0, 0]
    }

    mutating func append(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func append(_ value: UInt16) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// Adds bytes and what fills them up to a multiple of four.
    mutating func append(_ data: some Collection<UInt8>) {
        bytes += data
        bytes += Array(repeating: 0, count: -data.count & 3)
    }

    /// The request with its length, which is a multiple of four.
    var encoded: [UInt8] {
        var encoded = bytes
        withUnsafeBytes(of: UInt16(encoded.count / 4).littleEndian) { encoded.replaceSubrange(2..<4, with: $0) }
        return encoded
    }

    /// The first bytes on a connection.
    static func setUp(_ cookie: [UInt8]?) -> [UInt8] {
        let method = cookie == nil ? "" : X11Authority.method
        var request = X11Request(UInt8(ascii: "l"))
        // Version 11.0 of the protocol.
        request.bytes.replaceSubrange(2..<4, with: [11, 0])
        request.append(UInt16(0))
        request.append(UInt16(method.utf8.count))
        request.append(UInt16(cookie?.count ?? 0))
        request.append(UInt16(0))
        request.append(Array(method.utf8))
        request.append(cookie ?? [])
        return request.bytes
    }
}
