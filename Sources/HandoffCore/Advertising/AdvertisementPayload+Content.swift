package import Bluetooth
package import HandoffWire

extension AdvertisementPayload {
    /// Creates the payload that advertises `content`, with the port at which it can be fetched.
    package init(_ content: AdvertisementPacer.Content, port: LEPSM) {
        switch content {
        case .activity(let activity, let hasWebpage, let hasDocument):
            self.init(hasWebpage: hasWebpage, hasDocument: hasDocument, port: port, activity: activity)
        case .withdrawal: self.init(hasWebpage: false, port: port, activity: nil)
        }
    }
}
