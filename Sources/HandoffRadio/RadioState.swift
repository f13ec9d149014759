/// Whether a radio can be used now, and if not, why.
package enum RadioState: Hashable, Sendable {
    /// The radio works.
    case ready(RadioDescription)

    /// The radio cannot be used until an external condition changes; the error says which one and what to do.
    case unavailable(RadioError)
}

/// The description of a working radio, for users and for diagnosis.
package struct RadioDescription: Hashable, Sendable {
    /// The radio's name: `hci0`, or the name of a simulated station.
    package let name: String

    /// What works less well than it could, each with a remedy.
    package let advisories: [RadioAdvisory]

    package init(name: String, advisories: [RadioAdvisory] = []) {
        self.name = name
        self.advisories = advisories
    }
}

/// A warning about a working radio: a name for programs and a sentence for users.
package struct RadioAdvisory: Hashable, Sendable {
    /// A lower-case name with hyphens that stays the same, such as `public-address`.
    package let name: String

    /// What it means and what to do about it.
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}
