import Bluetooth
import HandoffCore
import HandoffRadio

extension Engine {
    /// The planned advertisement.
    struct AdvertisingPlan: Hashable, Sendable {
        var advertisement: Advertisement?
        /// The content of the advertisement.
        var content: AdvertisementPacer.Content?
        /// Counts how often the radio has become usable, so that refused advertisements are tried again.
        var radioGeneration: UInt64
    }

    /// The planned scan.
    struct ScanningPlan: Hashable, Sendable {
        var effort: ScanPolicy.Effort
        var services: Set<BluetoothUUID> = [Engine.service]
        var radioGeneration: UInt64
    }

    /// The documents to be followed, and the folders in which they may be.
    struct DocumentPlan: Hashable, Sendable {
        var documents: [ActivityRegister.ID: String] = [:]
        var folders = SyncedFolders()
    }

    /// What there is to do about web sites: to check some, or to keep what has changed.
    struct SiteWork: Hashable, Sendable {
        /// Changes with what is known of sites.
        var version: UInt64
        /// Whether a check is due.
        var isDue: Bool
    }

    /// What the services have to do, as it follows from the state.
    struct Plans: Sendable {
        let advertising: AdvertisingPlan
        let scanning: ScanningPlan
        let documents: DocumentPlan
        /// What the person allows.
        let rules: Rules
        let siteWork: SiteWork
        /// Changes whenever fetches no longer have to wait for an app.
        let saveCompletions: UInt64
        /// Changes whenever an activity type was learnt.
        let learntTypes: UInt64
        /// How the clock was set since the last event; nil when it was not.
        let clockStep: ClockSteps.Step?
        /// The uptime at which the state changes by itself; nil if it does not.
        let deadline: Duration?
    }
}
