import Foundation
import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

/// The protocol against independent implementations in another language.
@Suite("Interoperability with implementations in Python", .endsWithin(minutes: 10))
struct PythonPeerTests {
    private struct Order: Codable {
        let role: String
        let `static`: String
        let ephemeral: String
        let remote_static: String
        let prologue: String
        let received: [String]
        let payload: String
        let transport: [String]
    }

    private struct Outcome: Codable {
        let message: String
        let payload: String?
        let transport_read: [String]
        let transport: [String]
        let hash: String?
    }

    private let local = AgreementKey.generate()
    private let remote = AgreementKey.generate()
    private let remoteEphemeral = AgreementKey.generate()

    @Test("A Python responder understands this initiator, and transport works in both directions")
    func pythonResponds() throws {
        var initiator = NoiseHandshake.initiator(localStatic: local, remoteStatic: remote.publicKey, prologue: [])
        let first = try initiator.writeMessage([1, 2, 3])
        let answer = try ask("responder", received: [first], payload: [4, 5], transport: [[6], []])
        #expect(answer.payload == "010203")
        #expect(try initiator.readMessage(bytes(answer.message)) == [4, 5])
        var transport = try initiator.split()
        #expect(answer.hash == hex(transport.handshakeHash))
        #expect(try answer.transport.map { try transport.decrypt(bytes($0)) } == [[6], []])

        let sent = [first, try transport.encrypt([7]), try transport.encrypt([8])]
        let again = try ask("responder", received: sent, payload: [4, 5], transport: [])
        #expect(again.transport_read == ["07", "08"])
    }

    @Test("This responder understands a Python initiator")
    func pythonInitiates() throws {
        let first = try ask("initiator", received: [], payload: [1, 2, 3], transport: [])
        let trial = try NoiseResponderTrial(localStatic: local, candidates: [("python", remote.publicKey)])
        var match = try trial.match(bytes(first.message), prologue: [])
        #expect(match.payload == [1, 2, 3])
        let second = try match.handshake.writeMessage([4, 5])
        var transport = try match.handshake.split()
        let sent = [second, try transport.encrypt([7])]
        let answer = try ask("initiator", received: sent, payload: [1, 2, 3], transport: [[6]])
        #expect(answer.payload == "0405")
        #expect(answer.transport_read == ["07"])
        #expect(answer.hash == hex(transport.handshakeHash))
        #expect(try transport.decrypt(bytes(answer.transport[0])) == [6])
    }

    @Test("The modules of the Python peer, which was written from the documents, agree with every vector")
    func vectors() throws {
        let directory = VectorDirectory.root.appending(path: "Docs/vectors")
        let arguments = [directory.path(percentEncoded: false)]
        let output = try python("Tests/Peer/check_vectors.py", arguments: arguments, input: Data())
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let counts = try files.map { file in
            let content = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            return try #require(content?["cases"] as? [Any], "\(file)").count
        }
        #expect(String(decoding: output, as: UTF8.self) == "\(counts.reduce(0, +))\n")
    }

    private func ask(
        _ role: String,
        received: [[UInt8]],
        payload: [UInt8],
        transport: [[UInt8]]
    ) throws -> Outcome {
        let order = Order(
            role: role,
            static: hex(remote.rawRepresentation),
            ephemeral: hex(remoteEphemeral.rawRepresentation),
            remote_static: hex(local.publicKey.rawRepresentation),
            prologue: "",
            received: received.map { hex($0) },
            payload: hex(payload),
            transport: transport.map { hex($0) }
        )
        let script = "Tests/Unit/HandoffCryptoTests/Python/noise_peer.py"
        let output = try python(script, arguments: [], input: try JSONEncoder().encode(order))
        return try JSONDecoder().decode(Outcome.self, from: output)
    }

    /// The output of a script of the repository.
    private func python(_ script: String, arguments: [String], input: Data) throws -> Data {
        let interpreter = try #require(
            ProcessInfo.processInfo.environment["HANDOFF_TEST_PYTHON"],
            """
            Set HANDOFF_TEST_PYTHON to a Python 3 that has the packages of \
            Tests/Unit/HandoffCryptoTests/Python/requirements.txt, for instance: python3 -m venv .build/python && \
            .build/python/bin/pip install -r Tests/Unit/HandoffCryptoTests/Python/requirements.txt
            """
        )
        let process = Process()
        process.executableURL = URL(filePath: interpreter, relativeTo: VectorDirectory.root)
        let path = VectorDirectory.root.appending(path: script)
        process.arguments = [path.path(percentEncoded: false)] + arguments
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: input)
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(script) failed; its standard error has the reason")
        return output
    }
}
