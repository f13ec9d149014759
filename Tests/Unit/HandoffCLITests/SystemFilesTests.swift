import Foundation
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("doctor reads the files of the system", .endsWithin(minutes: 10))
struct SystemFilesTests {
    /// The devices of a computer in sysfs: what the adapter and the Wi-Fi device are, and whether they are taken for one.
    static let radios: [(adapter: [String: String], wireless: [String: String], isOne: Bool)] = [
        (["idVendor": "8087\n"], ["vendor": "0x8086\n"], true),
        (["idVendor": "0bda\n"], ["vendor": "0x10EC\n"], true),
        (["device/of_node/compatible": "brcm,bcm43438-bt"], ["vendor": "0x02d0\n"], true),
        // A dongle of another maker, one of an unknown maker, and devices that tell nothing.
        (["idVendor": "0a12\n"], ["vendor": "0x8086\n"], false),
        (["idVendor": "8087\n"], ["vendor": "0x10ec\n"], false),
        (["idVendor": "8087\n"], [:], false), ([:], ["vendor": "0x8086\n"], false), ([:], [:], false),
    ]

    @Test("Bluetooth and Wi-Fi of one maker are taken for one chip", arguments: radios)
    func radio(_ devices: (adapter: [String: String], wireless: [String: String], isOne: Bool)) throws {
        try withRoot { files, write in
            // A directory takes the place of the link to the interface of a USB device.
            try write("/sys/class/bluetooth/hci0/device/uevent", "")
            for (file, text) in devices.adapter { try write("/sys/class/bluetooth/hci0/\(file)", text) }
            for (file, text) in devices.wireless { try write("/sys/class/net/wlan0/device/\(file)", text) }
            #expect(files.sharesRadio(adapter: "hci0", interface: "wlan0") == devices.isOne)
        }
    }

    @Test("Parts of one USB device are one chip, whoever made it; those of two are not")
    func usbDevice() throws {
        try withRoot { files, write in
            for device in ["1-7", "1-8"] {
                try write("/sys/devices/\(device)/idVendor", "13d3\n")
                for part in ["1.0", "1.2"] { try write("/sys/devices/\(device)/\(device):\(part)/authorized", "1\n") }
            }
            for (name, part) in [
                ("bluetooth/hci0", "1-7/1-7:1.0"), ("net/wlan0", "1-7/1-7:1.2"), ("net/wlan1", "1-8/1-8:1.2"),
            ] {
                try write("/sys/class/\(name)/uevent", "")
                let link = "\(files.root)/sys/class/\(name)/device"
                try FileManager.default.createSymbolicLink(
                    atPath: link,
                    withDestinationPath: "\(files.root)/sys/devices/\(part)"
                )
            }
            #expect(files.sharesRadio(adapter: "hci0", interface: "wlan0"))
            #expect(!files.sharesRadio(adapter: "hci0", interface: "wlan1"))
        }
    }

    @Test("The files of the system are read, and those that are not there tell nothing")
    func systemFiles() throws {
        try withRoot(systemFiles)
    }

    /// Runs `body` with a root directory and a function that writes into it.
    private func withRoot(_ body: (SystemFiles, (String, String) throws -> Void) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: root) }
        func write(_ path: String, _ text: String) throws {
            let path = root + path
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        try body(SystemFiles(root: root, environment: ["HOME": "/home/ann", "PATH": "/usr/bin"]), write)
    }

    private func systemFiles(_ files: SystemFiles, _ write: (String, String) throws -> Void) throws {
        #expect(files.bluetoothSwitches == [])
        #expect(files.inotifyInstances == nil)
        #expect(files.isSuspendedWhenIdle("hci0") == nil)
        #expect(files.stateDirectory?.mode == nil)
        #expect(!files.hasProgram("xdg-open"))
        #expect(files.attChannels == nil)
        try write("/sys/class/rfkill/rfkill0/type", "wlan\n")
        for (file, text) in [("type", "bluetooth\n"), ("soft", "1\n"), ("hard", "0\n")] {
            try write("/sys/class/rfkill/rfkill1/\(file)", text)
        }
        try write("/proc/sys/fs/inotify/max_user_instances", "128\n")
        try write("/home/ann/.local/state/handoff/identity", "key")
        try write(
            "/etc/bluetooth/main.conf",
            "[General]\nChannels = 9\n[GATT]\n#Channels = 3\nChannels = 2\n[LE]\nChannels = 7\n"
        )
        #expect(files.attChannels == 2)
        #expect(
            files.bluetoothSwitches == [.init(name: "rfkill1", isSoftBlocked: true, isHardBlocked: false)]
        )
        #expect(files.inotifyInstances == 128)
        #expect(files.stateDirectory?.hasIdentity == true)
    }
}
