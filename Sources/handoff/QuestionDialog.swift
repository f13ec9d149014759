import CAdwaita
import HandoffWindow

/// The question in a window of its own.
@MainActor
final class QuestionDialog {
    private let window: Widget
    private let send: @MainActor (UserEvent) -> Void
    private var dialog: Widget?
    /// The number of the question that was shown last, also when it was answered.
    private var lastNumber: UInt64 = 0

    init(over window: Widget, send: @escaping @MainActor (UserEvent) -> Void) {
        (self.window, self.send) = (window, send)
    }

    func update(_ view: QuestionView?, number: UInt64) {
        guard let view else { return close() }
        // A question that is open keeps what the person has written, whatever changes around it.
        guard number != lastNumber else { return }
        close()
        lastNumber = number
        present(view)
    }

    /// Forgets the dialog, which has gone with its window.
    func forget() {
        dialog = nil
    }

    private func close() {
        guard let dialog else { return }
        self.dialog = nil
        gtk_window_destroy(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkWindow.self))
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
        connectResponse(dialog) { [weak self, number = lastNumber] response in
            guard let self, self.dialog == dialog else { return }
            let text = entry.map { String(cString: cadw_entry_get_text($0)) } ?? ""
            let marked = Set(marks.filter { cadw_check_get($0.1) != 0 }.map(\.0))
            self.dialog = nil
            self.send(.answer(QuestionAnswer(to: number, response: response, text: text, marked: marked)))
        }
        cadw_name_buttons_once(dialog)
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
