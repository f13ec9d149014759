package import Bluetooth
package import HandoffWire

extension AdvertisementPayload {
    /// Creates the payload of an advertisement, with the port at which its activity can be fetched.
    package init(_ broadcast: AdvertisementPacer.Broadcast, port: LEPSM) {
        let (webpage, document) =
            switch broadcast.content {
            case .activity(_, let hasWebpage, let hasDocument): (hasWebpage, hasDocument)
            case .withdrawal: (false, false)
            }
        self.init(
            hasWebpage: webpage,
            hasDocument: document,
            port: port,
            typeHash: broadcast.content.activity?.typeHash,
            number: broadcast.number
        )
    }
}
