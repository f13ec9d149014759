import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors

/// The cases of circle.json that keep to one rule of Docs/Circle.md each, or break it.
extension CircleVectorTests {
    static func ruleCases() throws -> [Case] {
        try limits() + statements() + names() + persons() + twins()
    }

    /// Devices with numbers from 0x10 on, in the order of their identifiers.
    private static func devices(_ count: Int, from first: UInt8 = 0x10) throws -> [Device] {
        try (0..<count).map { try Device(first + UInt8($0), "\(first + UInt8($0))") }.sorted { $0.id < $1.id }
    }

    private static func inOrder(_ statements: [SignedStatement]) -> [SignedStatement] {
        statements.sorted { $0.statement.content.lexicographicallyPrecedes($1.statement.content) }
    }

    // MARK: Limits

    private static func limits() throws -> [Case] {
        let (desk, lap, tab) = (try Device(1, "desk"), try Device(2, "lap"), try Device(3, "tab"))
        let others = try devices(40)
        let base = [desk.adds(lap), lap.adds(desk), desk.adds(tab), tab.adds(desk)]
        // With those that lap and tab have said of the desk, 32 and 4 additions.
        let many = base + others.prefix(31).map(lap.adds) + others.dropFirst(31).prefix(3).map(tab.adds)
        let again = lap.sign(.add(author: lap.id, others[3].publicKeys, name: "!"))
        return [
            vector(
                "32 additions of one author, another one, and one in the place of one",
                desk,
                many,
                inOrder([lap.adds(others[35]), again])
            ),
            vector("33 removals of one author", desk, many, inOrder(others.prefix(33).map(lap.removes))),
            vector(
                "8 names of one author, another one, and one in the place of one",
                desk,
                many + others.prefix(8).map { lap.names($0, "name", version: 1) },
                inOrder([lap.names(others[8], "name", version: 1), lap.names(others[3], "later", version: 2)])
            ),
            try brought(desk, lap, others),
            try broughtByTwo(desk),
            try known(desk),
        ]
    }

    /// A device brings 31, and one of these 17 more.
    private static func brought(_ desk: Device, _ lap: Device, _ others: [Device]) throws -> Case {
        let further = try devices(18, from: 0x40)
        let (first, other) = (others[0], others[1])
        return vector(
            "48 devices that one has brought, another one, a known one, and one that the root adds",
            desk,
            [desk.adds(lap), lap.adds(desk)] + others.prefix(31).map(lap.adds) + further.prefix(17).map(first.adds),
            [first.adds(further[17]), other.adds(further[0]), desk.adds(others[39])]
        )
    }

    /// Two devices have added the same twelve, and the root two of these.
    ///
    /// The other ten count for the one with the lower
    /// identifier, which has brought 48 with them, and the other one 48 without them.
    private static func broughtByTwo(_ desk: Device) throws -> Case {
        let two = [try Device(2, "lap"), try Device(3, "tab")].sorted { $0.id < $1.id }
        let (low, high) = (two[0], two[1])
        let all = try devices(100)
        let (shared, ofLow, ofHigh) = (all[0..<12], Array(all[12..<30]), Array(all[30..<48]))
        let (underLow, underHigh) = (all[48..<68], all[68..<98])
        let additions = [desk.adds(low), desk.adds(high)] + shared.prefix(2).map(desk.adds)
        let ofTwo = (shared + ofLow).map(low.adds) + (shared + ofHigh).map(high.adds)
        return vector(
            "devices that two have brought, which count for the lower one, or for the root",
            desk,
            additions + ofTwo + underLow.map(ofLow[0].adds) + underHigh.map(ofHigh[0].adds),
            inOrder([ofLow[1].adds(all[98]), ofHigh[1].adds(all[99])])
        )
    }

    /// The root adds 32, and three of these 32 each.
    private static func known(_ desk: Device) throws -> Case {
        let own = try devices(32)
        let theirs = try devices(97, from: 0x30)
        let additions = (0..<3).flatMap { index in theirs[(32 * index)..<(32 * index + 32)].map(own[index].adds) }
        return vector(
            "128 known devices, and another one",
            desk,
            own.map(desk.adds) + additions,
            [own[4].adds(theirs[96])]
        )
    }

    // MARK: Statements

