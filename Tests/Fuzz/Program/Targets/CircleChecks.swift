import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// What holds of two copies of one circle with one root, and of their join.
struct CircleJoin {
    private let root: DevicePublicKeys
    private let one: Circle
    private let other: Circle

    init(_ root: DevicePublicKeys, _ first: [SignedStatement], _ second: [SignedStatement]) {
        self.init(Self.circle(of: root, first), Self.circle(of: root, second))
    }

    init(_ one: Circle, _ other: Circle) {
        root = one.own
        (self.one, self.other) = (one, other)
    }

    static func circle(of root: DevicePublicKeys, _ statements: [SignedStatement]) -> Circle {
        var circle = Circle(of: root)
        circle.join(statements)
        return circle
    }

    func check() {
        let near = one.joined(with: other)
        let far = other.joined(with: one)
        if Self.fit(one, other) {
            precondition(near.digest == far.digest, "joining does not depend on the direction")
            precondition(near.known.map(\.id) == far.known.map(\.id), "the same statements make the same devices known")
            precondition(near.joined(with: other) == near, "joining twice changes nothing")
        }
        let restored = Circle(of: root, near.statements, overruled: near.overruled)
        precondition(restored == near, "a circle is restored from its statements")
        checkStatements(near)
        checkStandings(near)
    }

    /// Whether no limit is reached by the statements of both.
    static func fit(_ one: Circle, _ other: Circle) -> Bool {
        let limits = CircleLimits.standard
        let places = Set((one.statements + other.statements).map(\.statement.place))
        let groups = Dictionary(grouping: places) { [$0.kind.rawValue] + $0.author.bytes }.values
        let fits = groups.allSatisfy { group in
            switch group[0].kind {
            case .add: group.count <= limits.additions
            case .remove: group.count <= limits.removals
            case .name: group.count <= limits.names
            }
        }
        return fits && Set(places.filter { $0.kind == .add }.map(\.subject)).count < limits.broughtDevices
    }

    private func checkStatements(_ joined: Circle) {
        let limits = CircleLimits.standard
        let statements = joined.statements
        let places = Dictionary(uniqueKeysWithValues: statements.map { ($0.statement.place, $0.statement) })
        precondition(statements.count <= limits.statements, "a circle has no more statements than a message")
        precondition(joined.known.count <= limits.knownDevices, "a circle has no more devices than documented")
        for statement in one.statements.map(\.statement) {
            let present = places[statement.place]
            precondition(present == statement || present?.outranks(statement) == true, "nothing is displaced")
        }
        for statement in statements {
            let author = statement.statement.author
            guard let keys = author == root.device ? root : joined[author]?.keys else {
                preconditionFailure("every author is known")
            }
            precondition(statement.isValid(for: keys), "every signature is valid")
            precondition(SignedStatement(bytes: statement.bytes) == statement, "a statement has one encoding")
        }
    }

    private func checkStandings(_ joined: Circle) {
        precondition(joined.trusts(root.device), "a device trusts itself")
        for member in one.known {
            switch member.standing {
            case .removed, .disputed: precondition(!joined.trusts(member.id), "a removed device does not come back")
            case .trusted, .orphaned: break
            }
        }
    }
}

/// What holds when the person at the root decides about devices.
struct CircleDecisions {
    private let people: CirclePeople
    private let decisions: [StatementSets.Decision]

    init(_ people: CirclePeople, _ decisions: [StatementSets.Decision]) {
        self.people = people
        self.decisions = decisions
    }

    func check(_ first: [SignedStatement], _ second: [SignedStatement]) {
        guard !decisions.isEmpty else { return }
        var circle = CircleJoin.circle(of: people.own.publicKeys, first)
        for decision in decisions { decide(decision, in: &circle) }
        CircleJoin(circle, CircleJoin.circle(of: people.own.publicKeys, second)).check()
    }

    private func decide(_ decision: StatementSets.Decision, in circle: inout Circle) {
        let key = people.own.signing
        let sign: Circle.Signer = { SignedStatement($0, signedBy: key) }
        guard let name = try? DeviceName("n") else { preconditionFailure("a letter is a name") }
        switch decision {
        case .keep(let id):
            guard (try? circle.keep(id, sign: sign)) != nil else { return }
            precondition(circle.trusts(id), "a device that is kept is trusted")
        case .remove(let id):
            guard (try? circle.remove(id, sign: sign)) != nil else { return }
            precondition(!circle.trusts(id), "a device that is removed is not trusted")
        case .rename(let id): try? circle.rename(id, to: name, sign: sign)
        case .add(let keys):
            guard keys != people.own.publicKeys else { return }
            let isRemoved = circle[keys.device].map { if case .removed = $0.standing { true } else { false } } ?? false
            let isAdded = (try? circle.add(DeviceIdentity(publicKeys: keys, name: name), sign: sign)) != nil
            precondition(!(isRemoved && isAdded), "a removed device is not added")
        }
    }
}

/// What holds when two devices that have added each other exchange what they know.
struct CircleMeeting {
    private let people: CirclePeople

    init(_ people: CirclePeople) {
        self.people = people
    }

    func check(_ first: [SignedStatement], _ second: [SignedStatement]) {
        let pair = [(people.own, people.peer), (people.peer, people.own)].map { author, subject in
            let statement = CircleStatement.add(
                author: author.publicKeys.device,
                subject.publicKeys,
                name: "met"
            )
            return SignedStatement(statement, signedBy: author.signing)
        }
        let near = CircleJoin.circle(of: people.own.publicKeys, pair + first)
        let far = CircleJoin.circle(of: people.peer.publicKeys, pair + second)
        guard CircleJoin.fit(near, far) else { return }
        let (nearAfter, farAfter) = (near.joined(with: far), far.joined(with: near))
        precondition(nearAfter.digest == farAfter.digest, "two devices that have met know the same")
    }
}

extension Circle {
    /// Returns this copy after it has taken in the statements of another.
    fileprivate func joined(with other: Circle) -> Circle {
        var circle = self
        circle.join(other.statements)
        return circle
    }
}
