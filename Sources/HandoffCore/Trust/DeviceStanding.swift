package import HandoffModel

/// Whether a known device is trusted, and if not, why (Docs/Circle.md, "What a device concludes").
package enum DeviceStanding: Hashable, Sendable {
    /// It belongs to the circle.
    case trusted
    /// This device, or trusted ones, have removed it.
    case removed(by: [DeviceID])
    /// Only devices that are not trusted have removed it: a person has to decide.
    case disputed(by: [DeviceID])
    /// It was brought by devices that are not trusted (any more): a person has to decide.
    case orphaned(broughtBy: [DeviceID])

    /// Whether a person has to decide.
    package var isQuestion: Bool {
        switch self {
        case .trusted, .removed: false
        case .disputed, .orphaned: true
        }
    }
}
