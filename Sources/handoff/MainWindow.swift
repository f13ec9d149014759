import CAdwaita
import HandoffBus
import HandoffWindow

/// The window: shows views, and sends what a person does.
@MainActor
final class MainWindow {
    /// The digits are large; the names of the pages below are whole also in a narrow window with large text.
    private static let style = """
        .handoff-digits {
            font-size: 4em; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: 0.05em;
            caret-color: transparent;
        }
        viewswitcherbar actionbar > revealer > box { border-spacing: 0; }
        viewswitcherbar viewswitcher button.toggle > stack > box.narrow { font-size: 0.7rem; }
        viewswitcherbar viewswitcher button.toggle > stack > box.narrow > stack > label { padding: 0; }
        """

    let window: Widget
    /// Whether the window has been closed: its widgets are gone, and nothing may be shown.
    private(set) var isClosed = false
    private let toasts: Widget
    private let stack: Widget
    private let question: QuestionDialog
    private var pages: [PageName: PageWidgets] = [:]
    private var debugText = ""
    private let send: @MainActor (UserEvent) -> Void

    private let closed: @MainActor () -> Void

    /// - Parameters:
    ///   - send: gets what the person does.
    ///   - closed: called when the window is closed.
    init(
        of application: UnsafeMutablePointer<GApplication>,
        send: @escaping @MainActor (UserEvent) -> Void,
        closed: @escaping @MainActor () -> Void
    ) {
        (self.send, self.closed) = (send, closed)
        cadw_add_css(Self.style)
        let layout = PackageResources.window_ui
        let builder = layout.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                cadw_builder_new(text.baseAddress, text.count, Translation.domain)
            }
        }
        window = cadw_builder_widget(builder, "window")
        toasts = cadw_builder_widget(builder, "toasts")
        stack = cadw_builder_widget(builder, "stack")
        question = QuestionDialog(over: window, send: send)
        for name in PageName.allCases {
            let page = PageWidgets(send: send)
            pages[name] = page
            cadw_stack_add(stack, page.page, name.rawValue, name.title, name.icon)
        }
        cadw_name_switchers(window, translated("Pages"))
        cadw_window_attach(window, application)
        g_object_unref(builder.map { UnsafeMutableRawPointer($0) })
        followPerson()
    }

    /// Shows a view; without effect after the window was closed.
    func show(_ view: WindowView) {
        guard !isClosed else { return }
        // First, so that the page can take the focus.
        if let name = view.shows { cadw_stack_show(stack, name.rawValue) }
        for (name, page) in view.pages { pages[name]?.update(page) }
        for (name, page) in pages {
            cadw_stack_set_needs_attention(stack, page.page, view.calling.contains(name) ? 1 : 0)
        }
        question.update(view.question, number: view.questionNumber)
        debugText = view.debugText
    }

    /// Shows a sentence for some seconds.
    func tell(_ text: String) {
        cadw_overlay_add_toast(toasts, text, translated("Close this message"))
    }

    /// Shows what this is.
    func showAbout() {
        cadw_show_about(
            window,
            "Handoff",
            WindowApplication.id,
            HandoffVersion.current,
            translated("Continue here what was begun on another computer nearby."),
            debugText
        )
    }

    /// Shows a page, as the person has asked with the keyboard.
    func go(to page: PageName) {
        cadw_stack_show(stack, page.rawValue)
        // The keyboard goes with the person: to what is on the page, not to the menu above it.
        if let page = pages[page] { gtk_widget_child_focus(page.page, GTK_DIR_TAB_FORWARD) }
    }

    private func followPerson() {
        connect(window, "destroy") { [unowned self] in
            isClosed = true
            question.forget()
            closed()
        }
        connect(stack, "notify::visible-child-name") { [unowned self] in
            guard !isClosed, let name = cadw_stack_shown(stack) else { return }
            if let page = PageName(rawValue: String(cString: name)) { send(.showed(page)) }
        }
        connect(window, "notify::is-active") { [unowned self] in
            if !isClosed { send(.focused(cadw_window_is_active(window) != 0)) }
        }
    }
}

extension PageName {
    /// The title in the switcher of pages.
    var title: String {
        switch self {
        case .nearby: translated("Nearby")
        case .devices: translated("Devices")
        case .pair: translated("Pair")
        case .rules: translated("Rules")
        case .doctor: translated("Doctor")
        }
    }

    var icon: String {
        switch self {
        case .nearby: "network-wireless-symbolic"
        case .devices: "computer-symbolic"
        case .pair: "list-add-symbolic"
        case .rules: "preferences-system-symbolic"
        case .doctor: "dialog-information-symbolic"
        }
    }
}
