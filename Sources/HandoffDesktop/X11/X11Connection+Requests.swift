/// The requests that follow the focus.
extension X11Connection {
    private enum Opcode {
        static let changeWindowAttributes: UInt8 = 2
        static let internAtom: UInt8 = 16
        static let getProperty: UInt8 = 20
        static let queryExtension: UInt8 = 98
    }

    /// The number with which requests of an extension begin; nil if the server lacks it.
    func extensionOpcode(_ name: String) async throws -> UInt8? {
        let answer = try await reply(to: Self.request(Opcode.queryExtension, naming: name))
        return answer.byte(at: 8) == 1 ? answer.byte(at: 9) : nil
    }

    /// The number that the server has for a name.
    func atom(_ name: String) async throws -> UInt32 {
        try await reply(to: Self.request(Opcode.internAtom, naming: name)).uint32(at: 8)
    }

    /// The first values of a property that has values of 32 bits; none if the window has no such property.
    ///
    /// - Throws: ``DisplayError`` with `refused` if there is no such window.
    func property(_ property: UInt32, of window: UInt32, atMost count: UInt32) async throws -> [UInt32] {
        var request = X11Request(Opcode.getProperty)
        // Of any type, and from its beginning.
        for value in [window, property, 0, 0, count] { request.append(value) }
        let answer = try await reply(to: request)
        guard answer.byte(at: 1) == 32 else { return [] }
        return (0..<min(answer.uint32(at: 16), count)).map { answer.uint32(at: X11Message.size + 4 * Int($0)) }
    }

    /// Asks for the changes of the root window's properties.
    func watchProperties() async throws {
        let (eventMask, propertyChanges): (UInt32, UInt32) = (1 << 11, 1 << 22)
        var request = X11Request(Opcode.changeWindowAttributes)
        for value in [root, eventMask, propertyChanges] { request.append(value) }
        try await send(request)
    }

    private static func request(_ opcode: UInt8, naming name: String) -> X11Request {
        var request = X11Request(opcode)
        request.append(UInt16(name.utf8.count))
        request.append(UInt16(0))
        request.append(Array(name.utf8))
        return request
    }
}
