import HandoffBus

extension WindowModel {
    /// The open question; nil if there is none.
    var questionView: QuestionView? {
        switch question {
        case .removal(let device, let consequences): removal(device, consequences)
        case .drop(let device): dropping(device)
        case .name(let device): naming(device)
        case .rule(let kind): Self.rule(kind)
        case .program(_, let message): Self.program(message)
        case nil: nil
        }
    }

    private static var cancel: ResponseView { ResponseView("cancel", translated("Cancel")) }

    /// What a removal means, which nothing undoes; a device that leaves its circle is a new one.
    private static var removal: [String] {
        [
            translated("None of your devices exchanges anything with it any more. This cannot be undone."),
            translated("To use it again later, run “handoffctl devices leave” on it, and pair it anew."),
        ]
    }

    private func removal(_ id: String, _ consequences: RemovalConsequences) -> QuestionView {
        let name = state?.device(id)?.name ?? id
        var texts = Self.removal
        if !consequences.orphaned.isEmpty {
            let names = consequences.orphaned.map { quoted($0.name) }.joined(separator: ", ")
            texts.append(translated("Only it has introduced {devices}: these go with it.", ["devices": names]))
        }
        if !consequences.removed.isEmpty {
            let names = consequences.removed.map { quoted($0.name) }.joined(separator: ", ")
            texts.append(translated("It has removed {devices}.", ["devices": names]))
        }
        return QuestionView(
            heading: translated("Remove {device}?", ["device": quoted(name)]),
            text: texts.joined(separator: "\n\n"),
            marks: (consequences.orphaned + consequences.removed).map { device in
                MarkView(id: device.id, label: translated("Trust {device}", ["device": quoted(device.name)]))
            },
            responses: [Self.cancel, ResponseView("remove", translated("Remove"), .destructive)]
        )
    }

    private func dropping(_ id: String) -> QuestionView {
        let name = state?.status.questions.first { $0.id == id }?.name ?? id
        return QuestionView(
            heading: translated("Remove {device}?", ["device": quoted(name)]),
            text: Self.removal.joined(separator: "\n\n"),
            responses: [Self.cancel, ResponseView("remove", translated("Remove"), .destructive)]
        )
    }

    private func naming(_ device: String) -> QuestionView {
        let name = device.isEmpty ? state?.status.deviceName : state?.device(device)?.name
        return QuestionView(
            heading: translated("Rename {device}", ["device": quoted(name ?? device)]),
            text: translated("All your devices show the new name."),
            entry: EntryView(spoken: translated("Name"), text: name ?? "", response: "rename"),
            responses: [Self.cancel, ResponseView("rename", translated("Rename"), .suggested)]
        )
    }

    private static func rule(_ kind: String) -> QuestionView {
        let isSite = kind == "site"
        return QuestionView(
            heading: isSite ? translated("A rule about a site") : translated("A rule about an activity type"),
            text: isSite
                ? translated("A host, such as bank.example. Its sub-domains are meant, too.")
                : translated("A type, such as org.example.notes.editing."),
            entry: EntryView(
                spoken: isSite ? translated("Site") : translated("Activity type"),
                text: "",
                response: "deny"
            ),
            responses: [
                cancel, ResponseView("allow", translated("Allow only this")), ResponseView("deny", translated("Deny")),
            ]
        )
    }

    private static func program(_ message: String) -> QuestionView {
        QuestionView(
            heading: translated("Open something that may start a program?"),
            text: shown(message),
            responses: [cancel, ResponseView("open", translated("Open"), .destructive)]
        )
    }
}
