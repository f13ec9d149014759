import CAdwaita
import HandoffWindow

/// The question in a window of its own.
@MainActor
final class QuestionDialog {
    private let window: Widget
    private let send: @MainActor (UserEvent) -> Void
    private var dialog: Widget?
    private var shown: QuestionView?
    /// The question that was answered, until the session has handled that.
    private var answered: QuestionView?

    init(over window: Widget, send: @escaping @MainActor (UserEvent) -> Void) {
        (self.window, self.send) = (window, send)
    }

    func update(_ view: QuestionView?) {
        if view != answered { answered = nil }
        guard view != shown, view != answered || view == nil else { return }
        if let dialog {
            self.dialog = nil
            gtk_window_destroy(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkWindow.self))
        }
        shown = view
        if let view { present(view) }
    }

    private func present(_ view: QuestionView) {
        guard let dialog = cadw_dialog_new(window, view.heading, view.text) else { return }
        self.dialog = dialog
        for response in view.responses {
            cadw_dialog_add_response(dialog, response.id, response.label, response.style.appearance)
        }
        cadw_dialog_set_close_response(dialog, "cancel")
        cadw_dialog_set_default_response(dialog, view.entry?.response ?? "cancel")
        let extra = view.entry == nil && view.marks.isEmpty ? nil : cadw_box_new(1, 6)
        let entry = view.entry.flatMap(Self.entry)
        let marks = view.marks.compactMap { mark in cadw_check_new(mark.label).map { (mark.id, $0) } }
        for widget in [entry].compactMap(\.self) + marks.map(\.1) { cadw_box_append(extra, widget) }
        if let extra { cadw_dialog_set_extra(dialog, extra) }
        connectResponse(dialog) { [weak self] response in
            guard let self, self.dialog == dialog else { return }
            let text = entry.map { String(cString: cadw_entry_get_text($0)) } ?? ""
            let marked = Set(marks.filter { cadw_check_get($0.1) != 0 }.map(\.0))
            (self.dialog, self.shown, self.answered) = (nil, nil, view)
            self.send(.answer(QuestionAnswer(response: response, text: text, marked: marked)))
        }
        cadw_window_present(dialog)
        if let entry { gtk_widget_grab_focus(entry) }
    }

    private static func entry(_ view: EntryView) -> Widget? {
        guard let entry = gtk_entry_new() else { return nil }
        cadw_entry_set_text(entry, view.text)
        cadw_entry_activates_default(entry)
        cadw_set_accessible_label(entry, view.spoken)
        return entry
    }
}

extension ButtonView.Style {
    /// The number of AdwResponseAppearance.
    fileprivate var appearance: Int32 {
        switch self {
        case .normal: 0
        case .suggested: 1
        case .destructive: 2
        }
    }
}
