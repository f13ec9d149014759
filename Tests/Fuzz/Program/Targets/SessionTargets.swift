import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// A session that a trusted device opens: the harness has its key, and the input has the plaintexts.
///
/// After a byte that selects the size of the pieces come the plaintexts: first the one of the first handshake message,
/// then those of transport messages.
struct CallerTarget: FuzzTarget {
    private let keys: FuzzKeys
    private let trial: SessionTrial
    private let activity: Activity
    private let circle: CircleMessage

    private(set) var reached = [Milestone: Int](
        of: Milestone.stream + [.pendingMove, .streamRequest, .acknowledgement, .report, .circle]
    )

    init() throws {
        keys = try FuzzKeys()
        trial = try SessionTrial(keys.own, devices: [keys.peer.publicKeys])
        activity = try Activity(type: ActivityType("com.example.app.editing"))
        circle = CircleMessage(
            statements: nil,
            digest: Circle(of: keys.own.publicKeys).digest,
            advertisingKey: try FuzzKeys.advertisingKey(7).rawRepresentation,
            directedKey: try FuzzKeys.advertisingKey(8).daily.key.rawRepresentation,
            knownKey: nil
        )
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let size = 1 + 16 * Int(input.byte())
        var server = ServerSession(trial: trial, greeting: keys.greeting)
        var caller = keys.callingPeer
        guard let first = try? caller.writeMessage(input.plaintexts()[0]), first.count <= 65_535,
            let request = try? server.receiveRequest(FrameCodec.encode(first))
        else { return }
        precondition(request.device == keys.peer.publicKeys.device, "the caller is the device whose key it has")
        let answer = answer(to: request.request)
        guard let sent = try? server.answer(answer, circleDigest: circle.digest) else {
            preconditionFailure("every answer can be sent")
        }
        guard var transport = Self.transport(&caller, reading: sent) else {
            preconditionFailure("the caller can read the answer")
        }
        guard acknowledge(&server, &transport, &input, size, answer) else { return }
        reached.add([.acknowledgement])
        switch (answer, request.request) {
        case (.stream, _): stream(server, transport, &input)
        case (.activity, _): report(&server, &transport, &input, size)
        case (.circle, _):
            conclude(&server, &transport, Acknowledgement(circle: circle))
            reached.add([.circle])
        default: continueAfterEnd(&server, &transport, &input)
        }
    }

    private mutating func stream(_ server: ServerSession, _ transport: NoiseTransport, _ input: inout FuzzInput) {
        let directions = server.stream()
        let harness = StreamHarness(
            isCaller: false,
            transport.directions().sending,
            directions.receiving,
            handshakeHash: directions.handshakeHash,
            &input
        )
        reached.add(harness.run(&input).union([.streamRequest]))
    }

    /// Sends plaintexts until one completes the acknowledgement; returns false when one is refused or none does.
    private func acknowledge(
        _ server: inout ServerSession,
        _ transport: inout NoiseTransport,
        _ input: inout FuzzInput,
        _ size: Int,
        _ answer: Answer
    ) -> Bool {
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                for piece in transport.frame(plaintext).pieces(of: size) {
                    do {
                        guard let acknowledgement = try server.receiveAcknowledgement(piece) else { continue }
                        let again = try? Acknowledgement(decoding: acknowledgement.encode())
                        precondition(again == acknowledgement, "what was accepted can be encoded")
                        precondition(plaintext.first == 0, "a last fragment completes an acknowledgement")
                        return true
                    } catch {
                        return false
                    }
                }
            }
        }
        return false
    }

    /// Sends plaintexts until one completes the report of a take.
    private mutating func report(
        _ server: inout ServerSession,
        _ transport: inout NoiseTransport,
        _ input: inout FuzzInput,
        _ size: Int
    ) {
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                for piece in transport.frame(plaintext).pieces(of: size) {
                    do {
                        guard let report = try server.receiveReport(piece) else { continue }
                        let again = try? TakeReport(decoding: report.encode())
                        precondition(again == report, "a report survives encoding")
                        conclude(&server, &transport, Acknowledgement())
                        reached.add([.report])
                        return continueAfterEnd(&server, &transport, &input)
                    } catch {
                        return
                    }
                }
            }
        }
    }

    private func conclude(
        _ server: inout ServerSession,
        _ transport: inout NoiseTransport,
        _ acknowledgement: Acknowledgement
    ) {
        guard let bytes = try? server.conclude(acknowledgement), let message = transport.message(in: bytes) else {
            preconditionFailure("what was accepted can be acknowledged")
        }
        precondition((try? Acknowledgement(decoding: message)) == acknowledgement, "the caller can read it")
    }

    /// Sends a frame after the last message of the session.
    private func continueAfterEnd(
        _ server: inout ServerSession,
        _ transport: inout NoiseTransport,
        _ input: inout FuzzInput
    ) {
        let bytes = transport.frame(input.plaintexts()[0])
        guard !bytes.isEmpty else { return }
        precondition((try? server.receiveAcknowledgement(bytes)) == nil, "nothing follows the end of a session")
    }

    private func answer(to request: Request?) -> Answer {
        switch request {
        case .fetch(let fetch) where fetch.purpose.take != nil: .activity(activity)
        case .fetch, nil: .refusal(Refusal(.noLongerCurrent, "Gone."))
        case .circle: .circle(circle)
        case .stream: .stream
        case .settle: .settled(advertisingKey: circle.advertisingKey)
        case .report: .noted
        }
    }

    private static func transport(_ caller: inout NoiseHandshake, reading answer: [UInt8]) -> NoiseTransport? {
        guard (try? caller.readMessage(Array(answer.dropFirst(2)))) != nil else { return nil }
        return try? caller.split()
    }
}

