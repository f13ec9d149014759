/// The times and numbers that bound a request (Docs/Protocol.md, "Pairing").
extension PairingMachine {
    /// How long the search for another device lasts.
    package static let searchLimit = Duration.seconds(120)
    /// How long to wait for further devices after the first candidate.
    package static let candidateWindow = Duration.milliseconds(1500)
    /// How long to wait instead while devices that were heard have not introduced themselves.
    package static let maximumCandidateWindow = Duration.seconds(5)
    /// How long after a failure the same device is dialled again.
    package static let redialDelay = Duration.seconds(3)
    /// The maximum number of open channels.
    package static let maximumChannels = 8
    /// The maximum number of channels in one request, and of devices that are tracked.
    package static let maximumContacts = 32
}
