extension Interface {
    /// Returns the same interface, with what `reply` returns in place of each error that a handler or a setter throws.
    ///
    /// - Parameter reply: converts the errors of the object's own modules to errors with a D-Bus name.
    package func mappingErrors(_ reply: @escaping @Sendable (any Error) -> any Error) -> Interface {
        Interface(
            name: name,
            methods: methods.map { $0.mappingErrors(reply) },
            properties: properties.map { $0.mappingErrors(reply) },
            signals: signals,
            annotations: annotations
        )
    }
}

extension Method {
    fileprivate func mappingErrors(_ reply: @escaping @Sendable (any Error) -> any Error) -> Method {
        let handler = handler
        return handled { invocation in
            do { return try handler(invocation).mappingErrors(reply) } catch { throw reply(error) }
        }
    }
}

extension MethodResult {
    /// The same, with what `reply` returns in place of an error that comes later.
    fileprivate func mappingErrors(_ reply: @escaping @Sendable (any Error) -> any Error) -> MethodResult {
        func mapping(_ answer: @escaping @Sendable () async throws -> [Value]) -> @Sendable () async throws -> [Value] {
            { do { return try await answer() } catch { throw reply(error) } }
        }
        return switch self {
        case .reply: self
        case .deferred(let answer): .deferred(mapping(answer))
        case .ordered(let answer): .ordered(mapping(answer))
        }
    }
}

extension Property {
    fileprivate func mappingErrors(_ reply: @escaping @Sendable (any Error) -> any Error) -> Property {
        guard let set else { return self }
        var property = Property(name: name, type: type, changes: changes, get: get) { value, invocation in
            do { return try set(value, invocation).mappingErrors(reply) } catch { throw reply(error) }
        }
        property.annotations = annotations
        return property
    }
}
