import HandoffCore
import HandoffModel

extension CircleWorld {
    /// Returns what a step from `before` to this world has broken; nil when all rules hold.
    func brokenRule(since before: CircleWorld) -> String? {
        let isLiar = Set(liars.map(\.id))
        for one in honest.indices {
            let (now, then) = (honest[one].circle, before.honest[one].circle)
            if let back = now.trustedIDs.first(where: { honest[one].seenContested.contains($0) }) {
                return "\(back) came back on device \(one) without the person"
            }
            if !Set(then.statements.map(\.statement.place)).isSubset(of: now.statements.map(\.statement.place)) {
                return "device \(one) has forgotten a statement"
            }
            for other in honest where now.knows(other.device.id) && !now.trusts(other.device.id) {
                guard case .removed(let removers)? = now[other.device.id]?.standing else { continue }
                // A question is put to the person; a removal by an honest device is the person's word.
                guard removers.contains(where: { !isLiar.contains($0) || now.trusts($0) }) else {
                    return "\(other.device.name) is removed on device \(one) by nobody who is trusted"
                }
            }
            if now.trustedIDs != then.trustedIDs, honest[one].key == before.honest[one].key {
                return "device \(one) has kept its key although the trusted devices have changed"
            }
        }
        for key in stolenKeys.subtracting(before.stolenKeys) where !before.trustsLiar(key.owner) {
            return "a liar has a key of device \(key.owner) that was made when no liar was trusted"
        }
        return nil
    }

    /// Returns what is wrong after the person has decided everything and all have met; nil when all is well.
    func brokenRuleAtTheEnd() -> String? {
        for one in honest.indices {
            if trustsLiar(one) { return "device \(one) still trusts a liar" }
            for other in honest.indices where one != other {
                let (left, right) = (honest[one], honest[other])
                if left.circle.knows(right.device.id), !trust(one, right.device) {
                    return "device \(one) does not trust \(other) although the person said so"
                }
                guard trust(one, right.device), trust(other, left.device) else { continue }
                if limits == .standard, left.circle.digest != right.circle.digest {
                    return "devices \(one) and \(other) know different circles"
                }
                // Beyond the limits one of them may not know a device that the other one knows.
                if honestStatements(known: one, other, of: left.circle)
                    != honestStatements(known: one, other, of: right.circle)
                {
                    return "devices \(one) and \(other) know different statements of honest devices"
                }
            }
        }
        return nil
    }

    /// Whether any honest device has no room for more devices, or for more statements of some liar.
    var isLimitReached: Bool {
        honest.contains { one in
            one.circle.known.count >= limits.knownDevices
                || liars.contains { liar in
                    let places = one.circle.statements.map(\.statement.place).filter { $0.author == liar.id }
                    return places.count { $0.kind == .remove } >= limits.removals
                        || places.count { $0.kind == .add } >= limits.broughtDevices
                        || places.count { $0.kind == .name } >= limits.names
                }
        }
    }

    /// What a circle has of what honest devices say of devices, as far as two honest devices know both.
    private func honestStatements(known one: Int, _ other: Int, of circle: Circle) -> Set<SignedStatement> {
        let authors = Set(honest.map(\.device.id))
        func isKnown(_ id: DeviceID) -> Bool {
            [one, other].allSatisfy { honest[$0].circle.knows(id) }
        }
        return Set(
            circle.statements.filter { signed in
                let place = signed.statement.place
                return authors.contains(place.author) && isKnown(place.author) && isKnown(place.subject)
            }
        )
    }
}
