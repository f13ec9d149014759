import HandoffBus

extension WindowModel {
    /// What the person allows.
    var rulesPage: PageView {
        guard let state else { return absence ?? PageView() }
        return PageView(
            groups: [
                switches(state.rules), deviceRules(state), appRules(state), otherRules(state.rules),
            ].filter { !$0.rows.isEmpty }
        )
    }

    private func switches(_ rules: RulesStatus) -> GroupView {
        GroupView(
            id: "switches",
            title: translated("This device"),
            rows: [pause(rules)] + (rules.isPaused ? [] : [Self.hour]) + [Self.receiving(rules)]
        )
    }

    private func pause(_ rules: RulesStatus) -> RowView {
        let toggle = ToggleView(
            isOn: !rules.isPaused,
            spoken: translated("Handoff"),
            on: .resume,
            off: .pause(minutes: 0)
        )
        return RowView(
            id: "pause",
            title: translated("Handoff"),
            text: rules.isPaused
                ? pauseLength(until: rules.pausedUntil, now: now)
                : translated("While it is off, nothing is sent and nothing is received."),
            controls: [.toggle(toggle)]
        )
    }

    private static func receiving(_ rules: RulesStatus) -> RowView {
        let toggle = ToggleView(
            isOn: rules.isReceiveOnly,
            spoken: translated("Receive only"),
            on: .setReceiveOnly(true),
            off: .setReceiveOnly(false)
        )
        return RowView(
            id: "receive-only",
            title: translated("Receive only"),
            text: translated("This device offers nothing, and continues what others offer."),
            controls: [.toggle(toggle)]
        )
    }

    private static var hour: RowView {
        RowView(
            id: "hour",
            title: translated("Pause for an hour"),
            controls: [
                .button(
                    ButtonView(translated("Pause"), spoken: translated("Pause for an hour"), .pause(minutes: 60))
                )
            ]
        )
    }

    private func deviceRules(_ state: DaemonState) -> GroupView {
        GroupView(
            id: "rules-devices",
            title: translated("Devices that take part"),
            rows: state.objects.devices.map { Self.row("device", $0.id, named: $0.name, state.rules) }
        )
    }

    private func appRules(_ state: DaemonState) -> GroupView {
        GroupView(
            id: "rules-apps",
            title: translated("Apps that take part"),
            rows: state.apps.map { Self.row("app", $0.id, named: $0.name, state.rules) }
        )
    }

    /// A row with a switch that is off when a rule denies the thing.
    private static func row(_ kind: String, _ value: String, named name: String, _ rules: RulesStatus) -> RowView {
        let verdict = rules.verdict(kind, value)
        let toggle = ToggleView(
            isOn: verdict != "deny",
            spoken: translated("{name} takes part", ["name": quoted(name)]),
            on: .deny(kind: kind, value: value, false),
            off: .deny(kind: kind, value: value, true)
        )
        return RowView(
            id: "\(kind) \(value)",
            title: shown(name),
            text: verdict == "allow" ? translated("Allowed by a rule: others of this kind are not.") : "",
            controls: [.toggle(toggle)]
        )
    }

    /// The rules about types and sites, and those about what is not listed above.
    private func otherRules(_ rules: RulesStatus) -> GroupView {
        let others = rules.rules.filter { rule in
            switch rule.kind {
            case "device": state?.device(rule.value) == nil
            case "app": state?.apps.contains { $0.id == rule.value } == false
            default: true
            }
        }
        let kinds = [("site", translated("A site")), ("type", translated("An activity type"))]
        let new = kinds.map { kind, title in
            let spoken = translated("Add a rule: {kind}", ["kind": title])
            return RowView(
                id: "add \(kind)",
                icon: "list-add-symbolic",
                title: title,
                controls: [.button(ButtonView(translated("Add a rule"), spoken: spoken, .addRule(kind: kind)))]
            )
        }
        return GroupView(
            id: "rules",
            title: translated("Sites and types"),
            text: translated("Where a rule allows something, only that is allowed of its kind."),
            rows: others.map(Self.row) + new
        )
    }

    private static func row(_ rule: RuleDescription) -> RowView {
        let spoken = translated("Remove the rule about {value}", ["value": quoted(rule.value)])
        return RowView(
            id: "\(rule.kind) \(rule.value)",
            title: shown(rule.value),
            text: rule.verdict == "allow" ? translated("Allowed") : translated("Denied"),
            controls: [
                .button(
                    ButtonView(
                        translated("Remove"),
                        icon: "user-trash-symbolic",
                        spoken: spoken,
                        .deny(kind: rule.kind, value: rule.value, false)
                    )
                )
            ]
        )
    }
}

extension RulesStatus {
    /// The verdict of the rule about something; nil if there is none.
    fileprivate func verdict(_ kind: String, _ value: String) -> String? {
        rules.first { $0.kind == kind && $0.value == value }?.verdict
    }
}
