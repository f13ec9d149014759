/// The reason why a document cannot be shared or opened: a code for programs, a sentence for people.
package struct FolderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``FolderError``; a struct, so that codes can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A folder or a URL is malformed.
        package static let invalid = Code("invalid")
        /// The file is not in a synchronised folder.
        package static let notShared = Code("notShared")
        /// The file does not exist.
        package static let missing = Code("missing")
        /// This device has no folder of that id.
        package static let noSuchFolder = Code("noSuchFolder")
        /// The path leads out of its folder through a symbolic link.
        package static let outsideFolder = Code("leadsOut")
        /// The file system does not answer.
        package static let unresponsive = Code("silent")
        /// The URL is not one that another device may send.
        package static let foreign = Code("foreign")
    }

    package let code: Code

    /// What is wrong and what to do.
    package let message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
