import HandoffClient

/// Everything that the window shows, as values.
package struct WindowView: Hashable, Sendable {
    /// The page to be shown; nil for the one that is.
    package var shows: PageName?
    package var pages: [PageName: PageView] = [:]
    /// The pages that want the person to look at them.
    package var calling: Set<PageName> = []
    /// The question in a window of its own; nil for none.
    package var question: QuestionView?
    /// The number of the question, for its answer.
    package var questionNumber: UInt64 = 0
    /// What a person who reports an error should add to it.
    package var debugText = ""

    package init() {}
}

/// A page: a message, and groups of rows below it.
package struct PageView: Hashable, Sendable {
    package var message: MessageView?
    package var groups: [GroupView]

    package init(message: MessageView? = nil, groups: [GroupView] = []) {
        (self.message, self.groups) = (message, groups)
    }
}

/// A message in the middle of a page.
package struct MessageView: Hashable, Sendable {
    /// The name of an icon; empty for none.
    package var icon = ""
    /// Whether something is going on.
    package var isBusy = false
    package var title: String
    /// Six digits to be compared; empty for none.
    package var digits = ""
    package var text = ""
    package var buttons: [ButtonView] = []

    package init(
        icon: String = "",
        isBusy: Bool = false,
        title: String,
        digits: String = "",
        text: String = "",
        buttons: [ButtonView] = []
    ) {
        (self.icon, self.isBusy, self.title, self.digits) = (icon, isBusy, title, digits)
        (self.text, self.buttons) = (text, buttons)
    }
}

/// A button that a person can press.
package struct ButtonView: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        case normal, suggested, destructive
    }

    package let label: String
    /// The name of an icon that is shown instead of the label; empty for none.
    package let icon: String
    /// What a screen reader says instead of the label, such as what it is about.
    package let spoken: String
    package let style: Style
    /// How long a button that has to be meant cannot be pressed, in milliseconds.
    package static let deliberation = UInt32(PairingDialogue.readingTime / .milliseconds(1))

    /// Whether it can be pressed only ``deliberation`` after it was shown, by a person who has meant it and not what was
    /// there before, as in the dialogs of browsers about permissions.
    package let isDeliberate: Bool
    package let event: UserEvent

    package init(
        _ label: String,
        icon: String = "",
        spoken: String = "",
        style: Style = .normal,
        isDeliberate: Bool = false,
        _ event: UserEvent
    ) {
        (self.label, self.icon, self.style, self.event) = (label, icon, style, event)
        self.isDeliberate = isDeliberate
        self.spoken = spoken.isEmpty ? label : spoken
    }
}

/// Rows that belong together.
package struct GroupView: Hashable, Sendable {
    /// The same for the same group, whatever it shows.
    package let id: String
    package let title: String
    /// What a screen reader says instead of the title, where that is empty.
    package let spoken: String
    package let text: String
    package let rows: [RowView]

    package init(id: String, title: String, spoken: String = "", text: String = "", rows: [RowView]) {
        (self.id, self.title, self.text, self.rows) = (id, title, text, rows)
        self.spoken = spoken.isEmpty ? title : spoken
    }
}

/// A row: an icon, two texts, and what can be done.
package struct RowView: Hashable, Sendable {
    /// The same for the same thing, whatever is shown of it.
    package let id: String
    /// The name or the path of an icon; empty for none.
    package let icon: String
    package let title: String
    package let text: String
    package let isBusy: Bool
    package let controls: [ControlView]

    package init(
        id: String,
        icon: String = "",
        title: String,
        text: String = "",
        isBusy: Bool = false,
        controls: [ControlView] = []
    ) {
        (self.id, self.icon, self.title, self.text) = (id, icon, title, text)
        (self.isBusy, self.controls) = (isBusy, controls)
    }
}

/// A control in a row; pressing the row uses the first one.
package enum ControlView: Hashable, Sendable {
    case button(ButtonView)
    case toggle(ToggleView)
}

/// A switch.
package struct ToggleView: Hashable, Sendable {
    package let isOn: Bool
    /// What a screen reader says.
    package let spoken: String
    package let on: UserEvent
    package let off: UserEvent

    package init(isOn: Bool, spoken: String, on: UserEvent, off: UserEvent) {
        (self.isOn, self.spoken, self.on, self.off) = (isOn, spoken, on, off)
    }
}

/// A question in a window of its own.
///
/// Closing it means `cancel`, which is also what Enter does unless something is written.
package struct QuestionView: Hashable, Sendable {
    package let heading: String
    package let text: String
    package let entry: EntryView?
    package let marks: [MarkView]
    package let responses: [ResponseView]

    package init(
        heading: String,
        text: String,
        entry: EntryView? = nil,
        marks: [MarkView] = [],
        responses: [ResponseView]
    ) {
        (self.heading, self.text, self.entry, self.marks) = (heading, text, entry, marks)
        self.responses = responses
    }
}

/// A line in which a person writes.
package struct EntryView: Hashable, Sendable {
    /// What a screen reader says.
    package let spoken: String
    /// What stands there at first.
    package let text: String
    /// The response that Enter gives there.
    package let response: String

    package init(spoken: String, text: String, response: String) {
        (self.spoken, self.text, self.response) = (spoken, text, response)
    }
}

/// Something that a person can mark.
package struct MarkView: Hashable, Sendable {
    package let id: String
    package let label: String

    package init(id: String, label: String) {
        (self.id, self.label) = (id, label)
    }
}

/// A possible answer.
package struct ResponseView: Hashable, Sendable {
    package let id: String
    package let label: String
    package let style: ButtonView.Style

    package init(_ id: String, _ label: String, _ style: ButtonView.Style = .normal) {
        (self.id, self.label, self.style) = (id, label, style)
    }
}
