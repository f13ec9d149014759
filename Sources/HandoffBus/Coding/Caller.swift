package import DBus

/// The client that has called a method.
package struct Caller: Hashable, Sendable {
    /// Its unique name.
    package let name: BusName
    /// Whether it waits for a reply; one that does not may leave the bus before the call has ended.
    package let expectsReply: Bool

    package init(name: BusName, expectsReply: Bool = true) {
        self.name = name
        self.expectsReply = expectsReply
    }

    init(_ invocation: Invocation) {
        self.init(name: invocation.sender, expectsReply: invocation.expectsReply)
    }
}
