extension Interface {
    /// Returns the same interface with the annotations that code generators of other languages need.
    ///
    /// qdbusxml2cpp (Qt 5 and 6) refuses an argument or a property of a container type that it does not know, unless an
    /// annotation names its C++ type. gdbus-codegen (GLib) leaves file descriptors out of a method without annotation.
    package func annotatedForCodeGenerators() -> Interface {
        Interface(
            name: name,
            methods: methods.map { $0.annotatedForCodeGenerators() },
            properties: properties.map { $0.annotatedForCodeGenerators() },
            signals: signals.map { $0.annotatedForCodeGenerators() },
            annotations: annotations
        )
    }
}

extension Method {
    fileprivate func annotatedForCodeGenerators() -> Method {
        var method = self
        method.annotations.merge(inputs.qtTypes("In") + outputs.qtTypes("Out")) { written, _ in written }
        if (inputs + outputs).contains(where: { $0.type == .unixFD }) {
            method.annotations["org.gtk.GDBus.C.UnixFD"] = "true"
        }
        return method
    }
}

extension SignalDescription {
    fileprivate func annotatedForCodeGenerators() -> SignalDescription {
        var signal = self
        // The arguments of a signal are outputs of the object.
        signal.annotations.merge(arguments.qtTypes("Out")) { written, _ in written }
        return signal
    }
}

extension Property {
    fileprivate func annotatedForCodeGenerators() -> Property {
        var property = self
        property.annotations[Array<Argument>.qtTypeName] = type.qtType
        return property
    }
}

extension [Argument] {
    fileprivate static var qtTypeName: String { "org.qtproject.QtDBus.QtTypeName" }

    /// The annotations for those arguments whose type has to be named; `direction` is `In` or `Out`.
    fileprivate func qtTypes(_ direction: String) -> [(String, String)] {
        enumerated().compactMap { index, argument in
            argument.type.qtType.map { ("\(Self.qtTypeName).\(direction)\(index)", $0) }
        }
    }
}

extension ValueType {
    /// The C++ type of Qt for dictionaries `a{sv}` and lists of them; nil for types that Qt knows by their signature.
    fileprivate var qtType: String? {
        switch description {
        case "a{sv}": "QVariantMap"
        case "aa{sv}": "QList<QVariantMap>"
        default: nil
        }
    }
}
