import TestLimits
import Testing

/// The stories of Tests/Stories/network.py and network_peer.py.
///
/// Each device is in a network namespace of its own. A user other than root needs user namespaces for them.
@Suite("Streams move to the local network, and lose nothing", .endsWithin(minutes: 15, instances: 4))
struct NetworkStories {
    private static let daemons = PythonStory(file: "network.py", instances: 4)
    private static let peer = PythonStory(file: "network_peer.py", instances: 4)

    @Test("On one link a stream moves: over IPv4, IPv6, link-local IPv6, and after the addresses have changed")
    func sameLink() async throws { try await Self.daemons.tell("same_link") }

    @Test("A stream moves through the firewall of one device, and stays on the radio where both have one")
    func firewalls() async throws { try await Self.daemons.tell("firewalls") }

    @Test("A stream stays on the radio where a device has no network, or no way to the other, or its user says so")
    func oneSide() async throws { try await Self.daemons.tell("one_side") }

    @Test("A stream moves to a network on the other side of a router")
    func routed() async throws { try await Self.daemons.tell("routed") }

    @Test("A network that vanishes in the middle of a stream is an error at both ends")
    func vanishing() async throws { try await Self.daemons.tell("vanishing") }

    @Test("A stream moves to a connection that a peer written from the documents alone has opened")
    func opens() async throws { try await Self.peer.tell("opens") }

    @Test("A stream moves to a connection that such a peer has accepted")
    func accepts() async throws { try await Self.peer.tell("accepts") }
}