    private static func statements() throws -> [Case] {
        let (desk, lap, tab) = (try Device(1, "desk"), try Device(2, "lap"), try Device(3, "tab"))
        let stranger = try Device(5, "stranger")
        let circle = [desk.adds(lap), lap.adds(desk), lap.adds(tab), tab.adds(lap)]
        return [
            vector(
                "contents that are no statements, each with a signature",
                desk,
                circle,
                try malformed(lap, tab).map(lap.sign(content:))
            ),
            vector("keys that are refused", desk, circle, try refusedKeys(by: lap)),
            vector("the longest name", desk, circle, [lap.names(tab, String(repeating: "x", count: 64), version: 1)]),
            vector(
                "a name and a removal of a device that nobody has added",
                desk,
                circle,
                [lap.names(stranger, "x", version: 1), lap.removes(stranger)]
            ),
            try mixedOrder(
                "a signature that is valid with a cofactor only",
                "c9a3f86aae465f0e56513864510f3997561fa2c9e85ea21dc2292309f3cd6022"
                    + "e72443d174ca58e8e034810909f34167e1816ac43df53459885c4e95f885b507"
            ),
            try mixedOrder(
                "a signature of the same key that is valid without one",
                "5866666666666666666666666666666666666666666666666666666666666666"
                    + "0fd7e577bb91ef12e76bfcee636f0fd997296a00529491295453977bc263d70c"
            ),
            vector(
                "a signature whose S is not below the order of the group",
                desk,
                circle,
                [malleated(lap.removes(tab).bytes)]
            ),
            vector(
                "another name of a higher version, and one of a lower version",
                desk,
                circle + [lap.names(tab, "b", version: 2), lap.names(lap, "b", version: 2)],
                [lap.names(tab, "a", version: 3), lap.names(lap, "c", version: 1)]
            ),
        ]
    }

    /// A removal with that signature by a device whose signing key is the sum of a usual one and a point of order 8.
    ///
    /// Such a device can make signatures that are valid only where both sides of the equation are multiplied by 8.
    private static func mixedOrder(_ what: String, _ signature: String) throws -> Case {
        let (desk, lap, tab) = (try Device(1, "desk"), try Device(2, "lap"), try Device(3, "tab"))
        let usual = try Device(8, "eight")
        let signing = bytes("4bfe8f379ff2ec3fdf874c047b5255851cc67bb4dc3f90023ed08af4a2b52b3f")
        let keys = try DevicePublicKeys(rawRepresentation: usual.publicKeys.agreement.rawRepresentation + signing)
        let mixed = Device(publicKeys: keys, signing: usual.signing, name: "mixed")
        let removal = CircleStatement.remove(author: mixed.id, tab.id).content + bytes(signature)
        return vector(what, desk, [desk.adds(lap), desk.adds(tab), lap.adds(mixed)], [removal])
    }

    private static func malformed(_ lap: Device, _ tab: Device) throws -> [[UInt8]] {
        let both: [UInt8] = lap.id.bytes + tab.id.bytes
        let add: [UInt8] = [1] + lap.id.bytes + (try Device(6, "six")).publicKeys.rawRepresentation
        let name: [UInt8] = [3] + both + [0, 0, 0, 1]
        let text: [UInt8] = [65] + [UInt8](repeating: 0x78, count: 65)
        let names: [[UInt8]] = [[0], text, [2, 0x78], [1, 0x78, 0x78], [1, 0xFF], []]
        let removals: [[UInt8]] = [[], [0] + both, [4] + both, [2] + Array(both.dropLast()), [2] + both + [0]]
        return removals + names.map { add + $0 } + names.map { name + $0 }
    }

    /// Additions of keys that are not below 2^255 - 19, or of low order.
    private static func refusedKeys(by lap: Device) throws -> [[UInt8]] {
        let good = try Device(6, "six").publicKeys
        let (agreement, signing) = (good.agreement.rawRepresentation, good.signing.rawRepresentation)
        func number(_ first: UInt8, _ last: UInt8) -> [UInt8] {
            [first] + [UInt8](repeating: last == 0 ? 0 : 0xFF, count: 30) + [last]
        }
        func negative(_ key: [UInt8]) -> [UInt8] { Array(key.dropLast()) + [key[31] | 0x80] }
        // 0, 1, 2^255 - 20, and 2^255 - 19 with what follows it.
        let both = [(0, 0), (1, 0), (0xEC, 0x7F), (0xED, 0x7F), (0xEE, 0x7F), (0xFF, 0x7F)].map(number)
        let agreements: [[UInt8]] = both + orderEight.agreement + [negative(agreement)]
        let signings: [[UInt8]] = both + orderEight.signing
        let keys = agreements.map { $0 + signing } + (signings + signings.map(negative)).map { agreement + $0 }
        return keys.map { key in lap.sign(content: [1] + lap.id.bytes + key + [1, 0x78]) }
    }

