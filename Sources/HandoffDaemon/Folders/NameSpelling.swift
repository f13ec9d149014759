import Epoll
import Glibc
import SystemPackage

/// The names in a directory that are one name for people and for synchronisers, though the file system tells them apart.
///
/// Two names are one if they have the same characters, however these are composed (Unicode, "Canonical equivalence"): some
/// systems and synchronisers compose names that they copy (NFC), others take them apart (NFD). Letters of the other case
/// are the same where the file system takes them for the same.
struct NameSpelling {
    /// How long a directory may take to be listed.
    private static let limit = Duration.seconds(2)

    /// Returns the paths in a directory whose last name is the same as `name` in another spelling, in the order of their
    /// bytes; `name` itself is not among them.
    ///
    /// - Throws: ``FolderError`` with `unresponsive` if the file system does not answer.
    static func others(of name: FilePath.Component, in directory: FilePath) throws(FolderError) -> [FilePath] {
        let bytes = self.bytes(of: name)
        // A name in ASCII has one spelling; and letters of its other case are found by a file system that folds them.
        guard bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) else {
            return []
        }
        let found: [FilePath]?
        do throws(Errno) {
            found = try BlockingThread.value(within: limit) { spelled(text, in: directory) }
        } catch {
            throw FolderError(.unresponsive, "\(directory) cannot be listed (\(error)).")
        }
        guard let found else {
            throw FolderError(.unresponsive, "\(directory) is on a file system that does not answer.")
        }
        return found
    }

    private static func spelled(_ text: String, in directory: FilePath) -> [FilePath] {
        let names = names(in: directory).compactMap { bytes in
            String(validating: bytes, as: UTF8.self).map { (bytes: bytes, text: $0) }
        }
        // Swift compares texts by canonical equivalence.
        var same = names.filter { $0.text == text }
        if same.isEmpty {
            let folded = text.lowercased()
            same = names.filter { $0.text.lowercased() == folded && foldsCase(of: $0.text, in: directory) }
        }
        return same.map(\.bytes).filter { !$0.elementsEqual(text.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            .map { directory.appending(FilePath(bytes: $0).components) }
    }

    /// Whether the file system finds the entry of that name by letters of the other case.
    private static func foldsCase(of name: String, in directory: FilePath) -> Bool {
        let upper = name.uppercased()
        let other = upper.utf8.elementsEqual(name.utf8) ? name.lowercased() : upper
        guard !other.utf8.elementsEqual(name.utf8), let found = identity(of: name, in: directory) else { return false }
        return identity(of: other, in: directory).map { $0 == found } ?? false
    }

    private static func identity(of name: String, in directory: FilePath) -> [UInt64]? {
        var status = stat()
        let path = directory.appending(FilePath(bytes: Array(name.utf8)).components)
        guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    private static func names(in directory: FilePath) -> [[UInt8]] {
        guard let stream = directory.withPlatformString({ opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    private static func bytes(of component: FilePath.Component) -> [UInt8] {
        FilePath(root: nil, components: component).bytes
    }
}
