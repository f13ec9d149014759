import AsyncSupport
import CAdwaita
import Glibc
import HandoffWindow
import Synchronization

/// The application: one window, one session with the daemon.
@MainActor
final class WindowApplication {
    /// The id of the application, of its desktop file and its icon.
    static let id = "org.handoffd.Window"

    /// Whether there is a window in this process; false when another process has one, which is shown instead.
    nonisolated let hasWindow = Promise<Bool>()

    private let application: UnsafeMutablePointer<GApplication>
    private let mailbox = ViewMailbox()
    private let token = Mutex<String?>(nil)
    private var window: MainWindow?
    private var session: WindowSession?

    init() {
        application = cadw_application_new(Self.id)
    }

    /// The session of the window, which runs until the window is closed.
    func makeSession() -> WindowSession {
        let session = WindowSession(
            activationToken: { [self] in token.withLock { $0.take() } },
            show: { [self] view, actions in
                mailbox.put(view, actions) { [self] in showNewest() }
            }
        )
        self.session = session
        return session
    }

    /// Runs until the window is closed; returns the exit status.
    func run() -> Int32 {
        connect(application, "activate") { [unowned self] in activate() }
        addAction("about", nil) { $0.window?.showAbout() }
        addAction("quit", "<Control>q") { application in
            if let window = application.window { cadw_window_close(window.window) }
        }
        addAction("close", "<Control>w") { application in
            if let window = application.window { cadw_window_close(window.window) }
        }
        for (number, page) in PageName.allCases.enumerated() {
            addAction("page-\(page.rawValue)", "<Control>\(number + 1)") { $0.window?.go(to: page) }
        }
        let status = g_application_run(application, 0, nil)
        session?.send(.user(.closed))
        hasWindow.fulfil(false)
        return status
    }

    private func activate() {
        if window == nil {
            window = MainWindow(
                of: application,
                send: { [unowned self] event in send(event) },
                // Also with a question or the description of this program open.
                closed: { [unowned self] in cadw_application_quit(application) }
            )
            hasWindow.fulfil(true)
            everyMinute { [unowned self] in session?.send(.minutePassed) }
        }
        if let window, !window.isClosed { cadw_window_present(window.window) }
    }

    private func addAction(_ name: String, _ key: String?, _ body: @escaping @MainActor (WindowApplication) -> Void) {
        guard let action = cadw_application_add_action(application, name, key) else { return }
        connect(action, "activate") { [unowned self] in body(self) }
    }

    private func send(_ event: UserEvent) {
        if case .continueActivity = event { makeToken() }
        session?.send(.user(event))
    }

    /// Keeps a token for the app that is about to be opened: it is only given while the person acts.
    private func makeToken() {
        guard let text = cadw_activation_token() else { return }
        token.withLock { $0 = String(cString: text) }
        g_free(text)
    }

    private func showNewest() {
        let (view, actions) = mailbox.take()
        guard let window, !window.isClosed else { return }
        if let view { window.show(view) }
        for action in actions {
            switch action {
            case .tell(let text): window.tell(text)
            case .examine: examine()
            }
        }
    }

    private func examine() {
        runProgram([ProgramPaths.sibling("handoffctl"), "doctor", "--json"]) { [weak self] output, status in
            self?.session?.send(.daemon(.doctor(output: output, status: status)))
        }
    }
}
