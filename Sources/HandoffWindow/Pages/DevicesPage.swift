import HandoffBus

extension WindowModel {
    /// The circle: this device, the others, and what only a person can decide.
    var devicesPage: PageView {
        guard let state else { return absence ?? PageView() }
        var groups: [GroupView] = []
        if !state.status.questions.isEmpty {
            groups.append(
                GroupView(
                    id: "questions",
                    title: translated("Only you can decide"),
                    rows: state.status.questions.map(Self.questionRow)
                )
            )
        }
        if !state.unconfirmed.isEmpty {
            groups.append(
                GroupView(
                    id: "unconfirmed",
                    title: translated("Not confirmed yet"),
                    text: translated(
                        "You have said yes; whether the other side has is unknown until the devices meet."
                    ),
                    rows: state.unconfirmed.map(Self.unconfirmedRow)
                )
            )
        }
        groups.append(GroupView(id: "own", title: translated("This device"), rows: [Self.ownRow(state.status)]))
        if !state.objects.devices.isEmpty {
            groups.append(
                GroupView(
                    id: "devices",
                    title: translated("Your other devices"),
                    rows: state.objects.devices.map { deviceRow($0, state) }
                )
            )
        }
        groups.append(Self.pairGroup(isFirst: state.objects.devices.isEmpty))
        return PageView(groups: groups)
    }

    private static func questionRow(_ question: DeviceQuestion) -> RowView {
        let others = question.others.map(quoted).joined(separator: ", ")
        let text =
            switch question.reason {
            case .disputed:
                translated("It was removed by {others}, which this device does not trust.", ["others": others])
            case .orphaned:
                translated(
                    "It was introduced by {others}, which this device does not trust any more.",
                    ["others": others]
                )
            }
        let keep = ButtonView(
            translated("Keep"),
            spoken: translated("Keep {device}", ["device": quoted(question.name)]),
            .keep(device: question.id)
        )
        return RowView(
            id: question.id,
            icon: "dialog-question-symbolic",
            title: shown(question.name),
            text: text,
            controls: [.button(keep), .button(removal(of: question.name, .drop(device: question.id)))]
        )
    }

    private static func removal(of name: String, _ event: UserEvent) -> ButtonView {
        ButtonView(
            translated("Remove"),
            icon: "user-trash-symbolic",
            spoken: translated("Remove {device}", ["device": quoted(name)]),
            style: .destructive,
            event
        )
    }

    private static func unconfirmedRow(_ device: UnconfirmedDevice) -> RowView {
        let spoken = translated("Forget {device}", ["device": quoted(device.name)])
        return RowView(
            id: device.id,
            icon: "dialog-question-symbolic",
            title: shown(device.name),
            controls: [.button(ButtonView(translated("Forget"), spoken: spoken, .forget(device: device.id)))]
        )
    }

    private static func ownRow(_ status: DaemonStatus) -> RowView {
        let button = ButtonView(
            translated("Rename"),
            icon: "document-edit-symbolic",
            spoken: translated("Rename this device"),
            .rename(device: "")
        )
        return RowView(
            id: "own",
            icon: "computer-symbolic",
            title: shown(status.deviceName),
            text: translated("Your other devices show this name."),
            controls: [.button(button)]
        )
    }

    private func deviceRow(_ device: DeviceDescription, _ state: DaemonState) -> RowView {
        let texts = [ago(device.lastSeen, now: now), Self.introduction(of: device, state)].compactMap(\.self)
        let rename = ButtonView(
            translated("Rename"),
            icon: "document-edit-symbolic",
            spoken: translated("Rename {device}", ["device": quoted(device.name)]),
            .rename(device: device.id)
        )
        return RowView(
            id: device.id,
            icon: "computer-symbolic",
            title: shown(device.name),
            text: texts.joined(separator: " · "),
            controls: [.button(rename), .button(Self.removal(of: device.name, .remove(device: device.id)))]
        )
    }

    /// Who has brought a device into the circle; nil when that is not known.
    private static func introduction(of device: DeviceDescription, _ state: DaemonState) -> String? {
        if device.introducedBy.isEmpty { return nil }
        if device.introducedBy == state.status.deviceID { return translated("paired with this device") }
        guard let other = state.device(device.introducedBy) else { return nil }
        return translated("introduced by {device}", ["device": quoted(other.name)])
    }

    private static func pairGroup(isFirst: Bool) -> GroupView {
        let row = RowView(
            id: "pair",
            icon: "list-add-symbolic",
            title: isFirst ? translated("No other device yet") : translated("Another device of yours"),
            controls: [.button(ButtonView(translated("Pair"), spoken: translated("Pair a device"), .pair))]
        )
        return GroupView(id: "pair", title: "", spoken: translated("Pair a device"), rows: [row])
    }
}
