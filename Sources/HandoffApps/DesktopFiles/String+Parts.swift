private import Glibc

extension String {
    /// Whether a text, which is not empty, is a part of this one, byte for byte.
    ///
    /// `contains(_:)` of a string is part of Swift's module for regular expressions, which would take 1 MB in a program that
    /// is to need little (Docs/Measurements.md).
    func includes(_ part: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            guard var place = UnsafeRawPointer(bytes.baseAddress) else { return false }
            let (end, length) = (place + bytes.count, part.utf8CodeUnitCount)
            while end - place >= length, let found = memchr(place, Int32(part.utf8Start[0]), end - place - length + 1) {
                if memcmp(found, part.utf8Start, length) == 0 { return true }
                place = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
