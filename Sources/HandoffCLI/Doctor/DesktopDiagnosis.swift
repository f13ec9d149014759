import HandoffBus

/// The part of the judgement that concerns the system and the desktop around the daemon.
enum DesktopDiagnosis {
    /// Returns what keeps activities from being noticed or opened here.
    static func findings(from facts: DoctorFacts) -> [Finding] {
        var findings: [Finding] = []
        if facts.isClockSynchronized == false {
            findings.append(
                .advice(
                    "clock",
                    "The clock does not follow a time server. Devices whose clocks differ by more than 15 minutes do not "
                        + "hear each other.",
                    cure: "sudo timedatectl set-ntp true"
                )
            )
        }
        if let instances = facts.inotifyInstances, instances < 128 {
            findings.append(
                .advice(
                    "inotify",
                    "The system allows \(instances) inotify instances, which programs that watch files use up; then new apps "
                        + "and documents are not noticed.",
                    cure: "sudo sysctl fs.inotify.max_user_instances=256"
                )
            )
        }
        if !facts.hasNotificationServer {
            findings.append(
                .advice(
                    "notifications",
                    "No notification server is on this bus, so that nothing tells you what can be continued here.",
                    cure: "use a desktop, or install and start dunst"
                )
            )
        }
        if facts.notifiesWithButtons == false {
            findings.append(
                .advice(
                    "notifications",
                    "The notification server shows no buttons, so that nothing can be continued or answered in a notification.",
                    cure: "handoffctl continue; or use another notification server, such as dunst"
                )
            )
        }
        return findings + browserFindings(facts) + appFindings(facts)
    }

    private static func browserFindings(_ facts: DoctorFacts) -> [Finding] {
        guard facts.opensWebpages || !facts.hasPortal else {
            return [
                .advice(
                    "browser",
                    "xdg-open is not there, and the desktop portal may refuse to open web pages for handoffd.",
                    cure: "sudo apt install xdg-utils"
                )
            ]
        }
        guard facts.opensWebpages else {
            return [
                .advice(
                    "browser",
                    "Neither the desktop portal nor xdg-open is there, so that web pages cannot be opened.",
                    cure: "sudo apt install xdg-utils"
                )
            ]
        }
        guard let browser = facts.defaultBrowser else {
            return [
                .advice(
                    "browser",
                    "No default browser is set, so that it is not known where a web page opens.",
                    cure: "xdg-settings set default-web-browser NAME.desktop"
                )
            ]
        }
        return [.good("browser", "Web pages open in \(browser), or in the app that claims them.")]
    }

    private static func appFindings(_ facts: DoctorFacts) -> [Finding] {
        guard case .running(let answers) = facts.daemon else { return [] }
        let apps: Finding =
            switch answers.appCount {
            case 0: .good("apps", "No app here takes activities itself; pages and documents open in their usual apps.")
            case 1: .good("apps", "1 app continues activities here.")
            default: .good("apps", "\(answers.appCount) apps continue activities here.")
            }
        let faults = answers.faultyFiles.map { fault in
            Finding.fault("app-file", "\(fault.file): \(fault.message)", cure: "mend it; handoffctl apps --check")
        }
        return [apps] + faults + answers.folderProblems.map { .fault("folder", $0, cure: "handoffctl folders") }
    }
}
