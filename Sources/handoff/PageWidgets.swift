import CAdwaita
import HandoffWindow

/// A page: its message, and its groups.
@MainActor
final class PageWidgets {
    let page: Widget
    private let box: Widget
    private let message: MessageWidgets
    private var groups: [String: GroupWidgets] = [:]
    private var shown: PageView?
    private let send: @MainActor (UserEvent) -> Void

    init(send: @escaping @MainActor (UserEvent) -> Void) {
        self.send = send
        box = cadw_box_new(1, 24)
        cadw_set_margins(box, 12)
        message = MessageWidgets(send: send)
        cadw_box_append(box, message.box)
        page = cadw_page_new(box)
    }

    func update(_ view: PageView) {
        message.update(view.message)
        let ids = view.groups.map(\.id)
        for (id, group) in groups where !ids.contains(id) {
            cadw_box_remove(box, group.group)
            groups[id] = nil
        }
        var last = message.box
        for group in view.groups {
            let widgets = groups[group.id] ?? add(group.id)
            widgets.update(group)
            cadw_box_move(box, widgets.group, last)
            last = widgets.group
        }
    }

    private func add(_ id: String) -> GroupWidgets {
        let widgets = GroupWidgets(send: send)
        groups[id] = widgets
        cadw_box_append(box, widgets.group)
        return widgets
    }
}
