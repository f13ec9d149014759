import HandoffModel

/// A message to sway or from it: `i3-ipc`, the length of the text and the kind in the byte order of the computer, the text
/// (sway-ipc(7), "MESSAGE AND REPLY FORMAT").
struct SwayMessage: Hashable, Sendable {
    /// What a message is about; a reply has the kind of its request.
    struct Kind: Hashable, Sendable {
        let number: UInt32

        static let subscribe = Kind(number: 2)
        static let getTree = Kind(number: 4)
        /// An event: something about a window has changed.
        static let window = Kind(number: 0x8000_0003)
    }

    private static let magic = Array("i3-ipc".utf8)
    /// The longest text that is kept: the tree has some 2 KiB for each window, with its title.
    private static let longest = 4 << 20

    let kind: Kind
    /// What it says; nil for more than is kept.
    let text: [UInt8]?

    init(_ kind: Kind, _ text: String = "") {
        self.init(kind, Array(text.utf8))
    }

    init(_ kind: Kind, _ text: [UInt8]?) {
        (self.kind, self.text) = (kind, text)
    }

    /// The message as it is sent.
    var encoded: [UInt8] {
        let text = text ?? []
        let numbers = [UInt32(text.count), kind.number].flatMap { number in withUnsafeBytes(of: number, Array.init) }
        return Self.magic + numbers + text
    }

    /// Reads the next message.
    ///
    /// - Throws: ``DisplayError``, also when that is none; `Errno`.
    static func next(on connection: CompositorStream) async throws -> SwayMessage {
        let head = try await connection.take(magic.count + 8)
        guard head.starts(with: magic) else { throw DisplayError(.unsupported, "The socket is none of sway.") }
        let numbers = head.withUnsafeBytes { bytes in
            [0, 4].map { bytes.loadUnaligned(fromByteOffset: magic.count + $0, as: UInt32.self) }
        }
        let (length, kind) = (Int(numbers[0]), Kind(number: numbers[1]))
        guard length <= longest else {
            try await connection.pass(length)
            return SwayMessage(kind, nil)
        }
        return SwayMessage(kind, try await connection.take(length))
    }

    /// Whether a reply says that what was asked for is done.
    var isSuccess: Bool {
        var isSuccess = false
        var json = JSONScanner(ofCompositor: text ?? [])
        try? json.readObject { json, key throws(JSONScanner.Fault) in
            if key == "success" { isSuccess = try json.readBool() } else { try json.skipValue() }
        }
        return isSuccess
    }

    /// What has the focus now, by an event about a window; nil if the event says nothing about it.
    var changedFocus: FocusReport? {
        var (change, process): (String?, Int64?)
        var json = JSONScanner(ofCompositor: text ?? [])
        do throws(JSONScanner.Fault) {
            try json.readObject { json, key throws(JSONScanner.Fault) in
                switch key {
                case "change": change = try json.readString()
                case "container": process = try Self.readNode(&json).process
                default: try json.skipValue()
                }
            }
        } catch {
            return .unknown
        }
        return change == "focus" ? FocusReport(windowOf: process) : nil
    }

    /// What has the focus, by the tree of all windows.
    var focusInTree: FocusReport {
        var json = JSONScanner(ofCompositor: text ?? [])
        guard let root = try? Self.readNode(&json) else { return .unknown }
        return root.focus ?? .nothing
    }

    /// Reads a window, or what has windows in it.
    ///
    /// - Returns: the process of the window, and what has the focus of all that is in it; nil if that is elsewhere.
    private static func readNode(
        _ json: inout JSONScanner
    ) throws(JSONScanner.Fault) -> (process: Int64?, focus: FocusReport?) {
        var (process, isFocused, inner): (Int64?, Bool, FocusReport?) = (nil, false, nil)
        try json.readObject { json, key throws(JSONScanner.Fault) in
            switch key {
            case "pid": process = try json.readInteger()
            case "focused": isFocused = try json.readBool()
            case "nodes", "floating_nodes":
                try json.readArrayIfPresent { json throws(JSONScanner.Fault) in
                    let focus = try readNode(&json).focus
                    inner = inner ?? focus
                }
            default: try json.skipValue()
            }
        }
        return (process, isFocused ? FocusReport(windowOf: process) : inner)
    }
}
