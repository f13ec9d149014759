import Bluetooth
import TestLimits
import Testing

@Suite("A dynamic PSM", .endsWithin(minutes: 10))
struct LEPSMTests {
    @Test("is one of 128, and seven bits tell them apart")
    func all() {
        #expect(LEPSM.allCases.map(\.number) == Array(0x80...0xFF))
        for psm in LEPSM.allCases {
            #expect(LEPSM(exactly: psm.number) == psm)
            #expect(LEPSM(lowSevenBits: psm.lowSevenBits) == psm)
        }
    }

    @Test("is not a fixed one, nor what no LE channel has", arguments: [-1, 0, 0x7F, 0x100, 0x1080])
    func refused(_ number: Int) {
        #expect(LEPSM(exactly: number) == nil)
    }

    @Test("is written with its base")
    func description() {
        #expect(LEPSM(exactly: 0x80)?.description == "0x80")
    }
}
