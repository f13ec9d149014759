import Bluetooth
import TestLimits
import Testing

@Suite("A dynamic PSM", .endsWithin(minutes: 10))
struct LEPSMTests {
    @Test("is one of 31, or that which stands for none, and five bits tell them apart")
    func all() {
        #expect(LEPSM.allCases.map(\.number) == Array(0x80...0x9E) + [0xFF])
        for psm in LEPSM.allCases {
            #expect(LEPSM(exactly: psm.number) == psm)
            #expect(LEPSM(lowFiveBits: psm.lowFiveBits) == psm)
        }
    }

    @Test(
        "is not a fixed one, nor one that no advertisement can name",
        arguments: [-1, 0, 0x7F, 0x9F, 0xFE, 0x100, 0x1080]
    )
    func refused(_ number: Int) {
        #expect(LEPSM(exactly: number) == nil)
    }

    @Test("is written with its base")
    func description() {
        #expect(LEPSM(exactly: 0x80)?.description == "0x80")
    }
}
