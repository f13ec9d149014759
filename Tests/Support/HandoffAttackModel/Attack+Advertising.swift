/// The attacks on advertisements that follow from reviews of this protocol.
extension Attack {
    package static let stolenState = Attack(
        number: 31,
        name: "reading recorded advertisements with a stolen state",
        source: "found in version 1 of this protocol",
        onModel: "opens 672 of 672 recorded in a week",
        here: "opens 0 of 672 of the days before",
        verdict: .fails
    )
}
