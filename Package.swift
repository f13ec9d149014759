// swift-tools-version: 6.2
import PackageDescription

/// The path of libFuzzer if the package is built for fuzzing (Tests/Fuzz/run); nil otherwise.
let fuzzerLibrary = Context.environment["HANDOFF_FUZZER_LIBRARY"]

let fuzzing: [SwiftSetting] = fuzzerLibrary == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer,address"])]

// The settings that all Swift targets share (CONTRIBUTING.md, "Settings").
let commonSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The settings of all targets except the library for apps: with NonisolatedNonsendingByDefault, its protocols would
// take the main actor away from the types that conform to them (Docs/Decisions/0020).
let settings = commonSettings + fuzzing + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// A library target of this package: `Sources/<name>`, without the excluded paths, which are not compiled.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], excluding: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(name)",
        exclude: excluding,
        swiftSettings: settings
    )
}

/// A library for tests only: `Tests/Support/<name>`.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: settings)
}

/// A test target: `Tests/Unit/<name>`, or at `path`; each of its suites declares a time limit for its tests.
func tests(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    path: String? = nil,
    excluding: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: ["TestLimits", "TestRuns"] + dependencies,
        path: path ?? "Tests/Unit/\(name)",
        exclude: excluding,
        swiftSettings: settings
    )
}

/// An executable: `Sources/<name>`.
func program(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

/// For a program that is to need little memory (Docs/Measurements.md): the linker of Swift's toolchain leaves more out that
/// is not used, keeps one of functions that are the same, and writes relocations in a tenth of the space (glibc 2.36).
let smallProgram: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=safe"],
        .when(configuration: .release)
    )
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let orderedCollections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
// What CryptoExtras depends on: a package that is named only for its version would be reported as unused.
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// Whether the window is part of the package (Docs/Decisions/0037): it needs the headers of libadwaita.
let hasWindow = Context.environment["HANDOFF_WINDOW"] == "1"

/// The program `handoff`, and the module map of what it is made with.
let windowTargets: [Target] = [
    .systemLibrary(
        name: "CAdwaita",
        path: "Sources/CAdwaita",
        pkgConfig: "libadwaita-1",
        providers: [.apt(["libadwaita-1-dev"])]
    ),
    .executableTarget(
        name: "handoff",
        dependencies: ["AsyncSupport", "CAdwaita", "HandoffBus", "HandoffWindow"],
        path: "Sources/handoff",
        resources: [.embedInCode("window.ui")],
        swiftSettings: settings
    ),
]

