/// The attacks of apps in a sandbox, and of devices that take more than their share.
extension Attack {
    private static let review = "found in a draft of version 2 of this protocol"

    package static let otherAppsStreams = Attack(
        number: 55,
        name: "opening the streams of other apps, from a sandbox",
        source: review,
        onModel: "reaches 8 of 8 other apps",
        here: "reaches 0 of 8",
        verdict: .fails
    )
    package static let allStreams = Attack(
        number: 56,
        name: "taking all places for streams",
        source: review,
        onModel: "0 of 8 streams of other devices are opened",
        here: "8 of 8",
        verdict: .fails
    )
    package static let allSessionsOverGATT = Attack(
        number: 57,
        name: "taking all places for channels over GATT with one link",
        source: review,
        onModel: "0 of 8 callers open a channel",
        here: "8 of 8",
        verdict: .fails
    )
    package static let filesOutsideSandbox = Attack(
        number: 58,
        name: "learning which files exist, from a sandbox",
        source: review,
        onModel: "2 answers for 3 paths; all folders are named",
        here: "1 answer for 3 paths; 0 folders are named",
        verdict: .fails
    )
    package static let dialsForApps = Attack(
        number: 59,
        name: "keeping the radio from the user, from a sandbox",
        source: review,
        onModel: "0 of 1 updates of other devices is dialled",
        here: "1 of 1",
        verdict: .fails
    )
}
