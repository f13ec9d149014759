import HandoffBus

extension WindowModel {
    /// Finding a device, comparing the digits, and how that has ended.
    var pairPage: PageView {
        guard state != nil else { return absence ?? PageView() }
        switch pairing {
        case .none: return PageView(message: Self.beginning)
        case .searching: return PageView(message: Self.searching)
        case .choosing(let candidates, let id): return Self.choice(candidates, id)
        case .comparing(let digits, let name, _, let id): return PageView(message: Self.comparison(digits, name, id))
        case .waiting(let name): return PageView(message: Self.waiting(name))
        case .stopping: return PageView(message: MessageView(isBusy: true, title: translated("Stopping …")))
        case .paired(let name): return PageView(message: Self.success(name))
        case .failed(let message): return PageView(message: Self.failure(message))
        case .unconfirmed(let message): return PageView(message: Self.doubt(message))
        }
    }

    private static var beginning: MessageView {
        MessageView(
            icon: "contact-new-symbolic",
            title: translated("Pair another device"),
            text: translated(
                "Open Handoff on your other device too, bring it near, and begin on both within two minutes."
            ),
            buttons: [ButtonView(translated("Find a device"), style: .suggested, .pair)]
        )
    }

    private static var searching: MessageView {
        MessageView(
            isBusy: true,
            title: translated("Looking for your other device …"),
            text: translated("Press “Find a device” on the other device too."),
            buttons: [ButtonView(translated("Stop"), .stopPairing)]
        )
    }

    private static func choice(_ candidates: [PairingCandidate], _ id: PairingCall.QuestionID) -> PageView {
        let rows = candidates.map { candidate in
            let name = shown(candidate.name)
            let isUnique = candidates.count { shown($0.name) == name } == 1
            // The first half of the id tells two devices of one name apart.
            let text = isUnique ? "" : shown(String(candidate.device.prefix(8)))
            let button = ButtonView(
                translated("Choose"),
                spoken: translated("Pair with {device}", ["device": quoted(candidate.name) + text]),
                .choose(candidate.number, id)
            )
            return RowView(
                id: "\(candidate.number)",
                icon: "computer-symbolic",
                title: name,
                text: text,
                controls: [.button(button)]
            )
        }
        let message = MessageView(
            title: translated("Several devices are ready to pair"),
            text: translated("Choose yours."),
            buttons: [ButtonView(translated("Stop"), .stopPairing)]
        )
        let group = GroupView(id: "candidates", title: "", spoken: message.title, rows: rows)
        return PageView(message: message, groups: [group])
    }

    private static func comparison(_ digits: String, _ name: String, _ id: PairingCall.QuestionID) -> MessageView {
        let isDifferent = translated("No, they differ")
        let isSame = translated("Yes, they are the same")
        return MessageView(
            title: translated("Does {device} show the same digits?", ["device": quoted(name)]),
            digits: shown(digits),
            text: translated("Look at both screens. If a single digit differs, say no."),
            // The first one is reached first by the keyboard, and neither has the focus at first.
            buttons: [
                ButtonView(translated("No"), spoken: isDifferent, .compared(areSame: false, id)),
                ButtonView(translated("Yes"), spoken: isSame, isDeliberate: true, .compared(areSame: true, id)),
            ]
        )
    }

    private static func waiting(_ name: String) -> MessageView {
        MessageView(
            isBusy: true,
            title: translated("Waiting for the answer on {device} …", ["device": quoted(name)]),
            buttons: [ButtonView(translated("Stop"), .stopPairing)]
        )
    }

    private static func success(_ name: String) -> MessageView {
        MessageView(
            icon: "emblem-ok-symbolic",
            title: translated("Paired with {device}", ["device": quoted(name)]),
            text: translated("What you do on one of them can be continued on the other."),
            buttons: [ButtonView(translated("Done"), style: .suggested, .leavePairing)]
        )
    }

    private static func failure(_ message: String) -> MessageView {
        MessageView(
            icon: "dialog-warning-symbolic",
            title: translated("Not paired"),
            text: shown(message),
            buttons: [
                ButtonView(translated("Try again"), style: .suggested, .pair),
                ButtonView(translated("Back"), .leavePairing),
            ]
        )
    }

    private static func doubt(_ message: String) -> MessageView {
        MessageView(
            icon: "dialog-question-symbolic",
            title: translated("Not confirmed yet"),
            text: shown(message),
            buttons: [ButtonView(translated("Back"), .leavePairing)]
        )
    }
}
