import AsyncSupport
import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffTestSupport
import Testing
import TestLimits

@Suite("A caller cancels what takes long", .endsWithin(minutes: 15, instances: 4))
struct CancelStories {
    @Test("A cancelled continuation fails with UserCancelled for its caller and the app; nobody else can cancel it")
    func continuation() async throws {
        let app = RecordingApp()
        try await World.runApps({ try $0.writeApp("org.example.Editor", "DBusActivatable=true") }) {
            _,
            laptop,
            desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--title", "T"]) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "app" }
                    let entry = try await desktop.watchingOnce()
                    try await app.whileOnBus(on: desktop.bus) {
                        laptop.signal(SIGSTOP)
                        try await desktop.connected { user in
                            async let result = Result { try await user.continueActivity(entry) }
                            #expect(await app.next().hasPrefix("WillContinue"))
                            try await desktop.connected { try await $0.cancel(entry) }
                            try await user.cancel(entry)
                            let ended = await result
                            #expect(ended.errorName == "UserCancelled")
                            #expect(ended.errorMessage.contains("cancelled"))
                            #expect(await app.next() == "DidFail org.handoffd.Error.UserCancelled")
                            laptop.signal(SIGCONT)
                            // What follows is not cancelled.
                            #expect(try await user.continueActivity(entry).outcome == "app")
                            #expect(await app.next().hasPrefix("WillContinue"))
                            #expect(await app.next() == "Continue T")
                        }
                    }
                }
            }
        }
    }

    @Test("A call is cancelled by a message that is sent right after it")
    func atOnce() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                let entry = try await desktop.watchingOnce()
                laptop.signal(SIGSTOP)
                try await desktop.connected { user in
                    for member in ["Fetch", "Continue"] as [MemberName] {
                        let (replies, newReplies) = AsyncStream<Result<[Value], DBusError>>.makeStream()
                        let call = { (member: MemberName) in
                            MethodCall(
                                destination: HandoffName.control,
                                path: entry,
                                interface: HandoffName.nearbyActivityInterface,
                                member: member,
                                arguments: [[String: Value]().value]
                            )
                        }
                        user.connection.post(call(member)) { newReplies.yield($0) }
                        user.connection.send(call("Cancel"))
                        var names: [String] = []
                        for await reply in replies {
                            if case .failure(let error) = reply { names.append(error.name?.description ?? "") }
                            break
                        }
                        #expect(names == ["org.handoffd.Error.UserCancelled"])
                    }
                }
                laptop.signal(SIGCONT)
            }
        }
    }

    @Test(
        "When a fetch is cancelled while the app on the other device saves, its session ends, and the app hears of it"
    )
    func fetch() async throws {
        let (gate, opening) = AsyncStream<Never>.makeStream()
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { program in
                let editor = Editor { _ in for await _ in gate {} }
                _ = try await editor.open("org.example.edit", over: program)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { user in
                    async let result = Result { try await user.fetch(entry, for: .take) }
                    #expect(await editor.next(1) == ["WillSave"])
                    try await user.cancel(entry)
                    #expect(await result.errorName == "UserCancelled")
                    // The app has not answered, so only the cancellation can have ended the session.
                    try await laptop.log.event("session.failed")
                    opening.finish()
                    _ = try await user.fetch(entry, for: .take)
                    let id = try await desktop.id
                    #expect(await editor.next(1) == ["WasContinued \(id) desktop"])
                }
            }
        }
    }

    @Test("A stream that is being opened is cancelled by its continuation, and so is one whose task is cancelled")
    func stream() async throws {
        try await StreamFixture.run { fixture in
            fixture.origin.signal(SIGSTOP)
            let (client, continuation) = (fixture.receiver, fixture.continuation)
            let calls = "type='method_call',interface='\(HandoffName.managerInterface)',member='OpenStream'"
            try await BusMessages.follow([calls], on: fixture.receiverBus) { messages in
                async let ended = Result { try await client.openStream(continuation) }.errorName
                // The daemon gets what is sent from now on after that call.
                try await messages.first("the call that opens a stream") { _ in true }
                _ = try await client.connection.call(fixture.cancellation)
                #expect(await ended == "UserCancelled")
            }
            await withTaskGroup(of: String.self) { group in
                group.addTask { await Result { try await client.openStream(continuation) }.errorName }
                group.cancelAll()
            }
            fixture.origin.signal(SIGCONT)
            let (here, there) = try await fixture.open()
            try await here.write([1])
            #expect(try await there.read(atMost: 1) == [1])
        }
    }

    @Test(
        "Control-C cancels `handoffctl continue`; when it is too late, handoffctl says what goes on with the activity"
    )
    func interrupted() async throws {
        let app = AppProcess { $0 == "Continue" ? .whenReleased : .yes }
        try await World.runApps({ try app.install(in: $0) }) { _, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await desktop.watchingOnce()
                    laptop.signal(SIGSTOP)
                    try await desktop.withControl(["continue"]) { process, _ in
                        try await app.call("WillContinue")
                        kill(process.processID, SIGINT)
                        try await app.call("DidFail org.handoffd.Error.UserCancelled")
                        #expect(await process.exitStatus() == 130)
                        #expect(await process.stderr.text().contains("Interrupted"))
                    }
                    laptop.signal(SIGCONT)
                    try await desktop.withControl(["continue"]) { process, output in
                        try await app.call("Continue")
                        kill(process.processID, SIGINT)
                        app.release()
                        try await output.line(containing: "org.example.Editor")
                        #expect(await process.exitStatus() == 0)
                    }
                }
            }
        }
    }
}

extension StreamFixture {
    /// The call that cancels the stream which is being opened.
    fileprivate var cancellation: MethodCall {
        MethodCall(
            destination: HandoffName.control,
            path: HandoffName.root,
            interface: HandoffName.managerInterface,
            member: "CancelStream",
            arguments: [.string(continuation), [String: Value]().value]
        )
    }
}
