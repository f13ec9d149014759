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
            for other in honest where now[other.device.id] != nil && !now.trusts(other.device.id) {
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
                if left.circle[right.device.id] != nil, !trust(one, right.device) {
                    return "device \(one) does not trust \(other) although the person said so"
                }
                guard trust(one, right.device), trust(other, left.device) else { continue }
                if left.circle.digest != right.circle.digest {
                    return "devices \(one) and \(other) know different circles"
                }
            }
        }
        return nil
    }
}