    /// The points of order 8: of X25519, and y of Ed25519.
    private static let orderEight = (
        agreement: [
            bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
            bytes("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
        ],
        signing: [
            bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
            bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        ]
    )

    /// The same statement with a signature to whose S the order of the group, 2^252 + …, is added.
    private static func malleated(_ statement: [UInt8]) -> [UInt8] {
        let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var (result, carry) = (statement, 0)
        for (index, byte) in order.enumerated() {
            let position = statement.count - 32 + index
            carry += Int(statement[position]) + Int(byte)
            result[position] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        return result
    }

    // MARK: Names

    private static func names() throws -> [Case] {
        let desk = try Device(1, "desk")
        let all = try devices(4, from: 2)
        let (first, second, third, subject) = (all[0], all[1], all[2], all[3])
        let circle = all.prefix(3).map(desk.adds)
        func calls(_ author: Device, _ name: String) -> SignedStatement {
            author.sign(.add(author: author.id, subject.publicKeys, name: name))
        }
        return [
            vector(
                "three names in additions, of which that of the lowest author counts",
                desk,
                circle,
                [calls(third, "c"), calls(second, "b"), calls(first, "a")]
            ),
            vector(
                "the lowest author is not trusted",
                desk,
                circle,
                [calls(second, "b"), calls(first, "a"), second.removes(first)]
            ),
            vector(
                "no author is trusted",
                desk,
                circle,
                [calls(second, "b"), calls(first, "a"), desk.removes(first), desk.removes(second)]
            ),
            vector(
                "names by a device that is not trusted, of another device and of itself",
                desk,
                circle + [calls(second, "b")],
                [
                    desk.removes(first), first.names(subject, "x", version: 9),
                    first.names(first, "itself", version: 0), second.names(subject, "y", version: 1),
                ]
            ),
            vector(
                "names of one version, of which that of the highest author counts",
                desk,
                circle + [calls(second, "b")],
                [
                    third.names(subject, "c", version: 2), second.names(subject, "z", version: 2),
                    first.names(subject, "y", version: 1),
                ]
            ),
        ]
    }

    // MARK: Persons

    private static func persons() throws -> [Case] {
        let (desk, lap, tab) = (try Device(1, "desk"), try Device(2, "lap"), try Device(3, "tab"))
        let circle = [desk.adds(lap), desk.adds(tab), lap.adds(tab), tab.adds(lap)]
        return [
            vector(
                "a removal that the person has overruled",
                desk,
                circle,
                [lap.removes(tab)],
                overruled: [lap.removes(tab)]
            ),
            vector(
                "a removal that the person has overruled, and another one",
                desk,
                circle,
                [lap.removes(tab), tab.removes(lap), desk.removes(tab)],
                overruled: [lap.removes(tab), tab.removes(lap)]
            ),
        ]
    }

    // MARK: Two devices with one identifier

    /// Two devices whose keys have one identifier, which takes some billions of trials to find.
    private static func twins() throws -> [Case] {
        let (desk, lap, tab) = (try Device(1, "desk"), try Device(2, "lap"), try Device(3, "tab"))
        let (one, other) = (try twin(0x98B9_D16C_E283_9BB4, 6, "one"), try twin(0xEEF2_3D1B_FB8F_B6CD, 7, "other"))
        let circle = [desk.adds(lap), desk.adds(tab)]
        return [
            vector("two devices with one identifier", desk, circle + [lap.adds(one)], [tab.adds(other)]),
            vector(
                "statements of both",
                desk,
                circle,
                inOrder([lap.adds(one), tab.adds(other), one.removes(lap), other.removes(tab)])
            ),
            vector(
                "another device with the identifier of the root",
                one,
                [one.adds(lap)],
                [lap.adds(other), other.removes(lap)]
            ),
        ]
    }

    /// The device with the signing key of that number, and an agreement key that begins with these bytes, the lowest first.
    private static func twin(_ start: UInt64, _ number: UInt8, _ name: String) throws -> Device {
        let signing = try Device(number, name).signing
        let agreement = (0..<8).map { UInt8(truncatingIfNeeded: start >> (8 * $0)) } + [UInt8](repeating: 7, count: 24)
        let keys = try DevicePublicKeys(rawRepresentation: agreement + signing.publicKey.rawRepresentation)
        return Device(publicKeys: keys, signing: signing, name: name)
    }
}
