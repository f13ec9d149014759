private import CLinux
private import Glibc
package import SystemPackage

/// Returns a file in memory with these bytes, to be read from its beginning.
///
/// As the input of a program it cannot block who writes it, even if the program does not read.
///
/// - Parameter name: what proc(5) shows.
/// - Throws: the error of memfd_create(2) or write(2).
package func memoryFile(named name: String, with bytes: [UInt8]) throws(Errno) -> Descriptor {
    // The flag 1 is MFD_CLOEXEC.
    let file = try Descriptor { memfd_create(name, 1) }
    try writeAll(bytes[...], to: file.rawValue)
    _ = try systemCall { lseek(file.rawValue, 0, SEEK_SET) }
    return file
}
