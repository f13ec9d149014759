/// Whether a radio can be used now, and if not, why.
package enum RadioState: Hashable, Sendable {
    /// The radio works.
    case ready(RadioDescription)

    /// The radio cannot be used until something outside changes; the error says what and what to do.
    case unavailable(RadioError)
}

/// What a working radio says about itself, for people and for diagnosis.
package struct RadioDescription: Hashable, Sendable {
    /// The radio's name: `hci0`, or the name of a simulated station.
    package let name: String

    /// Things that work less well than they could, each with its cure; a sentence for a person.
    package let advisories: [RadioAdvisory]

    package init(name: String, advisories: [RadioAdvisory] = []) {
        self.name = name
        self.advisories = advisories
    }
}

/// Something about a working radio that a person should know: a name for programs, a sentence for people.
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
