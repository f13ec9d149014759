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
        onModel: "AUC 0.69; 0.92 after a wake-up",
        here: "AUC 0.49",
        verdict: .fails
    )
    package static let turnRhythm = Attack(
        number: 33,
        name: "linking slots by the rhythm of directed turns",
        source: versionOne,
        onModel: "AUC 1.00",
        here: "AUC 0.51",
        verdict: .fails
    )
    package static let falseClone = Attack(
        number: 34,
        name: "making a device tell its owner to delete its keys",
        source: versionOne,
        onModel: "alarm at 100 of 100 replays after a restart",
        here: "0 of 100; a member's forgery is a hint, and a session proves a copy",
        verdict: .fails
    )
    package static let deviceName = Attack(
        number: 35,
        name: "reading the computer's name over a connection",
        source: "Celosia, Cunche, IoT S&P 2019",
        onModel: "the name of the host is read",
        here: "BlueZ gives its alias to any device that connects; `status` reports it and how to change it",
        verdict: .partly
    )
}
