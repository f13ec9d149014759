import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("Method calls", .endsWithin(minutes: 10, instances: 1))
struct CallTests {
    @Test("An error that a handler throws arrives with its name and its message")
    func errors() async throws {
        struct Odd: Error {}
        try await withTwoConnections { _, server, client in
            server.export("Named", at: "/a") { _ in throw DBusError.failure("org.example.Error.No", "because") }
            server.export("Odd", at: "/b") { _ in throw Odd() }
            server.export("Later", at: "/c") { _ in .deferred { throw DBusError.failure(.accessDenied, "no") } }
            server.export("Liar", [], [.string], at: "/d") { _ in .reply([.byte(1)]) }
            let owner = server.uniqueName
            let named = await dbusError { _ = try await client.callTest("Named", of: owner, at: "/a") }
            #expect(named == DBusError(.remote, "because", name: "org.example.Error.No"))
            let odd = await dbusError { _ = try await client.callTest("Odd", of: owner, at: "/b") }
            #expect(odd?.name == .failed, "\(String(describing: odd))")
            let later = await dbusError { _ = try await client.callTest("Later", of: owner, at: "/c") }
            #expect(later?.name == .accessDenied)
            let liar = await dbusError { _ = try await client.callTest("Liar", of: owner, at: "/d") }
            #expect(liar?.message == "the reply of Liar has the signature 'y', which is not the declared one")
        }
    }

    @Test("A call with other types than the declared ones does not reach the handler")
    func inputTypes() async throws {
        try await withTwoConnections { _, server, client in
            server.export("Take", [.string, .uint32]) { _ in
                Issue.record("the handler ran")
                return .reply([])
            }
            let error = await dbusError { _ = try await client.callTest("Take", of: server.uniqueName, [.byte(1)]) }
            #expect(error == DBusError(.remote, "Take takes 'su' and was called with 'y'", name: .invalidArgs))
        }
    }

    @Test("The error of a call names what is missing: the service, object, interface or method")
    func unknown() async throws {
        try await withTwoConnections { _, server, client in
            server.export("There") { _ in .reply([]) }
            let owner = server.uniqueName
            func name(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName) async -> ErrorName? {
                let call = MethodCall(destination: owner, path: path, interface: interface, member: member)
                return await dbusError { _ = try await client.call(call) }?.name
            }
            #expect(await name("/nowhere", testInterface, "There") == .unknownObject)
            #expect(await name(testPath, "a.b", "There") == .unknownInterface)
            #expect(await name(testPath, testInterface, "NotThere") == .unknownMethod)
            #expect(await name("/org", testInterface, "There") == .unknownInterface)
            #expect(await name("/nowhere", .peer, "Ping") == nil)
            let call = MethodCall(destination: "org.example.Nobody", path: "/", interface: "a.b", member: "C")
            let missing = await dbusError { _ = try await client.call(call) }
            #expect(missing?.name == .serviceUnknown)
        }
    }

    @Test("A call that is not answered ends at its deadline, and the late answer is ignored")
    func deadline() async throws {
        try await withTwoConnections { _, server, client in
            let gate = Event()
            server.export("Slow") { _ in
                .deferred {
                    await gate.wait()
                    return []
                }
            }
            let error = await dbusError {
                _ = try await client.callTest("Slow", of: server.uniqueName, timeout: .milliseconds(30))
            }
            #expect(error?.code == .timedOut)
            gate.happen()
            let owner = try await client.owner(of: .bus)
            #expect(owner == .bus)
        }
    }

