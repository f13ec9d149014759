/// Where the app for a document is not chosen or started as GIO does it, and why.
enum GIODifferences {
    /// The reason for a difference in a case; nil if there is none.
    static func reason(for name: String) -> String? {
        reasons.first { reason in reason.cases.contains { name == $0 || name.hasPrefix($0 + " (") } }?.text
    }

    /// The names of the cases that differ, without those of documents.
    static var names: [String] { reasons.flatMap(\.cases) }

    private struct Reason {
        let text: String
        let cases: [String]
    }

    private static let reasons = [
        Reason(
            text: "GIO passes the quotes to the program, or divides a name at its spaces: no value ends a word here",
            cases: [
                "Exec=rec -c 'view %f'", #"Exec=rec "%f""#, "Exec=rec '%f'", #"Exec=rec "%F" x"#, #"Exec=rec "%u""#,
                #"Exec=rec "--file=%f""#, "Exec=rec '--file=%f'", #"Exec=rec "%c" %f"#,
            ]
        ),
        Reason(
            text: "to GIO, the document is a part of the comment at the end of the line, so that nothing opens",
            cases: ["Exec=rec #c %f", "Exec=rec # c"]
        ),
        Reason(
            text: "Desktop Entry Specification, %i: nothing if the icon is empty",
            cases: ["file: no icon"]
        ),
        Reason(
            text: "GIO chooses an app that it cannot start; the next one is asked here",
            cases: ["file: a Latin-1 Exec"]
        ),
        Reason(
            text: "GLib of Debian 12 does not know the terminal that the system or the user has chosen",
            cases: ["terminal: xdg-terminal-exec", "terminal: x-terminal-emulator", "terminal: foot"]
        ),
        Reason(
            text: "GIO knows an app only after update-desktop-database has run",
            cases: ["place: no cache, so no app"]
        ),
        Reason(
            text: "Desktop Entry Specification, Hidden: the user has deleted the app",
            cases: ["place: deleted, and still the default"]
        ),
    ]
}