/// A session that this device opens with a trusted one: the harness has that one's key, and the input has the
/// plaintexts.
///
/// The first byte selects the request, the second the size of the pieces. Then come the plaintexts: first the one of
/// the second handshake message, then those of transport messages.
struct ListenerTarget: FuzzTarget {
    private let keys: FuzzKeys
    private let report: TakeReport
    private let requests: [Request]

    private(set) var reached = [Milestone: Int](of: Milestone.stream + [.streamRequest, .acknowledgement, .take])

    init() throws {
        keys = try FuzzKeys()
        report = TakeReport(try TakeID(bytes: [UInt8](repeating: 2, count: 8)), .continued(.app))
        let number = AdvertisementNumber(slot: 1, lowNineBits: 9)
        requests = [
            .fetch(FetchRequest(number: number)), .stream(StreamRequest(activity: 1)),
            .settle(SettleRequest(pairing: [UInt8](repeating: 1, count: 8), isConfirmed: true)),
            .fetch(FetchRequest(number: number, purpose: .take(report.take))), .report(report),
        ]
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let request = requests[Int(input.byte()) % requests.count]
        let size = 1 + 64 * Int(input.byte())
        var client = ClientSession(keys: keys.own, peer: keys.peer.publicKeys, request: request)
        guard let opening = try? client.open(FrameCodec.encode(keys.greeting.bytes)),
            var harness = ListenerHarness(keys, answering: opening)
        else { preconditionFailure("the harness has the right keys") }
        guard let answer = answer(&client, &harness, &input, size), var transport = harness.transport else { return }
        guard let acknowledgement = try? client.acknowledge(), let message = transport.message(in: acknowledgement)
        else { preconditionFailure("the listener can read the acknowledgement") }
        precondition(
            (try? Acknowledgement(decoding: message)) == Acknowledgement(),
            "it acknowledges, and says no more"
        )
        reached.add([.acknowledgement])
        switch (request, answer) {
        case (.stream, .stream):
            guard appAnswer(&client, &transport, &input, size) == .stream else { return }
            stream(client, transport, &input)
        case (.fetch(let fetch), .activity) where fetch.purpose.take != nil:
            conclude(&client, &transport, &input, size)
        default: break
        }
    }

    private mutating func stream(_ client: ClientSession, _ transport: NoiseTransport, _ input: inout FuzzInput) {
        let directions = client.stream()
        let harness = StreamHarness(
            isCaller: true,
            transport.directions().sending,
            directions.receiving,
            handshakeHash: directions.handshakeHash,
            &input
        )
        reached.add(harness.run(&input).union([.streamRequest]))
    }

    /// Sends plaintexts until one completes the app's answer to a stream; returns nil when one is refused or none does.
    private func appAnswer(
        _ client: inout ClientSession,
        _ transport: inout NoiseTransport,
        _ input: inout FuzzInput,
        _ size: Int
    ) -> Answer? {
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                for piece in transport.frame(plaintext).pieces(of: size) {
                    do {
                        guard let answer = try client.receiveOpening(piece) else { continue }
                        return answer
                    } catch {
                        return nil
                    }
                }
            }
        }
        return nil
    }

    /// Sends plaintexts until one completes the answer; returns nil when one is refused or none does.
    private func answer(
        _ client: inout ClientSession,
        _ harness: inout ListenerHarness,
        _ input: inout FuzzInput,
        _ size: Int
    ) -> Answer? {
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                for piece in (harness.frame(plaintext) ?? []).pieces(of: size) {
                    do {
                        guard let received = try client.receive(piece) else { continue }
                        let encoded = received.answer.encode()
                        let again = try? Answer(decoding: encoded)
                        precondition(again?.encode() == encoded, "an answer survives encoding")
                        return received.answer
                    } catch {
                        return nil
                    }
                }
            }
        }
        return nil
    }

    /// Reports the take, and sends plaintexts until one completes the listener's acknowledgement.
    private mutating func conclude(
        _ client: inout ClientSession,
        _ transport: inout NoiseTransport,
        _ input: inout FuzzInput,
        _ size: Int
    ) {
        guard let bytes = try? client.report(report), let message = transport.message(in: bytes) else {
            preconditionFailure("the listener can read the report")
        }
        precondition((try? TakeReport(decoding: message)) == report, "the report is the one of the take")
        while !input.isEmpty {
            for plaintext in input.plaintexts() {
                for piece in transport.frame(plaintext).pieces(of: size) {
                    do {
                        guard try client.receiveAcknowledgement(piece) != nil else { continue }
                        return reached.add([.take])
                    } catch {
                        return
                    }
                }
            }
        }
    }
}