    @Test("A cancelled call ends at once", arguments: [false, true])
    func cancellation(beforehand: Bool) async throws {
        try await withTwoConnections { _, server, client in
            let arrived = Event()
            server.export("Wait") { _ in
                arrived.happen()
                return .deferred {
                    await untilCancelled()
                    return []
                }
            }
            let code = await withTaskGroup(of: DBusError.Code?.self) { group in
                if beforehand { group.cancelAll() }
                group.addTask {
                    await dbusError { _ = try await client.callTest("Wait", of: server.uniqueName) }?.code
                }
                if !beforehand { await arrived.wait() }
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(code == .cancelled)
        }
    }

    @Test("Calls are handled and answered in the order in which they were sent")
    func order() async throws {
        try await withTwoConnections { _, server, client in
            let seen = Mutex<[UInt32]>([])
            server.export("Number", [.uint32]) { call in
                let number = try call.arguments.decode(at: 0, as: UInt32.self)
                seen.withLock { $0.append(number) }
                return .reply([])
            }
            for number in 0..<500 as Range<UInt32> {
                client.send(testCall("Number", of: server.uniqueName, [.uint32(number)]))
            }
            _ = try await client.callTest("Number", of: server.uniqueName, [.uint32(500)])
            let numbers = seen.withLock { $0 }
            #expect(numbers == Array(0...500))
        }
    }

    @Test("Posted calls are handled and answered in their order, and one that cannot be sent is answered too")
    func posted() async throws {
        try await withTwoConnections { _, server, client in
            let (answers, answer) = AsyncStream<Result<[Value], DBusError>>.makeStream()
            server.export("Echo", [.uint32], [.uint32]) { .reply($0.arguments) }
            for number in 0..<500 as Range<UInt32> {
                client.post(testCall("Echo", of: server.uniqueName, [.uint32(number)])) { answer.yield($0) }
            }
            client.post(testCall("Echo", of: server.uniqueName, [.structure([])])) { result in
                let code = dbusErrorCode(of: result)
                #expect(code == .invalidValue)
            }
            var next: UInt32 = 0
            for await result in answers.prefix(500) {
                let values = try result.get()
                #expect(values == [.uint32(next)])
                next += 1
            }
        }
    }

    @Test("A call that is posted after the end of the connection is answered at once")
    func postedLate() async throws {
        let late = try await withTwoConnections { _, _, client in client }
        let codes = Mutex<[DBusError.Code?]>([])
        late.post(testCall("Echo", of: late.uniqueName)) { result in
            let code = dbusErrorCode(of: result)
            codes.withLock { $0.append(code) }
        }
        #expect(codes.withLock { $0 } == [.disconnected])
    }

    @Test("A signal that a handler emits arrives before the handler's answer")
    func signalBeforeAnswer() async throws {
        try await withTwoConnections { _, server, client in
            server.export("Poke") { _ in
                server.emit(testSignal("Poked"))
                server.objects.propertiesChanged(at: testPath, interface: testInterface, ["A": .byte(1)])
                server.objects.insert([], at: "/new")
                server.objects.remove(at: "/new")
                return .reply([])
            }
            try await client.withSignals(MatchRule(sender: server.uniqueName), limit: 2) { signals in
                _ = try await client.callTest("Poke", of: server.uniqueName)
                #expect(try await signals.first(2).map(\.member) == ["Poked", "PropertiesChanged"])
            }
        }
    }

    @Test("A message of more than a million values is refused, and the next one is served")
    func tooManyValues() async throws {
        try await withTwoConnections { _, server, client in
            server.export("Take", [.array(.boolean)], [.uint32]) { call in
                .reply([.uint32(UInt32(call.arguments.first?.array?.count ?? 0))])
            }
            let many = Value.array(of: .boolean, [Value](repeating: .boolean(true), count: 1 << 20))
            let error = await dbusError { _ = try await client.callTest("Take", of: server.uniqueName, [many]) }
            #expect(error?.name == .limitsExceeded)
            let few = Value.array(of: .boolean, [.boolean(true)])
            let answer = try await client.callTest("Take", of: server.uniqueName, [few])
            #expect(answer == [.uint32(1)])
        }
    }

    @Test("The 65th pending call of one sender is refused, and another sender is still served")
    func laterLimit() async throws {
        try await withTwoConnections { bus, server, client in
            server.exportUnansweredMethod()
            for _ in 0..<64 { client.send(testCall("Wait", of: server.uniqueName)) }
            let error = await dbusError { _ = try await client.callTest("Wait", of: server.uniqueName) }
            #expect(error?.name == .limitsExceeded)
            server.export("Quick", at: "/quick") { _ in .deferred { [] } }
            try await Connection.withConnection(to: bus.address) { other in
                let answer = try await other.callTest("Quick", of: server.uniqueName, at: "/quick")
                #expect(answer == [])
            }
        }
    }

    @Test("A handler that is cancelled by the end of its connection still sends its error to the caller")
    func endWhileWorking() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { client in
                let (names, ready) = AsyncStream<BusName>.makeStream()
                let arrived = Event()
                async let ended: Void = Connection.withConnection(to: bus.address) { server in
                    server.export("Wait") { _ in
                        arrived.happen()
                        return .deferred {
                            await untilCancelled()
                            throw DBusError.failure(.failed, "going away")
                        }
                    }
                    ready.yield(server.uniqueName)
                    await arrived.wait()
                }
                var name: BusName?
                for await found in names {
                    name = found
                    break
                }
                let owner = try #require(name)
                let error = await dbusError { _ = try await client.callTest("Wait", of: owner) }
                #expect(error == DBusError(.remote, "going away", name: .failed))
                try await ended
            }
        }
    }

    @Test("A call that expects no answer gets none")
    func noReply() async throws {
        try await withTwoConnections { _, server, client in
            let expected = Mutex<[Bool]>([])
            server.export("Note") { call in
                expected.withLock { $0.append(call.expectsReply) }
                return .reply([])
            }
            client.send(testCall("Note", of: server.uniqueName))
            _ = try await client.callTest("Note", of: server.uniqueName)
            let flags = expected.withLock { $0 }
            #expect(flags == [false, true])
        }
    }
}

/// The code of the error with which a call was answered.
private func dbusErrorCode(of result: Result<[Value], DBusError>) -> DBusError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
}
