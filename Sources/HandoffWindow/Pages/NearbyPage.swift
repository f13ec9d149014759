import DBus
import HandoffBus

extension WindowModel {
    /// What can be continued here, and why not where it cannot.
    var nearbyPage: PageView {
        guard let state else { return absence ?? PageView() }
        var page = PageView()
        let nearby = nearby(in: state)
        if !nearby.isEmpty {
            page.groups.append(
                GroupView(id: "nearby", title: translated("Continue here"), rows: nearby.map(nearbyRow))
            )
        }
        let hidden = state.rules.withheld.filter { $0.activity == nil }
        if !hidden.isEmpty {
            page.groups.append(
                GroupView(id: "hidden", title: translated("Hidden by your rules"), rows: rows(of: hidden))
            )
        }
        if let own = ownGroup(state) { page.groups.append(own) }
        if nearby.isEmpty || state.rules.isPaused { page.message = emptiness(state) }
        if isOtherVersion(state) { page.groups.insert(versionGroup(state), at: 0) }
        return page
    }

    private func nearbyRow(_ activity: NearbyActivityDescription) -> RowView {
        let isContinuing = continuing[activity.path] != nil
        let title = heading(of: activity)
        var texts = [shown(activity.deviceName)]
        if let step = continuing[activity.path] { texts = [Self.text(of: step)] + texts }
        if title != target(of: activity) { texts.insert(target(of: activity), at: 0) }
        if let distance = Self.distance(activity.rssi) { texts.append(distance) }
        return RowView(
            id: activity.path.description,
            icon: Self.icon(of: activity),
            title: title,
            text: texts.joined(separator: " · "),
            isBusy: isContinuing,
            controls: controls(of: activity, isContinuing, title)
        )
    }

    private func controls(
        of activity: NearbyActivityDescription,
        _ isContinuing: Bool,
        _ title: String
    ) -> [ControlView] {
        if isContinuing {
            let spoken = translated("Cancel continuing {title}", ["title": quoted(title)])
            return [.button(ButtonView(translated("Cancel"), spoken: spoken, .cancelContinuation(activity.path)))]
        }
        guard activity.opensWith != "none" else { return [] }
        let spoken = translated(
            "Continue {title} from {device}",
            ["title": quoted(title), "device": quoted(activity.deviceName)]
        )
        let button = ButtonView(
            translated("Continue"),
            spoken: spoken,
            style: .suggested,
            .continueActivity(activity.path)
        )
        return [.button(button)]
    }

    private func heading(of activity: NearbyActivityDescription) -> String {
        if case .known(let title) = titles[activity.path] { return shown(title) }
        return target(of: activity)
    }

    /// What would open an activity here, or why nothing does.
    private func target(of activity: NearbyActivityDescription) -> String {
        switch activity.opensWith {
        case "browser": return translated("Web page")
        case "document": return translated("Document")
        case "none":
            let type = activity.type.isEmpty ? translated("unknown") : shown(activity.type)
            return translated("No app here opens this (type: {type})", ["type": quoted(type)])
        // An app, or what only a later version knows.
        default: return shown(activity.applicationName.isEmpty ? activity.application : activity.applicationName)
        }
    }

    private static func icon(of activity: NearbyActivityDescription) -> String {
        guard activity.applicationIcon.isEmpty else { return activity.applicationIcon }
        switch activity.opensWith {
        case "browser": return "web-browser-symbolic"
        case "document": return "x-office-document-symbolic"
        case "none": return "dialog-question-symbolic"
        default: return "application-x-executable-symbolic"
        }
    }

    /// How far a device seems to be; nil when the radio does not tell.
    ///
    /// The limits are rough: at 1 m a phone or laptop is received with about -60 dBm, and a wall takes about 10 dB.
    private static func distance(_ rssi: Int16?) -> String? {
        switch rssi {
        case nil: nil
        case let rssi? where rssi > -55: translated("very near")
        case let rssi? where rssi > -75: translated("near")
        default: translated("farther away")
        }
    }

