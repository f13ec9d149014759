private import Glibc

/// The text of a file; nil if it cannot be read or is larger than `limit` bytes.
func smallFile(at path: String, upTo limit: Int) -> String? {
    smallFileBytes(at: path, upTo: limit).map { String(decoding: $0, as: UTF8.self) }
}

/// The bytes of a file; nil if it cannot be read or is larger than `limit` bytes.
func smallFileBytes(at path: String, upTo limit: Int) -> [UInt8]? {
    guard let bytes = fileStart(at: Array(path.utf8), bytes: limit + 1), bytes.count <= limit else { return nil }
    return bytes
}

/// The first bytes of a file, fewer if it has no more; nil if it cannot be read.
///
/// - Parameters:
///   - path: the path, whose bytes need not be a text.
///   - count: the number of bytes.
func fileStart(at path: [UInt8], bytes count: Int) -> [UInt8]? {
    let descriptor = (path + [0]).withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16384)
    while bytes.count < count {
        let read = read(descriptor, &piece, min(piece.count, count - bytes.count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return read == 0 ? bytes : nil }
        bytes.append(contentsOf: piece[..<read])
    }
    return bytes
}
