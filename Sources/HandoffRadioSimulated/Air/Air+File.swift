private import Epoll
private import Glibc
package import HandoffRadio
private import SystemPackage

extension Air {
    /// Writes these rules for all stations that share `directory`, atomically.
    ///
    /// - Throws: ``RadioError`` with `unusable` when the file cannot be written.
    package func write(to directory: String) throws(RadioError) {
        let path = directory + "/" + AirDirectory.airFile
        let bytes = Array(description.utf8)
        do throws(Errno) {
            let file = try Descriptor { open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
            _ = try systemCall { Glibc.write(file.rawValue, bytes, bytes.count) }
            _ = try systemCall { rename(path + ".new", path) }
        } catch {
            throw RadioError(.unusable, "\(path) cannot be written (\(error)).")
        }
    }
}
