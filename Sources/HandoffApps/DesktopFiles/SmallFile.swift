private import Glibc

/// The text of a file; nil if it cannot be read or is larger than `limit` bytes.
func smallFile(at path: String, upTo limit: Int) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16384)
    while bytes.count <= limit {
        let count = read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
        bytes.append(contentsOf: piece[..<count])
    }
    return nil
}
