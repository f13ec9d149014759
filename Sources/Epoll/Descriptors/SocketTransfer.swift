import Glibc
package import SystemPackage

/// Reads and writes bytes of a connected socket; with a nonblocking one, no call blocks.
package enum SocketTransfer {
    /// Returns the next 1 to `count` bytes; none at the end.
    ///
    /// - Throws: the error of recv(2).
    package static func receive(atMost count: Int, from number: CInt) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                filled = try systemCall { recv(number, buffer.baseAddress, buffer.count, 0) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes as many of the bytes as fit; returns how many.
    ///
    /// - Throws: the error of send(2).
    package static func send(_ bytes: ArraySlice<UInt8>, to number: CInt) throws(Errno) -> Int {
        // Without MSG_NOSIGNAL, writing to a closed connection would terminate the process (send(2)).
        try systemCall {
            bytes.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }
    }
}
