extension WindowModel {
    /// What is wrong with this computer, and how to mend it; this needs no daemon.
    var doctorPage: PageView {
        switch examination {
        case .none:
            PageView(
                message: MessageView(
                    icon: "dialog-information-symbolic",
                    title: translated("Does everything work?"),
                    text: translated(
                        "Examines Bluetooth, handoffd and the desktop for some seconds. Nothing is changed."
                    ),
                    buttons: [ButtonView(translated("Examine this computer"), style: .suggested, .examine)]
                )
            )
        case .running: PageView(message: MessageView(isBusy: true, title: translated("Examining …")))
        case .failed:
            PageView(
                message: MessageView(
                    icon: "dialog-warning-symbolic",
                    title: translated("This computer could not be examined"),
                    text: translated("Run in a terminal: handoffctl doctor"),
                    buttons: [ButtonView(translated("Try again"), .examine)]
                )
            )
        case .found(let findings): found(findings)
        }
    }

    private func found(_ findings: [Examination.Finding]) -> PageView {
        let isWell = !findings.contains { $0.grade == "fault" }
        let message = MessageView(
            icon: isWell ? "emblem-ok-symbolic" : "dialog-warning-symbolic",
            title: isWell ? translated("Nothing is at fault") : translated("Something is at fault"),
            buttons: [ButtonView(translated("Examine again"), .examine)]
        )
        let groups = [
            ("fault", translated("Faults"), "dialog-error-symbolic"),
            ("advice", translated("Could be better"), "dialog-warning-symbolic"),
            ("good", translated("In order"), "emblem-ok-symbolic"),
        ]
        return PageView(
            message: message,
            groups: groups.map { grade, title, icon in
                let rows = findings.enumerated().filter { $0.element.grade == grade }.map { number, finding in
                    RowView(
                        id: "\(number) \(finding.check)",
                        icon: icon,
                        title: shown(finding.message),
                        text: finding.cure.map { shown($0.replacing("\n", with: " ")) } ?? ""
                    )
                }
                return GroupView(id: grade, title: title, rows: rows)
            }.filter { !$0.rows.isEmpty }
        )
    }
}
