import Foundation
import HandoffApps
import HandoffBus
import HandoffCrypto
import HandoffJSON
import HandoffModel

/// The text of a card.
struct CardTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        guard let card = try? CardText(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
        precondition((try? CardText(parsing: card.text)) == card, "a card survives encoding")
    }
}

/// Addresses, identifiers, dates and names, of this device and of others.
struct AddressTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let url = try? FileURL(text) {
            precondition((try? FileURL(url.description)) == url, "a file URL survives writing")
        }
        if let url = try? FolderURL(text) {
            precondition((try? FolderURL(url.description)) == url, "a folder URL survives writing")
            precondition(
                !url.components.contains { $0.isEmpty || $0 == [0x2E] || $0 == [0x2E, 0x2E] },
                "it stays inside"
            )
        }
        if let url = try? WebpageURL(text) {
            precondition(Array(url.rawValue.utf8) == Array(text.utf8), "an address is kept unchanged")
        }
        if let timestamp = try? Timestamp(text) {
            precondition((try? Timestamp(timestamp.description)) == timestamp, "a date survives writing")
        }
        _ = try? ActivityType(text)
        _ = try? DeviceID(text)
        _ = try? FolderID(text)
        name(text)
    }

    private func name(_ text: String) {
        let id = DeviceID(number: 1)
        let name = DeviceName(cleaning: text, of: id)
        precondition((1...DeviceName.maximumBytes).contains(name.rawValue.utf8.count), "a name has 1 to 64 bytes")
        let again = DeviceName(cleaning: name.rawValue, of: id)
        precondition(again.rawValue.utf8.elementsEqual(name.rawValue.utf8), "cleaning twice is cleaning once")
        precondition((try? DeviceName(name.rawValue)) == name, "a cleaned name can be sent")
    }
}

/// userInfo as JSON, on the command line.
struct JSONTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        guard let values = try? JSONDecoder().decode([String: UserInfoJSON].self, from: Data(bytes)),
            let encoded = try? JSONEncoder().encode(values)
        else { return }
        let again = try? JSONDecoder().decode([String: UserInfoJSON].self, from: encoded)
        precondition(again == values, "userInfo survives writing")
    }
}

/// Desktop files, command lines and MIME types, as any package may install them.
struct DesktopTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let line = try? ExecLine(text) {
            precondition(!line.program.isEmpty, "a command line has a program")
            _ = line.arguments(url: "https://example.org/")
            if let file = try? FileURL(path: Array("/a b".utf8)) { _ = line.arguments(opening: file) }
        }
        for entry in [try? DesktopEntry(text), DesktopEntry(asDesktopsRead: text)].compactMap(\.self) {
            _ = try? App(id: "a", entry)
            _ = DocumentApp(id: "a", entry)
        }
        _ = MediaTypeAppList(text)
        _ = MediaTypes(text, magic: bytes).type(ofFileNamed: "report.tar.gz") { bytes }
        let ancestors = MediaTypeHierarchy(text).of("text/plain")
        precondition(Set(ancestors).count == ancestors.count, "each ancestor is named once")
    }
}
