import HandoffCore
import HandoffCrypto
import HandoffDaemon
import HandoffModel
import HandoffWire

/// The circle of a trusted device: sets of statements that are joined, and an exchange.
///
/// The first byte selects what follows: 0 joins two sets of statements (``StatementSets``), 1 answers an exchange of
/// circles with the plaintexts of the input, and 2 with the two sets.
struct CircleTarget: FuzzTarget {
    private let keys: FuzzKeys
    private let people: CirclePeople
    private let exchange: CircleExchange

    init(in directory: StateDirectory) throws {
        keys = try FuzzKeys()
        people = try CirclePeople(keys)
        exchange = try CircleExchange(keys, in: directory)
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch input.byte() % 3 {
        case 0:
            let sets = StatementSets(&input, people)
            CircleJoin(sets.root, sets.first, sets.second).check()
            guard sets.root == people.own.publicKeys else { return }
            CircleDecisions(people, sets.decisions).check(sets.first, sets.second)
            CircleMeeting(people).check(sets.first, sets.second)
        case 1: exchange.run(&input)
        default:
            let sets = StatementSets(&input, people)
            exchange.run(sets.first, sets.second)
        }
    }
}

/// The devices for which the harness signs.
struct CirclePeople: Sendable {
    let all: [DeviceKeys]

    init(_ keys: FuzzKeys) throws {
        all = [keys.own, keys.peer] + (try (20..<26).map { try FuzzKeys.device($0) })
    }

    /// The device at the root.
    var own: DeviceKeys { all[0] }
    /// The device that it meets.
    var peer: DeviceKeys { all[1] }

    /// Returns the device that a number of the input selects.
    subscript(number: UInt8) -> DeviceKeys { all[Int(number) % all.count] }
}

/// Two sets of statements, as the input says them.
///
/// A chunk has the public keys at the root; if they are none, the harness has the root's private keys. Then follow
/// steps: the lowest three bits of a byte say what, and the highest one says in which set.
struct StatementSets {
    /// A step of the person at the root.
    enum Decision {
        case keep(DeviceID), remove(DeviceID), rename(DeviceID), add(DevicePublicKeys)
    }

    /// The most steps of one input.
    private static let maximumSteps = 200

    let root: DevicePublicKeys
    private(set) var first: [SignedStatement] = []
    private(set) var second: [SignedStatement] = []
    private(set) var decisions: [Decision] = []

    init(_ input: inout FuzzInput, _ people: CirclePeople) {
        root = (try? DevicePublicKeys(rawRepresentation: input.chunk())) ?? people.own.publicKeys
        var steps = 0
        while !input.isEmpty, steps < Self.maximumSteps {
            steps += 1
            step(&input, people)
        }
    }

    private mutating func step(_ input: inout FuzzInput, _ people: CirclePeople) {
        let choice = input.byte()
        guard choice & 7 != 5 else { return decide(&input, people) }
        guard let statement = Self.statement(choice & 7, &input, people) else { return }
        if choice & 0x80 == 0 { first.append(statement) } else { second.append(statement) }
    }

    private static func statement(
        _ kind: UInt8,
        _ input: inout FuzzInput,
        _ people: CirclePeople
    ) -> SignedStatement? {
        if kind == 0 { return SignedStatement(bytes: input.chunk()) }
        let author = people[input.byte()]
        if kind == 1 {
            return CircleStatement(content: input.chunk()).map { SignedStatement($0, signedBy: author.signing) }
        }
        let (id, subject) = (author.publicKeys.device, people[input.byte()].publicKeys)
        let statement: CircleStatement =
            switch kind {
            case 2: .add(author: id, subject, name: "d\(input.byte())")
            case 3: .remove(author: id, subject.device)
            default: .name(author: id, subject.device, version: UInt32(input.byte()) << 24, "n\(input.byte())")
            }
        return SignedStatement(statement, signedBy: author.signing)
    }

    private mutating func decide(_ input: inout FuzzInput, _ people: CirclePeople) {
        let choice = input.byte()
        let subject = people[choice >> 2].publicKeys
        switch choice & 3 {
        case 0: decisions.append(.keep(subject.device))
        case 1: decisions.append(.remove(subject.device))
        case 2: decisions.append(.rename(subject.device))
        default: decisions.append(.add(subject))
        }
    }
}
