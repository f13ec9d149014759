import CAdwaita
import HandoffWindow

/// The message of a page.
@MainActor
final class MessageWidgets {
    private static let iconSize: Int32 = 96

    let box: Widget
    private let image: Widget
    private let spinner: Widget
    private let title: Widget
    private let digits: Widget
    private let text: Widget
    private let buttonBox: Widget
    private var buttons: [Widget] = []
    private var shown: MessageView?
    private let send: @MainActor (UserEvent) -> Void

    init(send: @escaping @MainActor (UserEvent) -> Void) {
        self.send = send
        box = cadw_box_new(1, 12)
        image = gtk_image_new()
        spinner = gtk_spinner_new()
        title = cadw_label_new("title-2")
        digits = cadw_label_new("handoff-digits")
        text = cadw_label_new(nil)
        buttonBox = cadw_box_new(0, 12)
        cadw_image_set_size(image, Self.iconSize)
        gtk_widget_add_css_class(image, "dim-label")
        gtk_widget_set_size_request(spinner, 48, 48)
        // So that the keyboard has a place where Enter does nothing, and a screen reader says the digits.
        cadw_label_set_focusable(digits)
        gtk_widget_set_halign(buttonBox, GTK_ALIGN_CENTER)
        gtk_widget_set_margin_top(box, 24)
        gtk_widget_set_margin_top(buttonBox, 12)
        for widget in [image, spinner, title, digits, text, buttonBox] { cadw_box_append(box, widget) }
    }

    func update(_ view: MessageView?) {
        gtk_widget_set_visible(box, view == nil ? 0 : 1)
        guard let view, view != shown else {
            shown = view
            return
        }
        let hadFocus = buttons.contains { gtk_widget_is_focus($0) != 0 } || gtk_widget_is_focus(digits) != 0
        let old = shown
        shown = view
        show(view)
        if [old?.digits, old?.title] != [view.digits, view.title] || old?.buttons != view.buttons {
            replaceButtons(view.buttons, about: view.title)
        }
        if !view.digits.isEmpty {
            if old?.digits != view.digits { cadw_label_focus(digits) }
        } else if hadFocus, let first = buttons.first {
            gtk_widget_grab_focus(first)
        }
    }

    private func show(_ view: MessageView) {
        gtk_widget_set_visible(image, view.icon.isEmpty ? 0 : 1)
        if !view.icon.isEmpty { cadw_image_set(image, view.icon) }
        gtk_widget_set_visible(spinner, view.isBusy ? 1 : 0)
        if view.isBusy { cadw_spinner_start(spinner) }
        cadw_label_set_text(title, view.title)
        gtk_widget_set_visible(digits, view.digits.isEmpty ? 0 : 1)
        // Isolated from left to right: else a window in Hebrew would show the halves in the other order.
        cadw_label_set_text(digits, "\u{2066}" + view.digits.prefix(3) + " " + view.digits.dropFirst(3) + "\u{2069}")
        // One by one: a screen reader would say a number.
        cadw_set_accessible_label(digits, view.digits.map(String.init).joined(separator: " "))
        cadw_set_accessible_description(digits, view.title)
        gtk_widget_set_visible(text, view.text.isEmpty ? 0 : 1)
        cadw_label_set_text(text, view.text)
    }

    private func replaceButtons(_ views: [ButtonView], about: String) {
        for button in buttons { cadw_box_remove(buttonBox, button) }
        buttons = views.compactMap { ButtonWidget.button($0, isPill: true, send: send) }
        // Visible before it has buttons: GTK gave a box that was filled while it was hidden no height.
        gtk_widget_set_visible(buttonBox, buttons.isEmpty ? 0 : 1)
        for button in buttons {
            cadw_box_append(buttonBox, button)
            // A screen reader says what the button is about when it gets the focus by itself.
            cadw_set_accessible_description(button, about)
        }
        gtk_widget_queue_resize(buttonBox)
    }
}
