package import DBus

extension Interface {
    /// Returns the same interface, whose methods are performed for one caller only.
    ///
    /// - Parameter caller: returns the unique name of the caller; nil while there is none.
    package func onlyCalled(by caller: @escaping @Sendable () -> BusName?) -> Interface {
        let methods = methods.map { method in
            method.handled { invocation in
                guard let caller = caller(), caller == invocation.sender else {
                    throw DBusError.failure(.accessDenied, "only handoffd calls this object")
                }
                return try method.handler(invocation)
            }
        }
        return Interface(name: name, methods: methods, properties: properties, signals: signals)
    }
}
