import AsyncSupport
import Bluetooth
import HandoffRadio

extension RadioRequirement {
    static var channelRequirements: [RadioRequirement] {
        [
            RadioRequirement("A channel carries messages in both directions") { world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        for message: [UInt8] in [[1], [2, 3], Array(repeating: 4, count: 23)] {
                            try await channel.send(message)
                            try expect(try await channel.receive(exactly: message.count) == message, "the echo differs")
                        }
                    }
                }
            },
            RadioRequirement("A message can have maximumMessageLength bytes, which is at least 23, and not more") {
                world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        let length = channel.maximumMessageLength
                        try expect(length >= 23, "the longest message has \(length) bytes")
                        let message = [UInt8].pattern(length)
                        try await expect(.messageTooLong) { try await channel.send(message + [0]) }
                        try await expect(.messageTooLong) { try await channel.send([]) }
                        try await channel.send(message)
                        try expect(try await channel.receive(exactly: length) == message, "the echo differs")
                    }
                }
            },
            RadioRequirement("64 KiB sent in both directions at once arrive complete and in order") { world in
                let served = Signal<[UInt8]?>()
                let size = 65_536
                try await world.withConnectableRadios { channel in
                    served.send(try? await channel.exchange(.pattern(size), acknowledging: true))
                    // The initiator closes the channel once it has the acknowledgement.
                    _ = try? await channel.receive()
                } _: { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        var taken = try await channel.exchange(.pattern(size), acknowledging: false)
                        try expect(taken.popLast() == acknowledgement, "no acknowledgement")
                        try expectPattern(taken, by: "initiator")
                    }
                    try expectPattern(try await served.value() ?? [], by: "listener")
                }
            },
            RadioRequirement("Several channels can be opened to the same port one after the other") { world in
                try await world.withConnectableRadios(limit: 1, serving: echo) { radio, address, port in
                    for number in 0..<3 as Range<UInt8> {
                        try await radio.exchange(number, address, port)
                    }
                }
            },
        ] + closingRequirements
    }

    private static var closingRequirements: [RadioRequirement] {
        [
            RadioRequirement(
                "When the initiator closes, the listener receives everything that was acknowledged, and then the end"
            ) {
                world in
                let served = Signal<[[UInt8]?]>()
                try await world.withConnectableRadios { channel in
                    let message = try? await channel.receive()
                    try? await channel.send([2])
                    let end = try? await channel.receive()
                    served.send([message ?? nil, end ?? nil])
                } _: { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        try await channel.send([1])
                        try expect(try await channel.receive(exactly: 1) == [2], "the answer differs")
                    }
                    let seen = try await served.value()
                    try expect(seen == [[1], nil], "the listener received \(seen)")
                }
            },
            RadioRequirement("When the listener closes, the initiator receives the end and can send no more") { world in
                try await world.withConnectableRadios { channel in
                    _ = try? await channel.receive()
                    try? await channel.send([2])
                    _ = try? await channel.receive()
                } _: { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        try await channel.send([1])
                        try expect(try await channel.receive(exactly: 1) == [2], "the answer differs")
                        try await channel.send([3])
                        let end = try await channel.receive()
                        try expect(end == nil, "the initiator received \(String(describing: end))")
                        try await expect(.channelClosed) {
                            while true { try await channel.send([4]) }
                        }
                    }
                }
            },
            RadioRequirement("Cancelling a receive closes the channel on both sides") { world in
                let served = Signal<[UInt8]?>()
                try await world.withConnectableRadios { channel in
                    try? await channel.send([1])
                    served.send((try? await channel.receive()) ?? nil)
                } _: { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        try expect(try await channel.receive(exactly: 1) == [1], "the message differs")
                        try await cancelling { isUnderWay in
                            isUnderWay.send()
                            _ = try await channel.receive()
                        }
                        try await expect(.channelClosed) { try await channel.send([2]) }
                        try expect(try await served.value() == nil, "the listener received a message")
                    }
                }
            },
            RadioRequirement("A channel that is used after its scope is closed") { world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    let channel = try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { $0 }
                    try await expect(.channelClosed) { try await channel.send([1]) }
                    try await expect(.channelClosed) { _ = try await channel.receive() }
                }
            },
        ]
    }

    static var dialRequirements: [RadioRequirement] {
        [
            RadioRequirement("Several channels can be open at the same time") { world in
                try await world.withConnectableRadios(limit: 3, serving: echo) { radio, address, port in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        let gate = Gate(parties: 3)
                        for number in 0..<3 as Range<UInt8> {
                            group.addTask {
                                try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                                    try await channel.send([number])
                                    try expect(try await channel.receive(exactly: 1) == [number], "the echo differs")
                                    try await gate.pass()
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            },
            RadioRequirement("A channel above the limit is closed at once without being served, and the others stay") {
                world in
                try await world.withConnectableRadios(limit: 1, serving: echo) { radio, address, port in
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        try await channel.send([1])
                        try expect(try await channel.receive(exactly: 1) == [1], "the echo differs")
                        try await expect(.channelClosed, .refused) {
                            try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { second in
                                guard try await second.receive() == nil else { return }
                                throw RadioError(.channelClosed, "closed at once")
                            }
                        }
                        try await channel.send([2])
                        try expect(try await channel.receive(exactly: 1) == [2], "the echo differs")
                    }
                }
            },
            RadioRequirement("A connection to a port without a listener is refused") { world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    let closed = LEPSM(lowFiveBits: port.lowFiveBits == 0 ? 1 : 0)
                    try await expect(.refused) {
                        try await radio.withChannel(to: address, port: closed, timeout: .dialTimeout) { _ in }
                    }
                }
            },
            RadioRequirement("A dial to an address that is gone does not delay one to a device that is there") {
                world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    let gone = RadioAddress("C0:FF:EE:C0:FF:EE/random")
                    try await withBackgroundTasks([
                        {
                            try await expect(.timedOut) {
                                try await radio.withChannel(to: gone, port: port, timeout: .seconds(60)) { _ in }
                            }
                        }
                    ]) {
                        try await radio.exchange(1, address, port)
                    }
                }
            },
            RadioRequirement("A connection to a device out of range times out, and not before its timeout") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    let address = try await second.withAdvertisement(advertisement) {
                        try await first.address(of: advertisement)
                    }
                    let port = LEPSM(lowFiveBits: 0)
                    let start = ContinuousClock.now
                    try await expect(.timedOut) {
                        try await first.withChannel(to: address, port: port, timeout: .seconds(1)) { _ in }
                    }
                    let time = ContinuousClock.now - start
                    try expect(time >= .milliseconds(900), "the connection attempt ended after \(time)")
                }
            },
        ]
    }
}

