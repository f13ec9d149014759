private import Glibc

/// The cookies with which a person's programs may connect to displays (Xauthority(5), `MIT-MAGIC-COOKIE-1`).
package struct X11Authority: Sendable {
    /// The method of authorization by a cookie.
    static let method = "MIT-MAGIC-COOKIE-1"
    /// Larger files are cut off.
    private static let maximumBytes = 64 * 1024
    /// The most cookies that are tried for one display.
    private static let maximumCookies = 8
    /// The families of addresses of this computer, and of any (X.h, `FamilyLocal`; Xauth.h, `FamilyWild`).
    private static let (local, wild): (UInt16, UInt16) = (256, 65535)

    private var cookies: [(display: String, cookie: [UInt8])] = []

    /// Reads the contents of a file; what follows an entry that is cut off is ignored.
    package init(_ contents: [UInt8]) {
        var rest = contents[...]
        while let family = Self.number(&rest), Self.field(&rest) != nil, let display = Self.field(&rest),
            let name = Self.field(&rest), let data = Self.field(&rest)
        {
            // Entries of other computers' displays are in the same file. A computer that was renamed has entries of its
            // own under its old name, which may be as good.
            guard [Self.local, Self.wild].contains(family), name.elementsEqual(Self.method.utf8) else { continue }
            cookies.append((String(decoding: display, as: UTF8.self), Array(data)))
        }
    }

    /// Reads the file at `path`; a file that cannot be read has no cookies.
    package init(path: String) {
        self.init(Self.contents(of: path))
    }

    /// The cookies for a display, each once, at most 8: all but one may be of earlier servers.
    package func cookies(for display: X11Display) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for (number, cookie) in cookies where number == display.number || number.isEmpty {
            if !found.contains(cookie), found.count < Self.maximumCookies { found.append(cookie) }
        }
        return found
    }

    private static func contents(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt16? {
        guard bytes.count >= 2 else { return nil }
        defer { bytes = bytes.dropFirst(2) }
        return bytes.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    private static func field(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&bytes), bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return bytes.prefix(Int(count))
    }
}
