/// The attacks on streams over the local network.
extension Attack {
    private static let review = "found in a draft of version 2 of this protocol"

    package static let strangersAtPort = Attack(
        number: 52,
        name: "talking to the port of a device in the local network",
        source: "after Stute et al., USENIX Security 2019",
        onModel: "5 of 5 strangers get an answer; 1 port stays open",
        here: "0 of 5 strangers get a byte; 0 ports are open afterwards",
        verdict: .fails
    )
    package static let replayedConnection = Attack(
        number: 53,
        name: "replaying a recorded connection of a stream",
        source: review,
        onModel: "1 of 2 recorded connections is accepted",
        here: "0 of 2 recorded connections are accepted",
        verdict: .fails
    )
    package static let hostileOffer = Attack(
        number: 54,
        name: "having a device connect to hosts of the attacker's choice",
        source: review,
        onModel: "0 of 4 offers end the stream; 7 calls to 7 hosts of the internet",
        here: "4 of 4 offers end the stream; 0 calls to 7 hosts of the internet",
        verdict: .fails
    )
}
