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

    /// Whether sound is going over the same adapter, such as to headphones.
    package let isPlayingAudio: Bool

    package init(name: String, advisories: [RadioAdvisory] = [], isPlayingAudio: Bool = false) {
        self.name = name
        self.advisories = advisories
        self.isPlayingAudio = isPlayingAudio
    }

    /// Whether the radio is the same and works as well as `other`: only its sound may differ.
    package func works(like other: RadioDescription) -> Bool {
        name == other.name && advisories == other.advisories
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
