import AsyncSupport
import DBus
import HandoffBus
import HandoffModel
import Synchronization

/// Does what the person has chosen in the menu, in a search or by keys; tells what fails.
struct CommandService: Sendable {
    /// The most commands that wait: more than a person clicks while one is begun.
    private static let maximumCommands = 64
    private static let hour: UInt64 = 3_600_000_000

    private let client: HandoffClient
    private let server: NotificationServer
    private let state: CurrentValue<DesktopState>
    private let pairing: PairingService
    private let window: WindowOpener
    private let bindShortcut: @Sendable () -> Void
    private let commands: AsyncStream<Chosen>
    private let newCommands: AsyncStream<Chosen>.Continuation
    private let token = CurrentValue<String?>(nil)

    private struct Chosen: Sendable {
        let command: DesktopCommand
        let token: String?
    }

    init(
        client: HandoffClient,
        server: NotificationServer,
        state: CurrentValue<DesktopState>,
        pairing: PairingService,
        window: WindowOpener,
        bindShortcut: @escaping @Sendable () -> Void
    ) {
        (self.client, self.server, self.state, self.pairing) = (client, server, state, pairing)
        (self.window, self.bindShortcut) = (window, bindShortcut)
        (commands, newCommands) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumCommands))
    }

    /// Keeps the token with which what the next command starts may take the focus.
    func provideToken(_ text: String) { token.set(text.isEmpty ? nil : text) }

    /// Begins a command; never blocks.
    func perform(_ command: DesktopCommand) {
        // A token is good for one window.
        let token = token.value
        self.token.set(nil)
        newCommands.yield(Chosen(command: command, token: token))
    }

    /// Performs commands until cancelled; those that take long, beside each other.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await chosen in commands {
                switch chosen.command {
                case .pair: pairing.pair()
                case .stopPairing: pairing.stop()
                case .showDigits: pairing.showDigits()
                case .bindShortcut: bindShortcut()
                case .continueActivity(let path):
                    group.addTask { await continueActivity(path, chosen.token) }
                case .openWindow:
                    group.addTask { await telling("Could not open the window") { try await window.open(chosen.token) } }
                case .continueNearest:
                    group.addTask { await continueNearest(chosen.token) }
                case .cancel(let path):
                    group.addTask { await telling("Could not cancel") { try await client.cancel(path) } }
                case .pause, .resume, .setReceiveOnly, .startDaemon:
                    group.addTask { await telling("Could not change Handoff") { try await change(chosen.command) } }
                }
            }
        }
    }

    /// Continues the activity of the nearest device among those that can be continued here.
    private func continueNearest(_ token: String?) async {
        // A call would start a daemon, which nobody has asked for.
        guard state.value.mirror != nil else { return await tell("Nothing to continue", "handoffd is not running.") }
        // What is kept of the daemon has no distances, which change all the time.
        let nearby = (try? await client.objects())?.nearby ?? []
        guard let path = nearby.first(where: { $0.opensWith != "none" })?.path else {
            return await tell("Nothing to continue", "No activity is nearby that opens here.")
        }
        await continueActivity(path, token, takesCurrent: true)
    }

    /// Continues an activity, unless it is being continued already.
    private func continueActivity(_ path: ObjectPath, _ token: String?, takesCurrent: Bool = false) async {
        var isNew = false
        state.modify { isNew = $0.ownContinuations.insert(path).inserted }
        guard isNew else { return }
        let device = state.value.activities.first { $0.path == path }?.device ?? "another device"
        await telling("Could not continue from \(device)") {
            let options = ContinuationOptions(
                activationToken: token,
                showsFailure: true,
                takesCurrent: takesCurrent
            )
            _ = try await client.continueActivity(path, options)
        }
        state.modify { $0.ownContinuations.remove(path) }
    }

    private func change(_ command: DesktopCommand) async throws {
        switch command {
        case .pause(let forAnHour):
            let now = try Timestamp.now
            let microseconds = UInt64(clamping: now.seconds) * 1_000_000
            try await client.pause(until: forAnHour ? microseconds + Self.hour : 0)
        case .resume: try await client.resume()
        case .setReceiveOnly(let isOn): try await client.setReceiveOnly(isOn)
        // Any call starts a daemon that the bus knows how to start.
        case .startDaemon: _ = try await client.status()
        default: break
        }
    }

    /// Runs `body`; tells its failure, unless the person has cancelled it.
    private func telling(_ summary: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            state.modify { $0.failure = nil }
        } catch {
            let known = error as? DBusError
            guard HandoffErrorName(known?.name) != .userCancelled, !Task.isCancelled else { return }
            let isAbsent = known?.indicatesAbsentService == true
            await tell(summary, isAbsent ? "handoffd is not running." : known?.message ?? "\(error)")
        }
    }

    /// Shows a failure in the menu until something succeeds, and as a notification where there are any.
    private func tell(_ summary: String, _ message: String) async {
        state.modify { $0.failure = "\(summary): \(message)" }
        guard let capabilities = try? await server.capabilities() else { return }
        let notification = DesktopNotification(summary: summary, body: message.shownSentence, urgency: .normal)
        _ = try? await server.show(notification, replacing: nil, capabilities: capabilities)
    }
}
