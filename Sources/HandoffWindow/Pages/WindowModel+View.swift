import HandoffBus

/// What the window shows.
extension WindowModel {
    /// The view of this state; the same state has the same view.
    package var view: WindowView {
        var view = WindowView()
        view.shows = shows
        view.pages = [
            .nearby: nearbyPage, .devices: devicesPage, .pair: pairPage, .rules: rulesPage, .doctor: doctorPage,
        ]
        view.calling = calling
        view.question = questionView
        view.questionNumber = questionNumber
        view.debugText = debugText
        return view
    }

    /// A page that shows why there is nothing on it; nil while the daemon runs.
    var absence: PageView? {
        switch daemon {
        case .running: nil
        case .connecting:
            PageView(message: MessageView(isBusy: true, title: translated("Looking for handoffd …")))
        case .unreachable(let reason):
            PageView(
                message: MessageView(
                    icon: "dialog-warning-symbolic",
                    title: translated("There is no session bus"),
                    text: shown(reason) + "\n" + translated("Close this window, and open it again in a session.")
                )
            )
        case .absent(let reason):
            PageView(
                message: MessageView(
                    icon: "dialog-warning-symbolic",
                    title: translated("handoffd is not running"),
                    text: [
                        reason.map(shown),
                        translated("Start it with: systemctl --user start handoffd"),
                    ].compactMap(\.self).joined(separator: "\n"),
                    buttons: [ButtonView(translated("Try again"), style: .suggested, .retry)]
                )
            )
        }
    }

    private var calling: Set<PageName> {
        var calling: Set<PageName> = []
        if pairing.needsPerson { calling.insert(.pair) }
        if state?.status.questions.isEmpty == false { calling.insert(.devices) }
        return calling
    }

    private var debugText: String {
        guard let status = state?.status else { return "handoff \(HandoffVersion.current)\nhandoffd: not running" }
        return "handoff \(HandoffVersion.current)\nhandoffd \(shown(status.version)), "
            + "protocol \(status.protocolVersion), radio \(shown(status.radioState))\n"
            + "device \(shown(status.deviceID))"
    }
}
