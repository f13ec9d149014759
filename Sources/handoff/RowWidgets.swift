import CAdwaita
import HandoffWindow

/// A row of a list.
@MainActor
final class RowWidgets {
    private static let (iconSize, symbolSize): (Int32, Int32) = (32, 16)

    private static let unknownIcon = "application-x-executable-symbolic"

    /// The list holds it: it ends when it is removed there.
    let row: Widget
    /// The icon; nil as long as the row has had none, since the place for it would be seen.
    private var image: Widget?
    private let spinner: Widget
    private var controls: [Widget] = []
    private var shown: RowView?
    private var isUpdating = false
    private let send: @MainActor (UserEvent) -> Void

    init(send: @escaping @MainActor (UserEvent) -> Void) {
        self.send = send
        row = cadw_row_new()
        spinner = gtk_spinner_new()
        cadw_row_set_shows_all(row)
        cadw_row_add_suffix(row, spinner)
    }

    func update(_ view: RowView) {
        isUpdating = true
        defer { isUpdating = false }
        if view.title != shown?.title || view.text != shown?.text {
            // libadwaita names the row by its title for screen readers.
            cadw_row_set_text(row, view.title, view.text)
            cadw_set_accessible_description(row, view.text)
        }
        if view.icon != shown?.icon ?? "" { showIcon(view.icon) }
        gtk_widget_set_visible(spinner, view.isBusy ? 1 : 0)
        if view.isBusy { cadw_spinner_start(spinner) }
        if view.controls.map(\.shape) != shown?.controls.map(\.shape) { replaceControls(view.controls) }
        for (control, widget) in zip(view.controls, controls) {
            // Also where the view is the same: the person may have moved a switch that the daemon did not follow.
            if case .toggle(let toggle) = control { cadw_switch_set(widget, toggle.isOn ? 1 : 0) }
        }
        shown = view
    }

    private func showIcon(_ icon: String) {
        if image == nil, let new = gtk_image_new() {
            cadw_row_add_prefix(row, new)
            image = new
        }
        guard let image else { return }
        gtk_widget_set_visible(image, icon.isEmpty ? 0 : 1)
        // An app may name an icon that no theme has.
        let icon = icon.isEmpty || icon.hasPrefix("/") || cadw_has_icon(icon) != 0 ? icon : Self.unknownIcon
        if !icon.isEmpty { cadw_image_set(image, icon) }
        cadw_image_set_size(image, icon.hasSuffix("-symbolic") ? Self.symbolSize : Self.iconSize)
    }

    private func replaceControls(_ views: [ControlView]) {
        let hadFocus = controls.contains { gtk_widget_is_focus($0) != 0 }
        cadw_row_set_activatable(row, nil)
        for control in controls { cadw_row_remove(row, control) }
        controls = views.compactMap(widget)
        for control in controls { cadw_row_add_suffix(row, control) }
        guard let first = controls.first else { return }
        if controls.count == 1 { cadw_row_set_activatable(row, first) }
        if hadFocus { gtk_widget_grab_focus(first) }
    }

    private func widget(_ view: ControlView) -> Widget? {
        switch view {
        case .button(let view): return ButtonWidget.button(view, isPill: false, send: send)
        case .toggle(let view):
            guard let toggle = gtk_switch_new() else { return nil }
            gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER)
            cadw_set_accessible_label(toggle, view.spoken)
            connect(toggle, "notify::active") { [weak self] in
                guard let self, !self.isUpdating else { return }
                self.send(cadw_switch_get(toggle) != 0 ? view.on : view.off)
            }
            return toggle
        }
    }
}

extension ControlView {
    /// What makes another widget necessary when it changes.
    fileprivate var shape: ControlView {
        switch self {
        case .button: self
        case .toggle(let view):
            .toggle(ToggleView(isOn: false, spoken: view.spoken, on: view.on, off: view.off))
        }
    }
}
