import Epoll
import HandoffRadio
private import Synchronization

extension SimulatedRadio {
    /// Answers everybody who dials this advertisement, until the task is cancelled.
    func answerDials(at advertiser: Advertiser, of station: Station) async {
        // Who says nothing is heard for two seconds; more of them than this wait at the door.
        let places = Credits(16)
        await withDiscardingTaskGroup { group in
            while await places.take(), let caller = await advertiser.caller() {
                group.addTask {
                    await self.answer(caller, at: advertiser.address, of: station)
                    places.give()
                }
            }
            group.cancelAll()
        }
    }

    /// Reads what the caller wants and gives it, or says that nobody listens; silence is met with silence.
    private func answer(_ caller: ReactorDescriptor, at address: LinkAddress, of station: Station) async {
        guard let wish = await Greeting.receive(on: caller, within: .seconds(2)),
            let link = station.link(to: wish.name),
            (try? await Task.sleep(for: link.delay)) != nil
        else { return }
        let port = ChannelPort(rawValue: wish.port)
        let listener = claims.withLock { claims in port.flatMap { claims.listeners[$0] } }
        let answer = Greeting(
            station: station.id,
            name: station.name,
            address: address,
            maximumMessageLength: station.air.value.maximumMessageLength,
            port: listener == nil ? 0 : wish.port
        )
        guard answer.send(on: caller) else { return }
        listener?.take(SimulatedChannel(caller, of: station, with: wish))
    }
}
