import AsyncSupport
import Epoll
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging
import SystemPackage

/// Transfers one continuation stream between an app and the other device, first over the radio, and over the local
/// network once the stream has moved there.
///
/// Nothing is buffered here except the pieces in transit, at most `StreamWindow.pieces` in each direction of those that
/// came over the radio, and as many that came over the network: an app that does not read blocks the app that writes.
struct StreamRelay: Sendable {
    /// What the other side has sent so far.
    private enum Progress: Int, Sendable {
        case writing, ended, arrived
    }

    private let app: LocalStream
    private let receipt: StreamReceipt
    private let radio: any RadioChannel
    /// Whether this side opened the channel: it is the last to confirm that all has arrived, and the other side then
    /// closes.
    private let isCaller: Bool
    private let network: StreamNetwork
    /// For what the other device causes.
    private let log: PeerLog

    /// Fulfilled when the stream has moved and the channel of the radio is of no more use.
    private let hasLeftRadio: Promise<Void>

    private let progress = CurrentValue(Progress.writing)
    /// Fulfilled when this side sends nothing more over the radio.
    private let hasSentMove = Promise<Void>()
    /// What waits for the app of this side.
    private let input = StreamInput()

    /// Makes the relay of a stream.
    ///
    /// - Parameter hasLeftRadio: is fulfilled when the stream has moved, and does not use the radio any more.
    init(
        _ end: AppStreams.End,
        radio: any RadioChannel,
        isCaller: Bool,
        network: StreamNetwork,
        hasLeftRadio: Promise<Void>,
        log: PeerLog
    ) {
        app = end.socket
        receipt = end.receipt
        self.radio = radio
        self.isCaller = isCaller
        self.network = network
        self.hasLeftRadio = hasLeftRadio
        self.log = log
    }

    /// Makes the relay of a stream that may move to the local network if the user allows it.
    init(
        _ end: AppStreams.End,
        over radio: any RadioChannel,
        isCaller: Bool,
        _ directions: StreamDirections,
        engine: Engine,
        _ hasLeftRadio: Promise<Void>,
        on reactor: Reactor
    ) {
        let network = StreamNetwork(
            isCaller: isCaller,
            isEnabled: engine.sessions.usesLocalNetwork,
            handshakeHash: directions.handshakeHash,
            on: reactor
        )
        self.init(
            end,
            radio: radio,
            isCaller: isCaller,
            network: network,
            hasLeftRadio: hasLeftRadio,
            log: engine.peerLog
        )
    }

