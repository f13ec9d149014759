import AsyncSupport
package import DBus
import HandoffBus
import HandoffClient
import HandoffModel
import SystemPackage

/// Handoff on the desktop: a tray item with a menu, pairing by notifications, search, and a keyboard shortcut.
///
/// A client of the daemon over the bus, which works while there is one, and waits while there is none.
package struct DesktopService: Sendable {
    /// The shortest time between two changes of what is shown: faster ones are seen as one.
    private static let pause = Duration.milliseconds(200)

    private let connection: Connection
    private let state = CurrentValue(DesktopState())
    private let follower: DaemonFollower
    private let commands: CommandService
    private let pairing: PairingService
    private let previews: ActivityPreviews
    private let shortcuts: GlobalShortcuts
    private let focus: FocusService
    private let menu: MenuObject
    private let item: TrayItem

    /// Makes the service, which is not on the bus yet.
    ///
    /// - Parameters:
    ///   - connection: a connection to the session bus.
    ///   - environment: the variables of the environment, which name the display and the directories of apps.
    package init(connection: Connection, environment: [String: String]) {
        let client = HandoffClient(connection: connection)
        let app = NotificationServer.App(name: "Handoff", desktopFile: HandoffName.desktopFile)
        let server = NotificationServer(connection: connection, app: app)
        let wishes = CurrentValue(0)
        let (state, follower) = (state, Self.follower(of: client, state))
        let window = WindowOpener(connection: connection, environment: environment)
        let previews = ActivityPreviews(client: client, follower: follower, state: state, window: window)
        let pairing = PairingService(client: client, server: server, state: state)
        let commands = CommandService(
            client: client,
            server: server,
            state: state,
            pairing: pairing,
            window: window
        ) {
            wishes.modify { $0 += 1 }
        }
        focus = FocusService(client: client, environment: environment)
        (self.connection, self.follower, self.previews) = (connection, follower, previews)
        (self.pairing, self.commands) = (pairing, commands)
        shortcuts = GlobalShortcuts(connection: connection, state: state, wishes: wishes) { token in
            commands.provideToken(token ?? "")
            commands.perform(.continueNearest)
        }
        menu = MenuObject(connection: connection, willShow: { previews.look() }, perform: { commands.perform($0) })
        item = TrayItem(
            connection: connection,
            menu: MenuObject.path,
            activateSecondarily: { commands.perform(.continueNearest) },
            provideToken: { commands.provideToken($0) }
        )
    }

    /// Runs until cancelled.
    ///
    /// - Throws: `DBusError` when the bus is lost, or with the code `nameTaken` if another one runs on it.
    package func run() async throws {
        export()
        let isShown = Promise<Void>()
        let services: [@Sendable () async throws -> Void] = [
            { try await follower.run() }, { try await commands.run() }, { try await pairing.run() },
            { try await previews.run() }, { try await shortcuts.run() }, { try await showChanges(isShown) },
        ]
        try await withBackgroundTasks(services) {
            try await isShown.value()
            try await connection.withName(HandoffName.desktop) {
                // Another one, which cannot have the name, must not take the focus from this one.
                let follow: @Sendable () async throws -> Void = { try await focus.run() }
                try await withBackgroundTasks([follow]) { try await TrayRegistration(connection: connection).run() }
            }
        }
    }

    /// A follower whose events become the state.
    private static func follower(of client: HandoffClient, _ state: CurrentValue<DesktopState>) -> DaemonFollower {
        DaemonFollower(client: client, contents: [.status, .rules, .nearby]) { event in
            // Signal strengths come many times a minute, and change nothing here.
            var changed = state.value
            changed.take(event)
            if changed != state.value { state.modify { $0.take(event) } }
        }
    }

    private func export() {
        let (state, commands, follower, connection) = (state, commands, follower, connection)
        connection.objects.admitCallers { await Self.verdict(on: $0, over: connection) }
        let search = SearchObjects(
            activities: { state.value.activities },
            perform: { commands.perform($0) },
            provideToken: { commands.provideToken($0) }
        )
        connection.objects.insert(search.interfaces, at: SearchObjects.path)
        connection.objects.insert([pairing.agent { follower.daemon }], at: PairingService.path)
        connection.objects.insert([menu.description], at: MenuObject.path)
        connection.objects.insert([item.description], at: TrayItem.path)
    }

    /// Decides about the calls of a client: those of a client outside any sandbox are performed.
    ///
    /// So are those of a program that lets nobody look at it: the daemon is one, and so are programs with capabilities, which
    /// those that show panels and search may have. The proxy through which a sandboxed program calls lets itself be looked
    /// at.
    private static func verdict(on client: BusName, over connection: Connection) async -> CallerVerdict {
        do {
            guard let sandbox = try await connection.sandbox(of: client) else { return .admitted }
            let name = HandoffName.desktop
            let message =
                "\(name) is for programs outside a sandbox, and the one that calls runs in that of \(sandbox)."
            return .refused(HandoffErrorName.callerSandboxed.reply(message))
        } catch let error as Errno where [.permissionDenied, .notPermitted].contains(error) {
            return .admitted
        } catch {
            return .undecided(
                .failure(.limitsExceeded, "handoff-desktop cannot examine the program that calls: \(error)")
            )
        }
    }

    /// Shows the state and each of its changes; fulfils `isShown` when what the daemon has told is shown.
    private func showChanges(_ isShown: Promise<Void>) async throws {
        // A program that the desktop starts to search gets its answer from what the daemon has told.
        try await follower.hasLooked.value()
        var seen = state.current
        show(seen.value)
        isShown.fulfil(())
        while true {
            seen = try await state.changed(since: seen)
            show(seen.value)
            try await sleep(for: Self.pause)
        }
    }

    private func show(_ state: DesktopState) {
        // The clock cannot be read only in a year after 9999.
        guard let now = try? Timestamp.now else { return }
        menu.show(state.menu(at: now))
        item.show(state.trayStatus)
    }
}