    private static func text(of step: NearbyActivityEvent.Step) -> String {
        switch step {
        case .fetching: translated("Fetching …")
        case .synchronising(let document):
            translated("Waiting for {file} …", ["file": quoted(String(document.split(separator: "/").last ?? ""))])
        case .opening: translated("Opening …")
        }
    }

    private func rows(of withheld: [WithheldDescription]) -> [RowView] {
        withheld.enumerated().map { number, one in
            let title = one.deviceName.isEmpty ? shown(one.type) : shown(one.deviceName)
            return RowView(id: "withheld\(number)", title: title, text: shown(one.message))
        }
    }

    /// What this device offers, and why not where it does not.
    private func ownGroup(_ state: DaemonState) -> GroupView? {
        let own = state.objects.activities.first {
            $0.properties[ActivityInterface.current.name.description]?.boolean == true
        }
        guard let own else { return withoutFocus(state) }
        let type = own.properties["Type"]?.string ?? ""
        let title = own.properties["Title"]?.string ?? ""
        let withheld = state.rules.withheld.first { $0.activity == own.path }?.message
        let advisory = state.status.advisories.first { $0.name == "withheld" }?.message
        let row = RowView(
            id: "own",
            icon: "computer-symbolic",
            title: shown(title.isEmpty ? type : title),
            text: shown(withheld ?? advisory ?? translated("Your other devices can continue it."))
        )
        return GroupView(id: "own", title: translated("Offered by this device"), rows: [row])
    }

    /// That this device offers nothing, because the app of its activity has lost the focus.
    private func withoutFocus(_ state: DaemonState) -> GroupView? {
        guard let advisory = state.status.advisories.first(where: { $0.name == "other-focus" }) else { return nil }
        let row = RowView(
            id: "own",
            icon: "computer-symbolic",
            title: translated("Nothing at present"),
            text: shown(advisory.message)
        )
        return GroupView(id: "own", title: translated("Offered by this device"), rows: [row])
    }
}

/// Why nothing is nearby.
extension WindowModel {
    private func emptiness(_ state: DaemonState) -> MessageView {
        if state.rules.isPaused {
            return MessageView(
                icon: "media-playback-pause-symbolic",
                title: translated("Handoff is paused"),
                text: pauseLength(until: state.rules.pausedUntil, now: now),
                buttons: [ButtonView(translated("Resume"), style: .suggested, .resume)]
            )
        }
        if state.status.radioState != "ready" {
            return MessageView(
                icon: "bluetooth-disabled-symbolic",
                title: translated("Bluetooth cannot be used"),
                text: shown(state.status.radioMessage),
                buttons: [ButtonView(translated("Examine this computer"), .examine)]
            )
        }
        if state.objects.devices.isEmpty {
            return MessageView(
                icon: "computer-symbolic",
                title: translated("No other device yet"),
                text: translated("Pair this computer with another one of yours to continue there what you begin here."),
                buttons: [ButtonView(translated("Pair a device"), style: .suggested, .pair)]
            )
        }
        return MessageView(
            icon: "network-wireless-symbolic",
            title: translated("Nothing nearby"),
            // Such as that this device does not scan while a sound plays over Bluetooth.
            text: state.status.scanning.message.isEmpty
                ? translated("What you do on your other devices appears here when they are near and in use.")
                : shown(state.status.scanning.message)
        )
    }

    private func isOtherVersion(_ state: DaemonState) -> Bool {
        !state.status.version.isEmpty && state.status.version != HandoffVersion.current
    }

    private func versionGroup(_ state: DaemonState) -> GroupView {
        let text = translated(
            "handoffd has version {daemon}, this window {window}. Open the window again; else restart handoffd.",
            ["daemon": quoted(state.status.version), "window": HandoffVersion.current]
        )
        let row = RowView(
            id: "version",
            icon: "dialog-warning-symbolic",
            title: translated("Other version"),
            text: text
        )
        return GroupView(id: "version", title: "", spoken: row.title, rows: [row])
    }
}
