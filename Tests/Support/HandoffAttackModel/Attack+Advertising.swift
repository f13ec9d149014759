/// The attacks on advertisements that follow from reviews of this protocol.
extension Attack {
    private static let versionOne = "found in version 1 of this protocol"

    package static let stolenState = Attack(
        number: 31,
        name: "reading recorded advertisements with a stolen state",
        source: versionOne,
        onModel: "opens 672 of 672 recorded in a week",
        here: "opens 0 of 672 of the days before",
        verdict: .fails
    )
    package static let slotChangeTiming = Attack(
        number: 32,
        name: "linking slots by the moment of change",
        source: "after Jouans et al., CCNC 2021",
        onModel: "AUC 0.78",
        here: "AUC 0.50",
        verdict: .fails
    )
    package static let turnRhythm = Attack(
        number: 33,
        name: "linking slots by the rhythm of directed turns",
        source: versionOne,
        onModel: "AUC 1.00",
        here: "AUC 0.50",
        verdict: .fails
    )
}