// The layers, bottom up. Only modules with Handoff in their name may depend on modules of Handoff.
let package = Package(
    name: "handoffd",
    products: [
        .executable(name: "handoffd", targets: ["handoffd"]),
        .executable(name: "handoffctl", targets: ["handoffctl"]),
        .executable(name: "handoff-browser-host", targets: ["handoff-browser-host"]),
        .executable(name: "handoff-desktop", targets: ["handoff-desktop"]),
        .library(name: "HandoffKit", targets: ["HandoffKit"]),
        // For tests: preloaded into programs whose clock is to differ.
        .library(name: "ShiftedClock", type: .dynamic, targets: ["ShiftedClock"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        // What these depend on. Packaging/dependencies compares what is resolved with what was examined.
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    ],
    targets: [
        // C: module maps and shims of system libraries.
        .systemLibrary(
            name: "CDBus",
            path: "Sources/CDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .systemLibrary(
            name: "CBluetooth",
            path: "Sources/CBluetooth",
            providers: [.apt(["libbluetooth-dev"])]
        ),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

        // What Swift's concurrency lacks; without dependencies, so that every other module can use it.
        module("AsyncSupport"),

        // Bindings: reusable, without knowledge of Handoff.
        module("Bluetooth"),
        module("Epoll", ["AsyncSupport", "CLinux", system]),
        module("DBus", ["AsyncSupport", "CDBus", "CLinux", "Epoll", deque, heap, orderedCollections, system]),
        module("BlueZ", ["AsyncSupport", "Bluetooth", "CBluetooth", "CLinux", "DBus", "Epoll", system]),
        module("TaskThreads", ["AsyncSupport", "CLinux", "Epoll", deque, heap]),

        // The interface between the core and the radios.
        module("HandoffRadio", ["Bluetooth"]),

        // Pure core: no clock, socket, task or log.
        module("HandoffModel"),
        module(
            "HandoffWire",
            ["Bluetooth", "HandoffModel", protobuf],
            excluding: ["Protocol/Circle.proto", "Protocol/Handoff.proto", "Protocol/Pairing.proto"]
        ),
        module("HandoffCrypto", ["HandoffModel", crypto]),
        module("HandoffCore", ["Bluetooth", "HandoffModel", "HandoffWire", "HandoffCrypto", "HandoffRadio"]),

        // Adapters.
        module(
            "HandoffRadioBlueZ",
            ["AsyncSupport", "Bluetooth", "BlueZ", "DBus", "Epoll", "HandoffRadio", logging, system]
        ),
        module("HandoffRadioSimulated", ["AsyncSupport", "Bluetooth", "HandoffRadio", "Epoll", "CLinux", system]),
        module("HandoffBus", ["AsyncSupport", "CLinux", "DBus", "Epoll", "HandoffModel", system]),
        module("HandoffClient", ["AsyncSupport", "DBus", "HandoffBus", "HandoffModel"]),
        // Beside HandoffBus, because it needs Foundation, which a program that rests does without.
        module("HandoffJSON", ["HandoffBus", "HandoffModel"]),
        module("HandoffApps", ["HandoffModel"]),
        module("HandoffBrowser", ["HandoffModel"]),

        // The library for apps; the only module with a public interface.
        .target(
            name: "HandoffKit",
            dependencies: ["AsyncSupport", "DBus", "Epoll", "HandoffApps", "HandoffBus", "HandoffModel", system],
            path: "Sources/HandoffKit",
            swiftSettings: commonSettings
        ),

        // Composition.
        module(
            "HandoffDaemon",
            [
                "AsyncSupport", "Bluetooth", "CLinux", "DBus", "Epoll", "HandoffApps", "HandoffBus", "HandoffCore",
                "HandoffCrypto", "HandoffJSON", "HandoffModel", "HandoffRadio", "HandoffWire", deque, logging, system,
            ]
        ),
        module(
            "HandoffCLI",
            [
                "AsyncSupport", "Bluetooth", "BlueZ", "CLinux", "DBus", "Epoll", "HandoffApps", "HandoffBrowser",
                "HandoffBus", "HandoffClient", "HandoffCrypto", "HandoffJSON", "HandoffModel", argumentParser, crypto,
                system,
            ]
        ),
        module(
            "HandoffDesktop",
            ["AsyncSupport", "DBus", "Epoll", "HandoffApps", "HandoffBus", "HandoffClient", "HandoffModel", system]
        ),
        program(
            "handoffd",
            [
                "Epoll", "HandoffBus", "HandoffDaemon", "HandoffRadioBlueZ", "HandoffRadioSimulated", "TaskThreads",
                argumentParser,
            ]
        ),
        program("handoffctl", ["HandoffCLI", argumentParser]),
        program(
            "handoff-browser-host",
            [
                "AsyncSupport", "DBus", "Epoll", "HandoffBrowser", "HandoffBus", "HandoffClient", "HandoffKit",
                "HandoffModel", system,
            ]
        ),
        .executableTarget(
            name: "handoff-desktop",
            dependencies: ["AsyncSupport", "CLinux", "DBus", "Epoll", "HandoffBus", "HandoffDesktop", "TaskThreads"],
            path: "Sources/handoff-desktop",
            swiftSettings: settings,
            linkerSettings: smallProgram
        ),

        module("HandoffWindow", ["AsyncSupport", "CLinux", "DBus", "HandoffBus", "HandoffClient", "HandoffModel"]),

        // The sample app, which depends only on the library for apps.
        .executableTarget(
            name: "monkeybrowser",
            dependencies: ["HandoffKit"],
            path: "Examples/MonkeyBrowser",
            exclude: ["README.md", "org.handoffd.MonkeyBrowser.desktop", "org.handoffd.MonkeyBrowser.service"],
            swiftSettings: settings
        ),

        // The editor of the tutorial, as its last step has it.
        .executableTarget(
            name: "editor",
            dependencies: ["HandoffKit"],
            path: "Examples/Editor",
            exclude: ["README.md"],
            swiftSettings: commonSettings
        ),

        // Tests: one target per module, and shared libraries.
        support("TestRuns", ["AsyncSupport"]),
        support("TestLimits", ["TestRuns"]),
        support("HandoffTestSupport", ["AsyncSupport", "DBus", "TestRuns"]),
        support("BlueZTestSupport", ["AsyncSupport", "Bluetooth", "BlueZ", "DBus", "TestRuns"]),
        support("HandoffTestVectors"),
        support("HandoffSessionVectors", ["HandoffCrypto", "HandoffTestVectors"]),
        support("HandoffRadioConformance", ["AsyncSupport", "Bluetooth", "HandoffRadio", "TestRuns"]),
        support("HandoffAttackModel", [asn1, crypto, cryptoExtras]),
        .target(name: "ShiftedClock", path: "Tests/Support/ShiftedClock"),
        .executableTarget(
            name: "radio-conformance",
            dependencies: [
                "AsyncSupport", "Bluetooth", "BlueZ", "DBus", "HandoffRadio", "HandoffRadioBlueZ",
                "HandoffRadioConformance", logging, system,
            ],
            path: "Tests/Support/radio-conformance",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fake-bluetoothd",
            dependencies: ["BlueZTestSupport", "DBus"],
            path: "Tests/Support/fake-bluetoothd",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "handoff-bench",
            dependencies: [
                "DBus", "HandoffCore", "HandoffCrypto", "HandoffModel", "HandoffTestSupport", "HandoffWire",
                argumentParser, crypto, cryptoExtras,
            ],
            path: "Tests/Benchmarks",
            exclude: ["kdeconnect.py", "resting.py"],
            swiftSettings: settings
        ),
        tests("TestLimitsTests", ["AsyncSupport"]),
        tests("DBusTests", ["AsyncSupport", "DBus", "Epoll", "HandoffTestSupport"]),
        tests("BluetoothTests", ["Bluetooth"]),
        tests(
            "BlueZTests",
            [
                "Bluetooth", "BlueZ", "BlueZTestSupport", "CBluetooth", "CLinux", "DBus", "Epoll", "HandoffTestSupport",
                system,
            ]
        ),
        tests("EpollTests", ["Epoll", "CLinux", system]),
        tests("TaskThreadsTests", ["AsyncSupport", "CLinux", "Epoll", "TaskThreads"]),
        tests("AsyncSupportTests", ["AsyncSupport"]),
        tests(
            "HandoffRadioBlueZTests",
            [
                "AsyncSupport", "Bluetooth", "BlueZ", "BlueZTestSupport", "DBus", "HandoffAttackModel", "HandoffRadio",
                "HandoffRadioBlueZ", "HandoffTestSupport", "HandoffTestVectors", logging, system,
            ]
        ),
        tests("HandoffModelTests", ["HandoffModel", "HandoffTestVectors"]),
        tests(
            "HandoffWireTests",
            [
                "Bluetooth", "HandoffCrypto", "HandoffModel", "HandoffSessionVectors", "HandoffTestVectors",
                "HandoffWire",
            ]
        ),
        tests(
            "HandoffCryptoTests",
            ["HandoffCrypto", "HandoffModel", "HandoffTestVectors", crypto],
            excluding: ["Python"]
        ),
        tests(
            "HandoffCoreTests",
            [
                "Bluetooth", "HandoffCore", "HandoffCrypto", "HandoffModel", "HandoffRadio", "HandoffSessionVectors",
                "HandoffTestVectors", "HandoffWire",
            ]
        ),
        tests(
            "HandoffAttackTests",
            [
                "Bluetooth", "HandoffAttackModel", "HandoffCore", "HandoffCrypto", "HandoffModel", "HandoffRadio",
                "HandoffTestVectors", "HandoffWire",
            ],
            path: "Tests/Attacks"
        ),
        tests(
            "HandoffBusTests",
            [
                "AsyncSupport", "DBus", "HandoffBus", "HandoffClient", "HandoffModel", "HandoffTestSupport",
                "HandoffTestVectors", system,
            ]
        ),
        tests("HandoffClientTests", ["DBus", "HandoffBus", "HandoffClient"]),
        tests(
            "HandoffAppsTests",
            ["HandoffApps", "HandoffModel", "HandoffTestSupport", "HandoffTestVectors", "Epoll", system],
            excluding: ["GIO"]
        ),
        tests("HandoffBrowserTests", ["HandoffApps", "HandoffBrowser", "HandoffModel", "HandoffTestVectors", crypto]),
        tests(
            "HandoffKitTests",
            ["AsyncSupport", "DBus", "Epoll", "HandoffBus", "HandoffKit", "HandoffModel", "HandoffTestSupport"]
        ),
        tests(
            "DocumentationTests",
            [
                "DBus", "HandoffBrowser", "HandoffBus", "HandoffCLI", "HandoffClient", "HandoffDaemon",
                "HandoffDesktop",
                "HandoffJSON", "HandoffModel", "HandoffTestSupport", "HandoffWindow",
            ]
        ),
        tests(
            "HandoffDaemonTests",
            [
                "AsyncSupport", "Bluetooth", "DBus", "Epoll", "HandoffApps", "HandoffAttackModel", "HandoffBus",
                "HandoffCore", "HandoffCrypto", "HandoffDaemon", "HandoffModel", "HandoffRadio",
                "HandoffRadioSimulated", "HandoffTestSupport", "HandoffTestVectors", "HandoffWire", logging, system,
            ]
        ),
        tests("HandoffWindowTests", ["DBus", "HandoffBus", "HandoffClient", "HandoffWindow"]),
        tests(
            "HandoffDesktopTests",
            [
                "DBus", "Epoll", "HandoffBus", "HandoffClient", "HandoffDesktop", "HandoffModel", "HandoffTestSupport",
                system,
            ]
        ),
        tests(
            "HandoffCLITests",
            [
                "Bluetooth", "BlueZ", "CLinux", "DBus", "HandoffBrowser", "HandoffBus", "HandoffCLI", "HandoffCore",
                "HandoffJSON", "HandoffModel", "HandoffTestVectors", argumentParser,
            ]
        ),
        tests(
            "HandoffEndToEndTests",
            [
                "AsyncSupport", "Bluetooth", "BlueZTestSupport", "DBus", "editor", "Epoll", "handoff-browser-host",
                "handoff-desktop", "HandoffAttackModel", "HandoffBrowser", "HandoffBus", "HandoffCore", "HandoffCrypto",
                "handoffctl", "handoffd", "HandoffKit", "HandoffModel", "HandoffRadio", "HandoffRadioConformance",
                "HandoffRadioSimulated", "HandoffTestSupport", "HandoffWire", "monkeybrowser", system,
            ],
            path: "Tests/EndToEnd"
        ),
        tests(
            "HandoffRadioSimulatedTests",
            [
                "Bluetooth", "HandoffRadioSimulated", "HandoffRadioConformance", "HandoffRadio", "HandoffTestSupport",
                "Epoll", system,
            ],
            excluding: ["station.py"]
        ),
    ]
)

if let fuzzerLibrary {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "handoff-fuzz",
            dependencies: [
                "AsyncSupport", "Bluetooth", "BlueZ", "CDBus", "CFuzzer", "DBus", "HandoffApps", "HandoffBrowser",
                "HandoffBus", "HandoffCore", "HandoffCrypto", "HandoffDaemon", "HandoffJSON", "HandoffModel",
                "HandoffRadioBlueZ",
                "HandoffWire", logging, system,
            ],
            path: "Tests/Fuzz/Program",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags([fuzzerLibrary, "-lstdc++"])]
        ),
    ]
}

if hasWindow {
    package.products.append(.executable(name: "handoff", targets: ["handoff"]))
    package.targets += windowTargets
}
