// swift-tools-version: 6.2
import PackageDescription

// The one list of settings that every Swift target shares.
// Docs/Contributing.md says what each of them buys.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A library target of this package: `Sources/<name>`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

/// A library that only tests use: `Tests/Support/<name>`.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: settings)
}

/// A test target: `Tests/<name>`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// An executable: `Sources/<name>`.
func program(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let collections = Target.Dependency.product(name: "Collections", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// The layers, bottom up. A name WITH Handoff may know Handoff; a name WITHOUT may not.
let package = Package(
    name: "handoffd",
    products: [
        .executable(name: "handoffd", targets: ["handoffd"]),
        .executable(name: "handoffctl", targets: ["handoffctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C: module maps and shims over system libraries.
        .systemLibrary(
            name: "CDBus",
            path: "Sources/CDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .systemLibrary(
            name: "CBluetooth",
            path: "Sources/CBluetooth",
            pkgConfig: "bluez",
            providers: [.apt(["libbluetooth-dev"])]
        ),

        // Bindings: reusable, ignorant of Handoff.
        module("DBus", ["CDBus", collections]),
        module("BlueZ", ["DBus"]),
        module("L2CAP", ["CBluetooth", system]),

        // Pure core: no clock, socket, task or log.
        module("HandoffModel"),
        module("HandoffWire", ["HandoffModel", protobuf]),
        module("HandoffCrypto", [crypto, cryptoExtras]),
        module("HandoffCore", ["HandoffModel", "HandoffWire", "HandoffCrypto", collections]),

        // Ports and adapters.
        module("HandoffRadio"),
        module("HandoffRadioBlueZ", ["HandoffRadio", "BlueZ", "DBus", "L2CAP", "Epoll", logging, system]),
        module("HandoffRadioSimulated", ["HandoffRadio", system]),
        module("HandoffBus", ["HandoffModel", "DBus"]),

        // Composition.
        module(
            "HandoffDaemon",
            [
                "HandoffCore", "HandoffRadio", "HandoffBus", "DBus", "HandoffCrypto", "HandoffModel", "HandoffWire",
                logging, lifecycle, system,
            ]
        ),
        module("HandoffCLI", ["HandoffBus", "HandoffModel", "DBus", argumentParser]),
        program(
            "handoffd",
            [
                "HandoffDaemon", "HandoffRadio", "HandoffRadioBlueZ", "HandoffRadioSimulated", "DBus", argumentParser,
                logging,
            ]
        ),
        program("handoffctl", ["HandoffCLI"]),

        // Tests: one target per module, and what they share.
        support("HandoffTestSupport", ["DBus"]),
        support("HandoffRadioConformance", ["HandoffRadio"]),
        .executableTarget(
            name: "radio-conformance",
            dependencies: [
                "HandoffRadioConformance", "HandoffRadioBlueZ", "HandoffRadio", "BlueZ", "DBus", logging, system,
            ],
            path: "Tests/Support/radio-conformance",
            swiftSettings: settings
        ),
        tests("DBusTests", ["DBus", "HandoffTestSupport"]),
        tests("BlueZTests", ["BlueZ", "DBus", "HandoffTestSupport"]),
        tests("L2CAPTests", ["L2CAP", "HandoffTestSupport"]),
        tests("HandoffModelTests", ["HandoffModel"]),
        tests("HandoffWireTests", ["HandoffWire", "HandoffModel"]),
        tests("HandoffCryptoTests", ["HandoffCrypto"]),
        tests("HandoffCoreTests", ["HandoffCore", "HandoffModel", "HandoffWire", "HandoffCrypto"]),
        tests("HandoffRadioBlueZTests", ["HandoffRadioBlueZ", "HandoffRadio", "BlueZ", "DBus", "L2CAP", system]),
        tests("HandoffRadioSimulatedTests", ["HandoffRadioSimulated", "HandoffRadioConformance", "HandoffRadio"]),
    ]
)
