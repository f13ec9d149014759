/// A program in whose window another one runs.
struct Terminal: Sendable {
    let program: String
    /// What comes before the command that it is to run.
    let options: [String]

    /// The first of the known ones that is installed; nil if none is.
    static func installed(in programs: SearchPath) -> Terminal? { known.first { programs.has($0.program) } }

    /// First what stands for the terminal that the user or the system has chosen (Default Terminal Execution Specification;
    /// Debian Policy 11.8.3); then those that GLib 2.74 knows, in its order; then those that take a command in the same way.
    private static let known = [
        Terminal(program: "xdg-terminal-exec", options: []),
        Terminal(program: "x-terminal-emulator", options: ["-e"]),
        Terminal(program: "gnome-terminal", options: ["--"]),
        Terminal(program: "mate-terminal", options: ["-x"]),
        Terminal(program: "xfce4-terminal", options: ["-x"]),
        Terminal(program: "kgx", options: ["-e"]),
        Terminal(program: "tilix", options: ["-e"]),
        Terminal(program: "konsole", options: ["-e"]),
        Terminal(program: "nxterm", options: ["-e"]),
        Terminal(program: "color-xterm", options: ["-e"]),
        Terminal(program: "rxvt", options: ["-e"]),
        Terminal(program: "dtterm", options: ["-e"]),
        Terminal(program: "xterm", options: ["-e"]),
        Terminal(program: "ptyxis", options: ["--"]),
        Terminal(program: "foot", options: []),
        Terminal(program: "kitty", options: []),
        Terminal(program: "alacritty", options: ["-e"]),
    ]
}
