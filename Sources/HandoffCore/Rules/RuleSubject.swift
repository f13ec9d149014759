package import HandoffModel

/// What a rule is about.
package enum RuleSubject: Hashable, Sendable {
    /// Activities that the app publishes here, and the app as a target of activities of other devices.
    case app(DesktopFileID)
    /// Activities of the type, in both directions.
    case type(ActivityType)
    /// Activities with a web page on the host or one of its sub-domains, in both directions.
    case site(HostName)
    /// Another device: what it gets from this one, and what it offers to this one.
    case device(DeviceID)

    /// The kinds of subjects, in the order in which an obstacle is looked for.
    package enum Kind: String, CaseIterable, Sendable {
        case device, type, app, site

        /// The plural in a sentence.
        package var plural: String { rawValue + "s" }
    }

    /// Makes a subject from the form that people and programs use.
    ///
    /// - Throws: `ModelError` when `value` is none of that kind.
    package init(_ kind: Kind, _ value: String) throws(ModelError) {
        self =
            switch kind {
            case .app: .app(try DesktopFileID(value))
            case .type: .type(try ActivityType(value))
            case .site: .site(try HostName(value))
            case .device: .device(try DeviceID(value))
            }
    }

    package var kind: Kind {
        switch self {
        case .app: .app
        case .type: .type
        case .site: .site
        case .device: .device
        }
    }

    /// The subject as text, from which ``init(_:_:)`` makes it again.
    package var value: String {
        switch self {
        case .app(let id): id.description
        case .type(let type): type.rawValue
        case .site(let host): host.description
        case .device(let id): id.description
        }
    }
}

extension RuleSubject: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, left.value) < (right.kind.rawValue, right.value)
    }
}
