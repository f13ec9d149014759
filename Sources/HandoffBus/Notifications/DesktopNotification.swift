/// A notification for people (Desktop Notifications Specification 1.2).
package struct DesktopNotification: Hashable, Sendable {
    /// How soon a person has to see it; the numbers are those of the hint `urgency`.
    package enum Urgency: UInt8, Hashable, Sendable {
        case low = 0
        case normal = 1
        /// Servers show it until the person has closed it.
        case critical = 2
    }

    /// A button.
    package struct Action: Hashable, Sendable {
        /// What the server tells when it is pressed; `default` stands for a click on the notification itself.
        package let key: String
        package let label: String

        package init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }
    }

    package var summary: String
    /// The body as plain text.
    package var body: String
    /// The name or path of an icon; empty for that of the app.
    package var icon: String
    /// The buttons, from the first to the last.
    package var actions: [Action]
    package var urgency: Urgency
    /// Whether the server shows it until it is closed.
    package var isPersistent: Bool
    /// Whether the server shows it until it is closed, also after a button was pressed.
    package var isResident: Bool
    /// Whether the server keeps it out of the list of past ones.
    package var isTransient: Bool

    package init(
        summary: String,
        body: String,
        icon: String = "",
        actions: [Action] = [],
        urgency: Urgency = .low,
        isPersistent: Bool = false,
        isResident: Bool = false,
        isTransient: Bool = true
    ) {
        self.summary = summary
        self.body = body
        self.icon = icon
        self.actions = actions
        self.urgency = urgency
        self.isPersistent = isPersistent
        self.isResident = isResident
        self.isTransient = isTransient
    }
}

extension String {
    /// The text for a place where `&`, `<` and `>` have a meaning.
    package var escapedMarkup: String {
        // Not by characters as people see them: with an accent, `<` is another one, and begins markup all the same.
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
