/// The MIME types of documents that can start a program, install one or change the system when they are opened.
package enum ProgramTypes {
    /// Whether a document of a type can start a program.
    ///
    /// - Parameter hierarchy: the type, followed by its supertypes.
    package static func contains(_ hierarchy: [String]) -> Bool {
        hierarchy.contains { all.contains($0) || $0.hasPrefix("application/vnd.flatpak") }
    }

    /// The names are those of the shared MIME-info database, and older ones of the same formats.
    ///
    /// Types of scripts are listed although the database makes most of them subtypes of `application/x-executable`: a
    /// document must not depend on which database is installed.
    private static let all: Set<String> = [
        // Programs and libraries.
        "application/x-executable", "application/x-pie-executable", "application/x-sharedlib", "application/x-object",
        "application/vnd.appimage", "application/x-iso9660-appimage", "application/x-ms-dos-executable",
        "application/x-msdownload", "application/vnd.microsoft.portable-executable", "application/x-dosexec",
        "application/java-archive", "application/x-java-archive", "application/x-java-jnlp-file", "application/x-java",
        "application/wasm",
        // Scripts.
        "application/x-shellscript", "application/x-csh", "application/x-fishscript", "application/x-perl",
        "application/x-ruby", "application/x-python", "application/x-php", "application/x-powershell",
        "application/x-bat", "application/x-awk", "application/javascript", "text/javascript", "text/x-python",
        "text/x-python3", "text/x-lua", "text/x-tcl", "text/vbscript", "text/x-script.python",
        // Launchers: files that name a program.
        "application/x-desktop", "application/x-gnome-app-info", "application/x-kdelnk", "application/x-mswinurl",
        "application/x-ms-shortcut", "application/vnd.ms-htmlhelp",
        // Packages and installers.
        "application/vnd.debian.binary-package", "application/x-deb", "application/x-debian-package",
        "application/x-rpm", "application/x-redhat-package-manager", "application/vnd.snap", "application/x-msi",
        "application/vnd.android.package-archive", "application/vnd.appstream",
        // Images of disks, which desktops mount, and of which some start a program.
        "application/x-cd-image", "application/vnd.efi.iso", "application/x-raw-disk-image", "application/vnd.efi.img",
        "application/x-apple-diskimage", "application/vnd.squashfs",
    ]
}
