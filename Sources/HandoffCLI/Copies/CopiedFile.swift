import FoundationEssentials
import HandoffModel

/// What the first line of a stream tells of the file that follows, as JSON.
struct CopiedFile: Codable, Equatable, Sendable {
    /// The activity type of a file that another device can take as a copy.
    static let activityType = "org.handoffd.document.copy"
    /// What the receiver writes when the file is in its place: without it, the sender reports no success.
    static let confirmation = Array("copied\n".utf8)
    /// The most bytes of the line: a name of 255 bytes in base64, and two numbers, in plenty.
    static let maximumLineBytes = 1024
    /// The only version so far; a reader refuses others.
    static let currentVersion = 1

    private(set) var version = Self.currentVersion
    /// Its name as it is: bytes, which need not be text.
    let name: Data
    /// In bytes.
    let size: Int
    /// When its content was changed last, in seconds since 1970.
    let modificationTime: Int

    /// Reads the line, without its line feed; nil for one that cannot be used, also for a negative size.
    init?(line: some Sequence<UInt8>) {
        guard let file = try? JSONDecoder().decode(Self.self, from: Data(line)),
            file.version == Self.currentVersion, file.size >= 0
        else { return nil }
        self = file
    }

    init(name: [UInt8], size: Int, modificationTime: Int) {
        self.name = Data(name)
        self.size = size
        self.modificationTime = modificationTime
    }

    /// The line, with its line feed.
    var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Text, data and numbers can be encoded.
        return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }
}
