import CAdwaita
import HandoffWindow

/// A group of rows; rows that stay are kept, and so is the focus in them.
@MainActor
final class GroupWidgets {
    let group: Widget
    private let list: Widget
    private var rows: [String: RowWidgets] = [:]
    private var order: [String] = []
    private let send: @MainActor (UserEvent) -> Void

    init(send: @escaping @MainActor (UserEvent) -> Void) {
        self.send = send
        group = cadw_group_new()
        list = cadw_group_add_list(group)
    }

    func update(_ view: GroupView) {
        cadw_group_set_text(group, view.title, view.text)
        cadw_set_accessible_label(list, view.spoken)
        cadw_set_accessible_description(list, view.text)
        let new = view.rows.map(\.id)
        if new != order { reorder(new) }
        for row in view.rows { rows[row.id]?.update(row) }
    }

    private func reorder(_ new: [String]) {
        for id in order where !new.contains(id) {
            if let row = rows.removeValue(forKey: id) { cadw_list_remove(list, row.row) }
        }
        for (position, id) in new.enumerated() {
            if let row = rows[id] {
                guard cadw_row_index(row.row) != position else { continue }
                g_object_ref(row.row)
                cadw_list_remove(list, row.row)
                cadw_list_insert(list, row.row, Int32(position))
                g_object_unref(row.row)
            } else {
                let row = RowWidgets(send: send)
                rows[id] = row
                cadw_list_insert(list, row.row, Int32(position))
            }
        }
        order = new
    }
}
