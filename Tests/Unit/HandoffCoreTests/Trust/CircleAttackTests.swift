import Glibc
import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@Suite("Two copies of a circle stay equal, whatever a liar says", .endsWithin(minutes: 10))
struct CircleAttackTests {
    @Test("After a name of the highest version, the names that others give still count everywhere, or are refused")
    func highestVersion() throws {
        let (desk, phone, liar) = (try FakeDevice(1), try FakeDevice(2), try FakeDevice(3))
        var atDesk = Circle(of: desk.keys)
        try atDesk.add(phone.identity, sign: desk.sign)
        try atDesk.add(liar.identity, sign: desk.sign)
        var atPhone = Circle(of: phone.keys)
        try atPhone.add(desk.identity, sign: phone.sign)
        atDesk.hear(phone.adds(desk), liar.names(phone, "mine", version: .max))
        let refusal = #expect(throws: HandoffError.self) {
            try atDesk.rename(phone.id, to: DeviceName("zebra"), sign: desk.sign)
        }
        #expect(refusal?.code == .limitReached)
        #expect(refusal?.message.contains("Remove \(liar.id)") == true)
        try atDesk.remove(liar.id, sign: desk.sign)
        atPhone.hear(atDesk.statements)
        // The second name has the smaller bytes.
        for name in ["zebra", "aaaaa"] {
            try atDesk.rename(phone.id, to: DeviceName(name), sign: desk.sign)
            atPhone.hear(atDesk.statements)
            #expect(atPhone.name(of: phone.id).rawValue == name)
            #expect(atPhone.digest == atDesk.digest)
        }
    }

    @Test("The largest circle that one member can make up costs little more than its signatures")
    func cost() throws {
        let (desk, liar) = (DeviceKeys.generate(), DeviceKeys.generate())
        func identity(_ keys: DeviceKeys) throws -> DeviceIdentity {
            DeviceIdentity(publicKeys: keys.publicKeys, name: try DeviceName("device"))
        }
        var circle = Circle(of: desk.publicKeys)
        try circle.add(identity(liar)) { SignedStatement($0, signedBy: desk.signing) }
        let brought = (0..<47).map { _ in DeviceKeys.generate() }
        let all = brought + [liar]
        var statements: [SignedStatement] = []
        for (author, next) in zip([liar] + brought, brought) {
            statements.append(
                SignedStatement(
                    .add(author: author.publicKeys.device, next.publicKeys, name: "x"),
                    signedBy: author.signing
                )
            )
        }
        for author in all {
            let id = author.publicKeys.device
            for subject in all.prefix(32) {
                statements.append(
                    SignedStatement(.remove(author: id, subject.publicKeys.device), signedBy: author.signing)
                )
                statements.append(
                    SignedStatement(.add(author: id, subject.publicKeys, name: "x"), signedBy: author.signing)
                )
            }
            for subject in all.prefix(8) {
                statements.append(
                    SignedStatement(
                        .name(author: id, subject.publicKeys.device, version: 7, "y"),
                        signedBy: author.signing
                    )
                )
            }
        }
        let keys = Dictionary(uniqueKeysWithValues: all.map { ($0.publicKeys.device, $0.publicKeys) })
        let checking = Self.processorTime {
            for signed in statements { _ = keys[signed.statement.author].map { signed.isValid(for: $0) } }
        }
        let joining = Self.processorTime { circle.join(statements) }
        print(
            "joined \(circle.statements.count) statements in \(joining) s, of which the signatures take \(checking) s"
        )
        // It was far more when everything was concluded anew after each statement.
        #expect(joining < checking * 10)
    }

    /// Returns how many seconds this thread has computed during `body`, however busy the machine is.
    private static func processorTime(of body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }
}
