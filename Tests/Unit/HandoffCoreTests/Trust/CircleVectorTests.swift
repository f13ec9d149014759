import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Circle vectors", .endsWithin(minutes: 10))
struct CircleVectorTests {
    /// What a device concludes: from its keys, the statements that it knew and those that it receives.
    struct Case: Codable, Equatable, Sendable {
        struct Known: Codable, Equatable, Sendable {
            var id: String
            var name: String
            var standing: String
        }

        var what: String
        /// The public keys of the device that concludes.
        var root: String
        /// The removals that the person at the root has overruled: author and subject; nil for none.
        var overruled: [String]?
        var before: [String]
        var received: [String]
        /// The statements after that, in order, and their digest.
        var after: [String]
        var digest: String
        var known: [Known]
    }

    struct Device {
        let publicKeys: DevicePublicKeys
        let signing: SigningKey
        let name: String

        init(_ number: UInt8, _ name: String) throws {
            let keys = DeviceKeys(
                agreement: try AgreementKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
                signing: try SigningKey(rawRepresentation: [UInt8](repeating: 0x80 | number, count: 32))
            )
            self.init(publicKeys: keys.publicKeys, signing: keys.signing, name: name)
        }

        init(publicKeys: DevicePublicKeys, signing: SigningKey, name: String) {
            (self.publicKeys, self.signing, self.name) = (publicKeys, signing, name)
        }

        var id: DeviceID { publicKeys.device }

        func adds(_ other: Device) -> SignedStatement {
            sign(.add(author: id, other.publicKeys, name: other.name))
        }
        func removes(_ other: Device) -> SignedStatement { sign(.remove(author: id, other.id)) }
        func names(_ other: Device, _ name: String, version: UInt32) -> SignedStatement {
            sign(.name(author: id, other.id, version: version, name))
        }

        func sign(_ statement: CircleStatement) -> SignedStatement { SignedStatement(statement, signedBy: signing) }

        /// A statement with that content, which need not be one.
        func sign(content: [UInt8]) -> [UInt8] { content + signing.sign(SignedStatement.label, content) }
    }

    private static func cases() throws -> [Case] {
        let (desk, lap) = (try Device(1, "desk"), try Device(2, "lap"))
        let (tab, phone) = (try Device(3, "Küche"), try Device(4, "phone"))
        let stranger = try Device(5, "stranger")
        let base = [desk.adds(lap), lap.adds(desk)]
        let circle = base + [lap.adds(tab), tab.adds(lap)]
        var forged = tab.removes(lap).bytes
        forged[forged.count - 1] ^= 1
        return [
            vector("a device that was introduced", desk, base, [lap.adds(tab), tab.adds(lap)]),
            vector(
                "a removal, after which the device is not added again",
                desk,
                circle,
                [lap.removes(tab), desk.adds(tab)]
            ),
            vector("a removal of the introducer", desk, circle, [desk.removes(lap)]),
            vector("two devices that removed each other", desk, circle, [lap.removes(tab), tab.removes(lap)]),
            vector(
                "a removal by a device that is not trusted",
                desk,
                circle + [lap.adds(phone)],
                [lap.removes(tab), tab.removes(phone)]
            ),
            vector("a removal of the device itself", desk, circle, [tab.removes(desk)]),
            vector(
                "names of one device",
                desk,
                circle,
                [
                    lap.names(tab, "one", version: 1), tab.names(tab, "two", version: 1),
                    tab.names(tab, "three", version: 0),
                ]
            ),
            vector(
                "two contents of one addition",
                desk,
                circle,
                [lap.sign(.add(author: lap.id, tab.publicKeys, name: "A"))]
            ),
            vector(
                "two names of one version, which differ only in how they write one letter",
                desk,
                circle + [lap.names(tab, "\u{E9}", version: 1)],
                [lap.names(tab, "e\u{301}", version: 1)]
            ),
            vector(
                "the same two names in the other order",
                desk,
                circle + [lap.names(tab, "e\u{301}", version: 1)],
                [lap.names(tab, "\u{E9}", version: 1)]
            ),
            vector(
                "statements by a device that nobody has added",
                desk,
                circle,
                [stranger.adds(phone), stranger.removes(lap)]
            ),
            vector(
                "a bad signature, and bytes that are no statement",
                desk,
                circle,
                [forged, [9, 9], lap.removes(tab).bytes]
            ),
        ]
    }

    static func vector(
        _ what: String,
        _ root: Device,
        _ before: [SignedStatement],
        _ received: [SignedStatement],
        overruled: [SignedStatement] = []
    ) -> Case {
        vector(what, root, before, received.map(\.bytes), overruled: overruled)
    }

    static func vector(
        _ what: String,
        _ root: Device,
        _ before: [SignedStatement],
        _ received: [[UInt8]],
        overruled: [SignedStatement] = []
    ) -> Case {
        let places = overruled.map { hex($0.statement.author.bytes + $0.statement.subject.bytes) }
        return conclusion(
            of: Case(
                what: what,
                root: hex(root.publicKeys.rawRepresentation),
                overruled: places.isEmpty ? nil : places,
                before: before.map { hex($0.bytes) },
                received: received.map { hex($0) },
                after: [],
                digest: "",
                known: []
            )
        )
    }

    /// Returns the vector with what this code concludes.
    private static func conclusion(of vector: Case) -> Case {
        var result = vector
        guard let root = try? DevicePublicKeys(rawRepresentation: bytes(vector.root)) else { return result }
        let overruled = (vector.overruled ?? []).compactMap { place(of: bytes($0)) }
        var circle = Circle(of: root, [], overruled: Set(overruled))
        circle.join(vector.before.compactMap { SignedStatement(bytes: bytes($0)) })
        circle.join(vector.received.compactMap { SignedStatement(bytes: bytes($0)) })
        result.after = circle.statements.map { hex($0.bytes) }
        result.digest = hex(circle.digest)
        result.known = circle.known.map {
            Case.Known(id: $0.id.description, name: $0.name.rawValue, standing: word(for: $0.standing))
        }
        return result
    }

    /// The place of a removal, from its author and its subject.
    private static func place(of bytes: [UInt8]) -> CircleStatement.Place? {
        CircleStatement(content: [CircleStatement.Place.Kind.remove.rawValue] + bytes)?.place
    }

    private static func word(for standing: DeviceStanding) -> String {
        switch standing {
        case .trusted: "trusted"
        case .removed(let by): "removed by " + by.map(\.description).joined(separator: " ")
        case .disputed(let by): "disputed by " + by.map(\.description).joined(separator: " ")
        case .orphaned(let by): "orphaned, brought by " + by.map(\.description).joined(separator: " ")
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Statements (Docs/Circle.md): what the device with the keys `root` knew, what it receives, and what it \
                knows and concludes then, where its person has overruled the removals `overruled` (author and subject). Of \
                what exceeds a limit, the statements come in the order of their contents. Bytes are hexadecimal.
                """,
            cases: try Self.cases() + Self.ruleCases()
        )
        try file.storeIfAsked("circle")
        #expect(try VectorFile<Case>.load("circle") == file)
    }

    @Test("The published statements lead to the published conclusions")
    func concluded() throws {
        for vector in try VectorFile<Case>.load("circle").cases {
            #expect(Self.conclusion(of: vector) == vector, "\(vector.what)")
        }
    }
}
