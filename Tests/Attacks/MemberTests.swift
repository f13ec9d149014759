import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("What a device that is trusted, or was, cannot do", .endsWithin(minutes: 10))
struct MemberTests {
    /// A device with fixed keys, for which names were searched.
    private static func device(_ number: UInt8) throws -> DeviceKeys {
        DeviceKeys(
            agreement: try AgreementKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
            signing: try SigningKey(rawRepresentation: [UInt8](repeating: number + 16, count: 32))
        )
    }

    @Test("Names for which a member has searched do not hide its removal")
    func searchedDigest() throws {
        let (desk, phone, thief) = (try Self.device(1), try Self.device(2), try Self.device(3))
        func add(_ author: DeviceKeys, _ subject: DeviceKeys, _ name: String) -> SignedStatement {
            let statement = CircleStatement.add(author: author.publicKeys.device, subject.publicKeys, name: name)
            return SignedStatement(statement, signedBy: author.signing)
        }
        func name(_ name: String) -> SignedStatement {
            let id = thief.publicKeys.device
            return SignedStatement(.name(author: id, id, version: 1, name), signedBy: thief.signing)
        }
        let common = [
            add(desk, phone, "phone"), add(desk, thief, "laptop"), add(phone, desk, "desk"), add(thief, desk, "desk"),
        ]
        var (atDesk, atPhone) = (Circle(of: desk.publicKeys), Circle(of: phone.publicKeys))
        // Before its removal the thief gives the desk one name, and afterwards the phone another one. Six minutes of two
        // processors found the two.
        atDesk.join(common + [name("0230509c39930318")])
        try atDesk.remove(thief.publicKeys.device) { SignedStatement($0, signedBy: desk.signing) }
        atPhone.join(common + [name("1e4be6be4167afa9")])
        #expect(!atDesk.trusts(thief.publicKeys.device) && atPhone.trusts(thief.publicKeys.device))
        // The draft compared 8 bytes. Statements are not sent to a device with the same digest.
        let model = atDesk.digest.prefix(8) == atPhone.digest.prefix(8)
        #expect(model)
        #expect(atDesk.digest != atPhone.digest)
        measured(
            .searchedDigest,
            onModel: model ? "the circle with the removal and the one without it look alike" : "they are told apart",
            here: atDesk.digest == atPhone.digest ? "they look alike" : "they are told apart"
        )
    }

    @Test("A device that claims the agreement key of another one is not taken for it")
    func borrowedKey() throws {
        let (own, honest, liar) = (DeviceKeys.generate(), DeviceKeys.generate(), DeviceKeys.generate())
        let claimed = try DevicePublicKeys(
            agreement: honest.publicKeys.agreement,
            signing: liar.publicKeys.signing
        )
        let members = [claimed, honest.publicKeys]
        let draft = try NoiseResponderTrial(
            localStatic: own.agreement,
            candidates: members.map { ($0.device, $0.agreement) }
        )
        let trial = try SessionTrial(own, devices: members)
        var (model, here) = (0, 0)
        for _ in 0..<100 {
            let prologue = SessionGreeting.random().bytes
            var handshake = NoiseHandshake.initiator(
                localStatic: honest.agreement,
                remoteStatic: own.publicKeys.agreement,
                prologue: prologue
            )
            let found = try draft.match(try handshake.writeMessage([0])) { _ in prologue }.id
            if found == claimed.device { model += 1 }
            var server = ServerSession(trial: trial)
            var client = ClientSession(
                keys: honest,
                peer: own.publicKeys,
                request: .stream(StreamRequest(activity: 1))
            )
            let introduced = try server.receiveRequest(try #require(try client.open(server.greeting)))
            if introduced?.device != honest.publicKeys.device { here += 1 }
        }
        measured(
            .borrowedKey,
            onModel: "\(model) of 100 sessions are taken for the accomplice's",
            here: "\(here) of 100"
        )
    }

    @Test("Made-up identifiers of a device's keys do not make it believe that a copy of its state exists")
    func falseCopy() throws {
        var random = SeededRandom(seed: 38)
        let keys = KeyIdentifierSource(.generate())
        // The draft had a list of the keys that it had used.
        let used = Set((UInt16(0)..<16).map { keys.identifier(of: $0) })
        let madeUp = try (0..<100).map { _ in try AdvertisingKeyRecord.ID(bytes: random.bytes(8)) }
        let model = madeUp.count { !used.contains($0) }
        let here = madeUp.count { (keys.number(of: $0) ?? 0) > 15 }
        measured(
            .falseCopy,
            onModel: "reported at \(model) of 100 made-up identifiers of keys",
            here: "at \(here) of 100"
        )
    }

    @Test("A recorded request of a reconciliation holds no advertising key, whoever can decrypt it later")
    func recordedKey() throws {
        let (caller, listener) = (DeviceKeys.generate(), DeviceKeys.generate())
        let settle = SettleRequest(pairing: [UInt8](1...8), isConfirmed: true)
        var (model, here) = (0, 0)
        for _ in 0..<100 {
            let key = AdvertisingKeyRecord.generate(day: 20_000).rawRepresentation
            // The draft had the key in the field after the two of today.
            let fields = Array(Request.settle(settle).encode().dropFirst(2))
            let draft = fields + [0x1A, UInt8(key.count)] + key
            func readByThief(_ request: [UInt8]) throws -> Bool {
                let greeting = SessionGreeting.random()
                var handshake = NoiseHandshake.calling(listener.publicKeys, as: caller, after: greeting)
                let recorded = try handshake.writeMessage([0] + MessagePadding.pad(request))
                // The thief has the listener's keys, and knows who has called.
                var stolen = NoiseHandshake.answering(caller.publicKeys, as: listener, after: greeting)
                let plaintext = try stolen.readMessage(recorded)
                return plaintext.indices.contains { plaintext[$0...].starts(with: key) }
            }
            if try readByThief([0x22, UInt8(draft.count)] + draft) { model += 1 }
            if try readByThief(Request.settle(settle).encode()) { here += 1 }
        }
        measured(
            .recordedKey,
            onModel: "in \(model) of 100 reconciliations of a pairing",
            here: "in \(here) of 100"
        )
    }
}
