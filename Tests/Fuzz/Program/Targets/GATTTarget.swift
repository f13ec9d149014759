import AsyncSupport
import Bluetooth
import DBus

@testable import BlueZ
@testable import HandoffRadioBlueZ

/// Values that a connected device writes to the frame characteristic.
///
/// The first byte selects a side. For a listener, each chunk after it is a value, written by one of four devices; for a
/// caller, each is an answer.
struct GATTTarget: FuzzTarget {
    private static let port = LEPSM(lowFiveBits: 0x13)

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        if input.byte() & 1 == 0 {
            listen(&input)
        } else {
            call(&input)
        }
    }

    private func listen(_ input: inout FuzzInput) {
        let transport = GATTServerTransport(port: Self.port, places: CountingSemaphore(8))
        while !input.isEmpty {
            let device = "/org/bluez/hci0/dev_\(input.byte() & 3)"
            let value = input.chunk()
            if let frame = GATTFrame(value) { precondition(frame.bytes == value, "a frame has one encoding") }
            let request = GATTRequest(options: ["device": Value.objectPath(ObjectPath(trusted: device))].value)
            guard (try? transport.write(value, request)) != nil else { continue }
            guard let answer = try? transport.read(request), let frame = GATTFrame(answer) else {
                preconditionFailure("every frame is answered with a frame")
            }
            precondition(answer.prefix(5) == value.prefix(5), "the answer names the channel and the frame")
            precondition(Int(frame.window) <= GATTChannelBuffers.capacity, "no more is accepted than there is room for")
        }
        transport.close()
    }

    private func call(_ input: inout FuzzInput) {
        var buffers = GATTChannelBuffers()
        var number: UInt8 = 0
        var accepted = 0
        while !input.isEmpty {
            switch input.byte() & 7 {
            case 0: _ = buffers.send([UInt8](repeating: 1, count: 1 + Int(input.byte())))
            case 1:
                if case .success(let bytes?) = buffers.receive() { accepted -= bytes.count }
            case 2: buffers.close()
            default:
                let sent = buffers.nextFrame(channel: 1, number: number)
                precondition(sent.data.count <= GATTFrame.maximumDataLength, "a frame is not too long")
                number &+= 1
                guard let answer = GATTFrame(input.chunk()) else { continue }
                let isOver = buffers.isOver
                buffers.acceptAnswer(answer)
                precondition(!answer.flags.contains(.opening) || buffers.isOver, "a channel that is not there is lost")
                if !isOver, !buffers.isOver { accepted += answer.data.count }
            }
            precondition(accepted <= GATTChannelBuffers.capacity || buffers.isOver, "no more is kept than documented")
        }
    }
}
