/// The attacks of a device that is trusted, or was, and lies.
extension Attack {
    private static let versionOne = "found in version 1 of this protocol"

    package static let preventedRemoval = Attack(
        number: 36,
        name: "making one's own removal impossible",
        source: versionOne,
        onModel: "0 of 3 devices can remove it",
        here: "3 of 3",
        verdict: .fails
    )
    package static let returnAfterRemoval = Attack(
        number: 37,
        name: "coming back after one's own removal",
        source: versionOne,
        onModel: "2 of 2 devices trust it again",
        here: "0 of 2",
        verdict: .fails
    )
    package static let blockedRemoval = Attack(
        number: 38,
        name: "keeping a removal from others with made-up devices",
        source: versionOne,
        onModel: "0 of 2 other devices learn of it",
        here: "2 of 2",
        verdict: .fails
    )
    package static let displacedRemoval = Attack(
        number: 39,
        name: "pushing out a removal by volume",
        source: versionOne,
        onModel: "2 of 2 devices forget it",
        here: "0 of 2",
        verdict: .fails
    )
    package static let replacedKey = Attack(
        number: 40,
        name: "replacing another device's advertising key",
        source: versionOne,
        onModel: "0 of 100 of its advertisements are read",
        here: "100 of 100",
        verdict: .fails
    )
    package static let accomplices = Attack(
        number: 41,
        name: "leaving accomplices behind",
        source: versionOne,
        onModel: "3 of 3 stay trusted, 0 are reported",
        here: "0 of 3 stay trusted, 3 are reported",
        verdict: .fails
    )
    package static let ban = Attack(
        number: 42,
        name: "banning devices that never belonged",
        source: versionOne,
        onModel: "0 of 8 can be added afterwards",
        here: "8 of 8",
        verdict: .fails
    )
    package static let fixedName = Attack(
        number: 43,
        name: "giving another device a name that stays",
        source: versionOne,
        onModel: "stays for good",
        here: "stays until the attacker is removed",
        verdict: .partly
    )
    package static let removedRemover = Attack(
        number: 44,
        name: "removing the remover first",
        source: versionOne,
        onModel: "0 of 2 other devices learn of the removal",
        here: "0 of 2 until the user removes the attacker there too, then 2 of 2",
        verdict: .partly
    )
}

/// The attacks on pairing, on the clock and on a connection that follow from reviews of this protocol.
extension Attack {
    package static let earlyAbort = Attack(
        number: 45,
        name: "giving up pairings unseen until the digits agree",
        source: "after Stute et al., USENIX Security 2021",
        onModel: "digits agree after 1410703 tries",
        here: "the request ends after 3 tries",
        verdict: .fails
    )
    package static let forgedTime = Attack(
        number: 46,
        name: "setting a device's clock back, and replaying",
        source: "found in version 1 of this protocol",
        onModel: "opens 672 of 672 recorded in a week",
        here: "opens 48 of 672, those of the same day",
        verdict: .partly
    )
    package static let servicesFingerprint = Attack(
        number: 47,
        name: "recognizing a computer's model by its GATT services",
        source: "Celosia, Cunche, IoT S&P 2019",
        onModel: "the services are read",
        here: "BlueZ gives its services to any device that connects; handoffd adds none to them with L2CAP channels",
        verdict: .outOfScope
    )
}

/// The attacks of members that a review of version 2 of this protocol has found.
extension Attack {
    private static let review = "found in a draft of version 2 of this protocol"

    package static let searchedDigest = Attack(
        number: 48,
        name: "hiding one's own removal behind a digest that was searched for",
        source: review,
        onModel: "the circle with the removal and the one without it look alike",
        here: "they are told apart",
        verdict: .fails
    )
    package static let borrowedKey = Attack(
        number: 49,
        name: "being taken for another device, whose agreement key one's own accomplice claims",
        source: review,
        onModel: "100 of 100 sessions are taken for the accomplice's",
        here: "0 of 100",
        verdict: .fails
    )
    package static let falseCopy = Attack(
        number: 50,
        name: "making a device believe that a copy of its state exists",
        source: review,
        onModel: "reported at 100 of 100 made-up identifiers of keys",
        here: "at 0 of 100",
        verdict: .fails
    )
    package static let recordedKey = Attack(
        number: 51,
        name: "reading an advertising key in a recorded request, with keys stolen later",
        source: review,
        onModel: "in 100 of 100 reconciliations of a pairing",
        here: "in 0 of 100",
        verdict: .fails
    )
}
