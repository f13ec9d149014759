/// Which of the 32-byte encodings of coordinates on Curve25519 a public key may not have.
enum Curve25519Encoding {
    /// The prime of the field, 2^255 - 19, lowest byte first.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    /// The Montgomery coordinates of the points of order 8 (https://cr.yp.to/ecdh.html#validate), lowest byte first.
    private static let orderEightX25519: [[UInt8]] = [
        [
            0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A,
            0xDA, 0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
        ],
        [
            0x5F, 0x9C, 0x95, 0xBC, 0xA3, 0x50, 0x8C, 0x24, 0xB1, 0xD0, 0xB1, 0x55, 0x9C, 0x83, 0xEF, 0x5B,
            0x04, 0x44, 0x5C, 0xC4, 0x58, 0x1C, 0x8E, 0x86, 0xD8, 0x22, 0x4E, 0xDD, 0xD0, 0x9F, 0x11, 0x57,
        ],
    ]

    /// The Edwards y coordinates of the same points, lowest byte first.
    private static let orderEightEd25519: [[UInt8]] = [
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// Zero, one and minus one, which are the other coordinates of points of low order in both forms.
    private static let special: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [0xEC] + prime.dropFirst(),
    ]

    /// Returns whether 32 bytes, lowest first, are a number below the prime: each coordinate has one such encoding.
    static func isReduced(_ bytes: [UInt8]) -> Bool {
        bytes.reversed().lexicographicallyPrecedes(prime.reversed())
    }

    /// Returns whether every agreement with this reduced X25519 public key is zero (RFC 7748, section 6.1).
    static func isLowOrderX25519(_ bytes: [UInt8]) -> Bool {
        special.contains(bytes) || orderEightX25519.contains(bytes)
    }

    /// Returns whether this reduced Ed25519 public key verifies signatures that anybody can make.
    static func isLowOrderEd25519(_ bytes: [UInt8]) -> Bool {
        let y = withoutSign(bytes)
        return special.contains(y) || orderEightEd25519.contains(y)
    }

    /// Returns an Ed25519 point's y coordinate: the highest bit is the sign of x (RFC 8032, section 5.1.2).
    static func withoutSign(_ bytes: [UInt8]) -> [UInt8] {
        bytes.dropLast() + [(bytes.last ?? 0) & 0x7F]
    }
}
