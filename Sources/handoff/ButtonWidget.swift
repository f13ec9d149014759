import CAdwaita
import HandoffWindow

/// Makes buttons.
enum ButtonWidget {
    /// Returns a button that sends its event.
    @MainActor
    static func button(_ view: ButtonView, isPill: Bool, send: @escaping @MainActor (UserEvent) -> Void) -> Widget? {
        let made = view.icon.isEmpty ? gtk_button_new_with_label(view.label) : gtk_button_new_from_icon_name(view.icon)
        guard let button = made else { return nil }
        switch view.style {
        case .normal: break
        case .suggested: gtk_widget_add_css_class(button, "suggested-action")
        case .destructive where view.icon.isEmpty: gtk_widget_add_css_class(button, "destructive-action")
        case .destructive: break
        }
        if isPill {
            gtk_widget_add_css_class(button, "pill")
            cadw_button_wrap(button)
        }
        if !view.icon.isEmpty {
            gtk_widget_add_css_class(button, "flat")
            gtk_widget_set_tooltip_text(button, view.label)
        }
        gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        cadw_set_accessible_label(button, view.spoken)
        if view.isDeliberate { cadw_enable_later(button, ButtonView.deliberation) }
        connect(button, "clicked") { send(view.event) }
        return button
    }
}
