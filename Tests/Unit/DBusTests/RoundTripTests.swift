import DBus
import Glibc
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Values arrive as they were sent", .endsWithin(minutes: 10, instances: 1))
struct RoundTripTests {
    /// Sends `values` to a method that answers with its arguments.
    private func echo(_ values: [Value], _ server: Connection, _ client: Connection) async throws -> [Value] {
        let types = values.map(\.type)
        server.export("Echo", types, types) { .reply($0.arguments) }
        return try await client.callTest("Echo", of: server.uniqueName, values)
    }

    private static func nested(_ depth: Int) -> Value {
        (0..<depth).reduce(.uint32(7)) { value, _ in .variant(value) }
    }

    private static let samples: [Value] = [
        .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.1), .double(.infinity), .string(""), .string("a\u{FFFF}😀é"),
        .objectPath("/"), .objectPath("/a/b"), .bytes([]), .bytes([UInt8](repeating: 0xA5, count: 65_536)),
        .array(of: .string, []),
        .array(of: .array(.structure([.int16])), [.array(of: .structure([.int16]), [])]),
        .array(of: .uint64, [.uint64(1), .uint64(2)]), .dictionary(key: .string, value: .variant, []),
        .dictionary(
            key: .uint16,
            value: .array(.byte),
            [DictionaryEntry(key: .uint16(9), value: .bytes([1])), DictionaryEntry(key: .uint16(1), value: .bytes([]))]
        ),
        .structure([.byte(1), .structure([.uint64(2), .string("x")]), .array(of: .boolean, [.boolean(true)])]),
        .variant(.variant(.variant(.string("deep")))), nested(64),
        ["a": ["b": Value.bytes([1, 2])], "c": [:]].value,
    ]

    @Test("Values of every type arrive unchanged, also nested and empty ones")
    func everyType() async throws {
        try await withTwoConnections { _, server, client in
            let basic = Self.samples.filter { $0.type.isBasic }
            for values in Self.samples.map({ [$0] }) + [basic, []] {
                let answer = try await echo(values, server, client)
                #expect(answer == values)
            }
        }
    }

    @Test("300 lists of random values arrive unchanged")
    func randomValues() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withTwoConnections { _, server, client in
            var random = RandomValues(generator: SeededGenerator(seed: seed))
            for round in 0..<300 {
                let values = (0..<(round % 4)).map { _ in random.value(of: random.type()) }
                guard (try? Signature(values.map(\.type))) != nil else { continue }
                let answer = try await echo(values, server, client)
                #expect(answer == values, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("A megabyte of bytes and ten thousand strings arrive unchanged")
    func large() async throws {
        try await withTwoConnections { _, server, client in
            let bytes = Value.bytes((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
            let strings = (0..<10_000).map { "string \($0)" }.value
            let answer = try await echo([bytes, strings], server, client)
            #expect(answer == [bytes, strings])
        }
    }

    @Test("A file descriptor that was sent and returned still writes into its pipe")
    func fileDescriptor() async throws {
        try await withTwoConnections { _, server, client in
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let reading = UnixFD(taking: ends[0])
            let answer = try await echo([.unixFD(UnixFD(taking: ends[1])), .string("x")], server, client)
            let writing = try #require(answer.first?.unixFD)
            let written = writing.withFileDescriptor { write($0, "hello", 5) }
            #expect(written == 5)
            var buffer = [UInt8](repeating: 0, count: 16)
            let count = reading.withFileDescriptor { read($0, &buffer, 16) }
            #expect(buffer.prefix(count) == [UInt8]("hello".utf8)[...])
            #expect(try await echo([.array(of: .unixFD, [.unixFD(reading)])], server, client).first?.array?.count == 1)
        }
    }
}

@Suite(
    "Values that D-Bus cannot transfer are refused before they reach libdbus",
    .endsWithin(minutes: 10, instances: 1)
)
struct RefusalTests {
    private static func deep(_ depth: Int, _ wrap: (Value) -> Value) -> Value {
        (0..<depth).reduce(.byte(0)) { value, _ in wrap(value) }
    }

    private static let refused: [(String, Value)] = [
        ("a NUL in a string", .string("a\0b")),
        ("a NUL deep inside", .variant(.structure([.array(of: .string, [.string("\0")])]))),
        ("mixed types in an array", .array(of: .string, [.byte(1)])),
        ("a wrong key", .dictionary(key: .string, value: .byte, [DictionaryEntry(key: .byte(1), value: .byte(1))])),
        ("a wrong value", .dictionary(key: .byte, value: .byte, [DictionaryEntry(key: .byte(1), value: .string(""))])),
        ("a key that is not basic", .dictionary(key: .variant, value: .byte, [])),
        ("an empty structure", .structure([])),
        ("an array of empty structures", .array(of: .structure([]), [])),
        ("65 variants in each other", deep(65) { .variant($0) }),
        ("33 arrays in each other", deep(33) { .array(of: $0.type, [$0]) }),
        ("33 structures in each other", deep(33) { .structure([$0]) }),
        ("256 fields", .structure([Value](repeating: .byte(1), count: 256))),
        ("a variant with such", .variant(.structure([Value](repeating: .byte(1), count: 256)))),
        ("65 MiB of bytes", .bytes([UInt8](repeating: 0, count: 65 << 20))),
        ("17 file descriptors", .array(of: .unixFD, [Value](repeating: .unixFD(UnixFD(taking: dup0())), count: 17))),
    ]

    private static func dup0() -> Int32 { open("/dev/null", O_RDONLY) }

    @Test("Invalid values are refused in calls, signals and answers, and the connection remains open")
    func refusals() async throws {
        try await withTwoConnections { _, server, client in
            for (what, value) in Self.refused {
                let error = await dbusError { _ = try await client.callTest("Any", of: server.uniqueName, [value]) }
                #expect(error?.code == .invalidValue || error?.code == .limit, "\(what)")
                client.emit(testSignal("Changed", [value]))
            }
            #expect(client.sendFailures.count == Self.refused.count)
            server.export("Bad", [], [.string]) { _ in .reply([.string("\0")]) }
            let error = await dbusError { _ = try await client.callTest("Bad", of: server.uniqueName) }
            #expect(error?.name == .failed)
            #expect(error?.message.contains("NUL") == true)
            server.export("Good") { _ in .reply([]) }
            let answer = try await client.callTest("Good", of: server.uniqueName)
            #expect(answer == [])
        }
    }

    @Test("The interface and the path that are reserved for libdbus are refused")
    func local() async throws {
        try await withTwoConnections { _, server, client in
            let call = MethodCall(
                destination: server.uniqueName,
                path: "/",
                interface: "org.freedesktop.DBus.Local",
                member: "Disconnected"
            )
            let error = await dbusError { _ = try await client.call(call) }
            #expect(error?.code == .invalidName)
            client.emit(Signal(path: "/org/freedesktop/DBus/Local", interface: "a.b", member: "C"))
            #expect(client.sendFailures.count == 1)
            let owner = try await client.owner(of: .bus)
            #expect(owner == .bus)
        }
    }

    @Test("NUL characters are removed from the message of an error")
    func errorText() async throws {
        try await withTwoConnections { _, server, client in
            server.export("Fail") { _ in throw DBusError.failure("org.example.Error.X", "a\0b") }
            let error = await dbusError { _ = try await client.callTest("Fail", of: server.uniqueName) }
            #expect(error == DBusError(.remote, "ab", name: "org.example.Error.X"))
        }
    }
}
