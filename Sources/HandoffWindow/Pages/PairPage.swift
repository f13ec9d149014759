import HandoffBus
import HandoffClient

extension WindowModel {
    /// Finding a device, comparing the digits, and how that has ended.
    var pairPage: PageView {
        guard state != nil else { return absence ?? PageView() }
        switch pairing.phase {
        case .idle: return PageView(message: pairing.ending.map(Self.end) ?? Self.beginning)
        case .searching: return PageView(message: Self.searching)
        case .choosing(let candidates, let id): return Self.choice(candidates, id)
        case .comparing(let comparison, let id): return PageView(message: Self.comparison(comparison, id))
        case .confirmed(let name): return PageView(message: Self.waiting(name))
        case .stopping: return PageView(message: MessageView(isBusy: true, title: translated("Stopping …")))
        }
    }

    private static func end(_ ending: PairingDialogue.Ending) -> MessageView {
        switch ending {
        case .paired(_, let name): success(name)
        case .stopped(let failure), .denied(let failure), .failed(let failure): self.failure(failure.message)
        case .unconfirmed(let failure): doubt(failure.message)
        case .refused(let message): failure(message)
        case .lost: failure(translated("handoffd has stopped, which ended the pairing."))
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
        let rows = zip(candidates, candidates.titles(shown)).map { candidate, title in
            let text = title.id.map(shown) ?? ""
            let button = ButtonView(
                translated("Choose"),
                spoken: translated("Pair with {device}", ["device": quoted(candidate.name) + text]),
                .choose(candidate.number, id)
            )
            return RowView(
                id: "\(candidate.number)",
                icon: "computer-symbolic",
                title: title.name,
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

    private static func comparison(
        _ comparison: PairingDialogue.Comparison,
        _ id: PairingCall.QuestionID
    ) -> MessageView {
        MessageView(
            title: translated("Does {device} show the same digits?", ["device": quoted(comparison.name)]),
            digits: shown(comparison.digits),
            text: translated("Look at both screens. If a single digit differs, say no."),
            // The first one is reached first by the keyboard, and neither has the focus at first.
            buttons: PairingDialogue.offeredAnswers.map { areSame in
                ButtonView(
                    areSame ? translated("Yes") : translated("No"),
                    spoken: areSame ? translated("Yes, they are the same") : translated("No, they differ"),
                    isDeliberate: areSame,
                    .compared(areSame: areSame, id)
                )
            }
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
