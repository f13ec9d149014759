private import Glibc

/// A question to the person at the terminal, before something that cannot be undone.
struct Confirmation {
    let output: Output

    /// Whether there is somebody to ask: standard input is a terminal, and the output is for people.
    var canAsk: Bool { isatty(STDIN_FILENO) != 0 && !output.isJSON }

    /// Asks a question; returns whether the answer is yes.
    ///
    /// Everything else, and no answer, is a no.
    func agrees(_ question: String) -> Bool {
        output.note("\(question) Type yes, or anything else for no.")
        return ["y", "yes"].contains(readLine()?.trimming.lowercased())
    }
}

extension String {
    fileprivate var trimming: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