extension Duration {
    /// The timeout of a connection that is expected to succeed.
    static let dialTimeout = Duration.seconds(40)
}

/// The byte that a listener sends when it has received everything.
let acknowledgement: UInt8 = 0x06

/// Sends back every message until the other side closes.
@Sendable func echo(_ channel: some RadioChannel) async {
    while let message = try? await channel.receive() {
        guard (try? await channel.send(message)) != nil else { return }
    }
}

extension RadioChannel {
    /// The next `count` bytes, however they are divided into messages.
    func receive(exactly count: Int) async throws -> [UInt8] {
        var taken: [UInt8] = []
        while taken.count < count {
            guard let message = try await receive() else {
                throw RequirementFailure("the channel ended after \(taken.count) of \(count) bytes")
            }
            taken += message
        }
        return taken
    }

    /// Sends `bytes`, and receives as many meanwhile; then sends the acknowledgement or receives it.
    ///
    /// - Returns: all bytes received.
    func exchange(_ bytes: [UInt8], acknowledging: Bool) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var rest = bytes[...]
                while !rest.isEmpty {
                    try await send(Array(rest.prefix(maximumMessageLength)))
                    rest = rest.dropFirst(maximumMessageLength)
                }
            }
            // The acknowledgement may arrive together with the last message.
            let taken = try await receive(exactly: bytes.count + (acknowledging ? 0 : 1))
            try await group.waitForAll()
            if acknowledging { try await send([acknowledgement]) }
            return taken
        }
    }
}

extension Radio {
    /// Exchanges a byte over a new channel.
    ///
    /// A channel is closed unserved while the listener has not yet noticed the end of the last one; then another is
    /// opened.
    func exchange(_ byte: UInt8, _ address: RadioAddress, _ port: LEPSM) async throws {
        var answer: [UInt8]?
        while answer == nil {
            do {
                answer = try await withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                    guard (try? await channel.send([byte])) != nil else { return nil }
                    return try? await channel.receive(exactly: 1)
                }
            } catch let error as RadioError where error.code == .channelClosed {
                // It was closed as soon as it was open.
                continue
            }
        }
        try expect(answer == [byte], "the echo differs")
    }
}

/// Throws unless `taken` is a whole pattern, and says where it begins to differ and which bytes are there instead.
private func expectPattern(_ taken: [UInt8], by receiver: String) throws {
    let sent = [UInt8].pattern(65_536)
    guard let place = taken.indices.first(where: { $0 >= sent.count || taken[$0] != sent[$0] }) else {
        return try expect(taken.count == sent.count, "the \(receiver) received \(taken.count) of \(sent.count) bytes")
    }
    let sample = taken[place...].prefix(16)
    let origin = sent.indices.first { sent[$0...].starts(with: sample) }
    throw RequirementFailure(
        "the \(receiver) received other bytes from byte \(place) on: those of \(origin.map(String.init) ?? "no") place"
    )
}

extension [UInt8] {
    /// Bytes in which a missing, repeated or misplaced piece can be detected.
    static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
    }
}

/// A barrier that holds `parties` tasks until all of them have reached it.
actor Gate {
    private var missing: Int
    private var waiting: [Signal<Void>] = []

    init(parties: Int) {
        missing = parties
    }

    func pass() async throws {
        missing -= 1
        guard missing > 0 else { return waiting.forEach { $0.send() } }
        let signal = Signal<Void>()
        waiting.append(signal)
        try await signal.value()
    }
}