    /// Transfers bytes until both apps have finished and each side knows that everything has arrived.
    ///
    /// An app that uses receipts ends its part only when it has said that it has everything. Any other end is an error for
    /// both apps, never an end of file: their sockets are reset, and the channel closes.
    ///
    /// - Throws: `RadioError`, `NetworkError`, `HandoffError`, `Errno`, or `CancellationError`.
    func run(_ directions: StreamDirections) async throws {
        defer { receipt.close() }
        let radio = RadioStreamChannel(radio)
        let output = StreamOutput(radio, directions.sending)
        do {
            try await output.send(.offer(network.offer))
            let tasks: [@Sendable () async throws -> Void] = [
                { await connect() }, { try await move(output) }, { try await leaveRadio() }, { try await watch() },
                { try await stayAlive(output) }, { try await watch(radio) },
            ]
            try await withBackgroundTasks(tasks) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await send(to: output) }
                    group.addTask { try await receive(from: radio, with: directions.receiving, output) }
                    group.addTask { try await deliver(output) }
                    for try await _ in group {}
                }
            }
            app.close()
        } catch {
            app.reset()
            throw error
        }
    }

    // MARK: Sending

    private func send(to output: StreamOutput) async throws {
        while true {
            // What the app writes meanwhile goes together.
            try await output.waitForRoom()
            let bytes = try await app.read(atMost: output.maximumDataBytes)
            guard !bytes.isEmpty else { break }
            try await output.send(data: bytes)
        }
        receipt.appHasFinished()
        try await output.send(.end)
        try await reached(isCaller ? .arrived : .ended)
        try await receipt.whenTaken()
        try await output.send(.arrived)
    }

    private func connect() async {
        guard await network.run() else { return }
        log.log("stream.stayed", at: .debug, "a stream stays on the radio")
    }

    /// Moves the sending direction when there is a route.
    ///
    /// It is a task of its own: the app of the other side may read nothing until this side has read more.
    private func move(_ output: StreamOutput) async throws {
        let route = try await network.sending.value()
        guard try await output.move(to: route, isCaller: isCaller) else { return }
        hasSentMove.fulfil(())
    }

    /// Says from time to time that this side is there.
    private func stayAlive(_ output: StreamOutput) async throws {
        while true {
            try await sleep(for: NetworkStreamChannel.aliveInterval)
            try await output.sendAlive()
        }
    }

    /// Gives the network up when nothing comes any more; also while this side cannot send, because nothing is read.
    private func watch() async throws {
        let route = try await network.receiving.value()
        while true {
            try await sleep(for: NetworkStreamChannel.aliveInterval)
            route.channel.closeIfSilent()
        }
    }

    /// Gives the radio up when nothing comes any more.
    private func watch(_ radio: RadioStreamChannel) async throws {
        while true {
            try await sleep(for: NetworkStreamChannel.aliveInterval)
            try radio.throwIfSilent()
        }
    }

    /// Gives the radio free once both sides have moved.
    ///
    /// The caller closes the channel: when it has the listener's move, nothing is on its way any more. If the listener
    /// closed it, its move might be discarded with the channel.
    private func leaveRadio() async throws {
        if isCaller {
            _ = try await network.receiving.value()
        } else {
            try await hasSentMove.value()
            _ = try? await radio.receive()
        }
        log.log("stream.moved", "a stream goes over the local network")
        hasLeftRadio.fulfil(())
    }

    // MARK: Receiving

    /// Reads the channel to its end, also while the app does not read.
    private func receive(
        from radio: RadioStreamChannel,
        with receiver: StreamReceiver,
        _ output: StreamOutput
    ) async throws {
        var receiver = receiver
        var (isOnNetwork, hasArrived) = (false, false)
        var channel: any StreamChannel = radio
        // The data of one read.
        var data: [[UInt8]] = []
        while true {
            // Pieces may have arrived together with the message that opened the stream.
            while let piece = try receiver.next() {
                switch piece {
                case .data(let bytes) where isOnNetwork: data.append(bytes)
                case .data(let bytes): try input.putRadioData(bytes)
                case .end:
                    try await flush(&data)
                    input.put(.end)
                case .arrived:
                    guard receipt.appEnd != nil else { throw Self.earlyArrival }
                    hasArrived = true
                    input.put(.arrived)
                case .offer(let offer): network.receive(offer)
                case .taken: try output.take()
                case .alive: break
                case .move(let connection):
                    let route = try await network.receiveMove(to: connection)
                    (channel, receiver) = (route.channel, receiver.moved(to: route.proven.receiving))
                    isOnNetwork = true
                }
            }
            try await flush(&data)
            // The caller has everything and knows it; it waits until this side closes, so that its last message is not
            // discarded with the channel.
            if !isCaller, hasArrived { break }
            guard let bytes = try await channel.receive() else { break }
            try receiver.append(bytes)
        }
        guard hasArrived else {
            throw RadioError(.channelClosed, "the other device closed the channel before the stream had ended")
        }
        input.finish()
    }

    /// Puts data that came over the network, if there is any, in front of what comes next.
    private func flush(_ data: inout [[UInt8]]) async throws {
        guard !data.isEmpty else { return }
        try await input.putNetworkData(data)
        data.removeAll(keepingCapacity: true)
    }

    /// Passes on to the app what has arrived, and tells the other side that it may send more.
    private func deliver(_ output: StreamOutput) async throws {
        for await element in input.elements {
            switch element {
            case .radioData(let bytes):
                try await app.write(bytes)
                try input.releaseRadioData()
                try await output.send(.taken)
            case .networkData(let pieces):
                for bytes in pieces { try await app.write(bytes) }
                input.releaseNetworkData()
            case .end:
                // An app that has finished before, without receipts, learns with this end that all of its bytes have
                // arrived; so it waits for the confirmation. Any other app may need the end in order to answer.
                if receipt.appEnd != .withoutReceipts { finishWriting() }
                progress.set(.ended)
            case .arrived:
                finishWriting()
                receipt.confirm()
                progress.set(.arrived)
            }
        }
    }

    /// Passes the end of the other app's bytes on to the app.
    private func finishWriting() {
        // An app that has closed its end does not read any more; the error is ignored.
        try? app.finishWriting()
    }

    private static let earlyArrival = HandoffError(
        .peerMisbehaved,
        "The peer has confirmed the end of a stream that was not sent.",
        violation: .outOfTurn
    )

    private func reached(_ wanted: Progress) async throws {
        var now = progress.current
        while now.value.rawValue < wanted.rawValue { now = try await progress.changed(since: now) }
    }
}
