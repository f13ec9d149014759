extension Attack {
    private static let stute = "Stute et al., USENIX Security 2021"
    private static let martin = "Martin et al., PETS 2019"
    private static let celosia = "Celosia, Cunche, PETS 2020"
    private static let becker = "Becker et al., PETS 2019"

    /// All attacks, in the order of their numbers.
    package static let all = [
        sequenceNumbers, carryOver, publicAddress, staticBytes, multicastNames, counterExhaustion, bruteForce,
        nonceReuse, replay, activeLinking, flags, format, dictionary, acceptList, signalStrength, linkReconnection,
        linkPairing, malformedFrames, flood, pairing, misbinding, removedDevice, chance,
        recordedFirstMessage, claimedKeys, displacedCandidate, oldPairing, answerLength, idleConnection, starvation,
        stolenState, slotChangeTiming, turnRhythm, falseClone, deviceName,
        preventedRemoval, returnAfterRemoval, blockedRemoval, displacedRemoval, replacedKey, accomplices, ban,
        fixedName, removedRemover, earlyAbort, forgedTime, servicesFingerprint,
        searchedDigest, borrowedKey, falseCopy, recordedKey, strangersAtPort, replayedConnection, hostileOffer,
        otherAppsStreams, allStreams, allSessionsOverGATT, filesOutsideSandbox, dialsForApps,
        claimedToken,
    ]

    package static let sequenceNumbers = Attack(
        number: 1,
        name: "tracking by a sequence number across address changes",
        source: "\(martin); \(celosia)",
        onModel: "AUC 1.00",
        here: "AUC 0.52",
        verdict: .fails
    )
    package static let carryOver = Attack(
        number: 2,
        name: "carrying a payload over to the next address",
        source: becker,
        onModel: "96 of 96 address changes bridged",
        here: "0 of 95",
        verdict: .fails
    )
    package static let publicAddress = Attack(
        number: 3,
        name: "tracking by a fixed public address",
        source: martin,
        onModel: "every advertisement identifies the device",
        here: "BlueZ sends the fixed address unless its Privacy is on; `status` reports it and how to change it",
        verdict: .partly
    )
    package static let staticBytes = Attack(
        number: 4,
        name: "tracking by constant bytes",
        source: celosia,
        onModel: "AUC 0.92",
        here: "AUC 0.50",
        verdict: .fails
    )
    package static let multicastNames = Attack(
        number: 5,
        name: "tracking by names on the local network",
        source: stute,
        onModel: "every query is answered",
        here: "0 internet sockets are open",
        verdict: .inapplicable
    )
    package static let counterExhaustion = Attack(
        number: 6,
        name: "forging a high counter, so that real advertisements are ignored",
        source: stute,
        onModel: "100 of 100 real ones missed",
        here: "0 of 100",
        verdict: .fails
    )
    package static let bruteForce = Attack(
        number: 7,
        name: "forging the tag by brute force",
        source: stute,
        onModel: "a forgery after 240 tries",
        here: "0 forgeries in 200000 tries",
        verdict: .fails
    )
    package static let nonceReuse = Attack(
        number: 8,
        name: "reusing a nonce after an old state was restored",
        source: "after \(celosia)",
        onModel: "150 of 150 nonces used twice",
        here: "0 of 2000",
        verdict: .fails
    )
    package static let replay = Attack(
        number: 9,
        name: "replaying or relaying an advertisement",
        source: celosia,
        onModel: "1000 of 1000 accepted a day later",
        here: "0 of 1000 after two slots; before that, one more address to connect to, and 0 packets",
        verdict: .fails
    )
    package static let activeLinking = Attack(
        number: 10,
        name: "making devices answer broken, forged or replayed advertisements",
        source: celosia,
        onModel: "8 key requests for 8 advertisements",
        here: "0 packets for 8 advertisements",
        verdict: .fails
    )
    package static let flags = Attack(
        number: 11,
        name: "inferring the user's action from a flag",
        source: martin,
        onModel: "right 100 % of the time",
        here: "51 %, like guessing",
        verdict: .fails
    )
    package static let format = Attack(
        number: 12,
        name: "distinguishing versions and models by the unencrypted part",
        source: martin,
        onModel: "2 forms",
        here: "1 form",
        verdict: .fails
    )
    package static let dictionary = Attack(
        number: 13,
        name: "identifying the activity with a dictionary of type hashes",
        source: "after \(celosia)",
        onModel: "1000 of 1000 unsealed hashes identified",
        here: "0 of 1000",
        verdict: .fails
    )
    package static let acceptList = Attack(
        number: 14,
        name: "probing a controller's accept list with old private addresses",
        source: "Zhang, Lin, CCS 2022",
        onModel: "a listed address is answered",
        here: "no accept list and no automatic connection is used; see 10",
        verdict: .inapplicable
    )
    package static let signalStrength = Attack(
        number: 15,
        name: "recognizing a radio by its signal",
        source: "Gagnon et al., ICISSP 2023",
        onModel: "re-identified",
        here: "re-identified, as any radio is; its transmit power is not advertised",
        verdict: .outOfScope
    )
    package static let linkReconnection = Attack(
        number: 16,
        name: "reconnecting without the link's encryption",
        source: "Wu et al. (BLESA), WOOT 2020",
        onModel: "an unencrypted reconnection is served",
        here: "0 of 300 frames of an unauthenticated peer are answered",
        verdict: .fails
    )
    package static let linkPairing = Attack(
        number: 17,
        name: "pairing again, or with weaker security, on the link layer",
        source: "BLERP, NDSS 2026",
        onModel: "a new bond has the old one's rights",
        here: "bonds have no rights and are never requested; see 16",
        verdict: .inapplicable
    )
    package static let malformedFrames = Attack(
        number: 18,
        name: "malformed frames and lengths",
        source: stute,
        onModel: "16777215 bytes awaited from an unauthenticated peer",
        here: "refused at the second byte; 1073 bytes at most",
        verdict: .fails
    )
    package static let flood = Attack(
        number: 19,
        name: "floods of connections and half-open handshakes",
        source: "after \(celosia)",
        onModel: "8 connections for 8 broken advertisements",
        here: "a trusted device is served beside 40 silent, unauthenticated peers",
        verdict: .fails
    )
    package static let pairing = Attack(
        number: 20,
        name: "being the man in the middle of a pairing",
        source: "after \(stute)",
        onModel: "digits agree in 20 of 20 pairings",
        here: "digits agree in 0 of 50000",
        verdict: .fails
    )
    package static let misbinding = Attack(
        number: 21,
        name: "redirecting a session to another device of the user, or reflecting it",
        source: "after \(stute)",
        onModel: "accepted as a session with the phone",
        here: "refused by both sides",
        verdict: .fails
    )
    package static let removedDevice = Attack(
        number: 22,
        name: "a removed device that keeps receiving",
        source: "after \(celosia)",
        onModel: "reads 100 of the next 100",
        here: "reads 0 of the next 100, and opens no session",
        verdict: .fails
    )
    package static let chance = Attack(
        number: 23,
        name: "taking other users' advertisements for one's own",
        source: "after \(stute)",
        onModel: "16 false hits in 250, with 16 keys",
        here: "0 in 10000",
        verdict: .fails
    )
    package static let recordedFirstMessage = Attack(
        number: 24,
        name: "recognizing a device by a recorded first message",
        source: "found in version 1 of this protocol",
        onModel: "answers 100 of 100 replays",
        here: "answers 0 of 100",
        verdict: .fails
    )
    package static let claimedKeys = Attack(
        number: 25,
        name: "claiming another device's key in a pairing",
        source: "found in version 1 of this protocol",
        onModel: "accepted under the phone's key in 100 of 100 pairings",
        here: "in 0 of 100",
        verdict: .fails
    )
    package static let displacedCandidate = Attack(
        number: 26,
        name: "displacing a candidate of a pairing",
        source: "found in version 1 of this protocol",
        onModel: "100 of 100 displace it",
        here: "0 of 100",
        verdict: .fails
    )
    package static let claimedToken = Attack(
        number: 60,
        name: "keeping a device out of a pairing by naming its token",
        source: "found in a draft of version 2 of this protocol",
        onModel: "4 of 8 keep the phone out",
        here: "0 of 8",
        verdict: .fails
    )
    package static let oldPairing = Attack(
        number: 27,
        name: "asking \"is it you?\" with the keys of an old pairing",
        source: "found in version 1 of this protocol",
        onModel: "answered 16 of 16 times, a year later",
        here: "0 of 16 a day later",
        verdict: .fails
    )
    package static let answerLength = Attack(
        number: 28,
        name: "inferring the kind of an answer from its length",
        source: "found in version 1 of this protocol",
        onModel: "right 100 % of the time",
        here: "25 %, like guessing",
        verdict: .fails
    )
    package static let idleConnection = Attack(
        number: 29,
        name: "silencing a device with one idle connection",
        source: "found in version 1 of this protocol",
        onModel: "0 of 3 idle links are dropped",
        here: "3 of 3, if the attacker was not heard before",
        verdict: .partly
    )
    package static let starvation = Attack(
        number: 30,
        name: "starving trusted callers by dialling all the time",
        source: "found in version 1 of this protocol",
        onModel: "0 of 8 calls of a trusted device are served",
        here: "8 of 8",
        verdict: .fails
    )
}
