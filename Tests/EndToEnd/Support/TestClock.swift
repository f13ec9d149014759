import Foundation

/// The wall clock of a device, which a story sets while the device runs (Tests/Support/ShiftedClock).
struct TestClock: Sendable {
    /// The file that the device's programs read.
    let path: String

    /// Makes a clock that is ahead by that many seconds.
    init(of name: String, in world: World, ahead seconds: Int = 0) throws {
        let file = world.directory.appending(path: "clock-\(name)")
        path = file.path()
        try Data(Self.bytes(seconds)).write(to: file)
    }

    /// Sets the clock ahead of the system's by that many seconds; the file stays the same, since it is mapped.
    func set(ahead seconds: Int) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        try file.write(contentsOf: Self.bytes(seconds))
    }

    private static func bytes(_ seconds: Int) -> [UInt8] { withUnsafeBytes(of: seconds) { Array($0) } }
}
