import AsyncSupport
import Bluetooth
import Epoll
import HandoffRadio
private import Synchronization

extension SimulatedRadio {
    /// Answers every caller that dials this advertisement, until the task is cancelled.
    func answerDials(at advertiser: Advertiser, of station: Station) async {
        // A silent caller is given two seconds; further callers wait in the backlog.
        let places = CountingSemaphore(16)
        await withDiscardingTaskGroup { group in
            while (try? await places.acquire()) != nil, let caller = await advertiser.acceptConnection() {
                group.addTask {
                    await self.answer(caller, at: advertiser.address, of: station)
                    places.release()
                }
            }
            group.cancelAll()
        }
    }

    /// Reads the caller's request and opens the channel, or answers that there is no listener; a silent caller gets no
    /// answer.
    private func answer(_ caller: ReactorDescriptor, at address: BluetoothAddress, of station: Station) async {
        guard let request = await ConnectMessage.receive(on: caller, within: .seconds(2)),
            let link = station.link(to: request.name),
            (try? await sleep(for: link.delay)) != nil
        else { return }
        let listener = state.withLock { state in request.port.flatMap { state.listeners[$0] } }
        let answer = ConnectMessage(
            station: station.id,
            name: station.name,
            address: address,
            maximumMessageLength: station.air.value.maximumMessageLength,
            port: listener == nil ? nil : request.port
        )
        guard answer.send(on: caller) else { return }
        listener?.accept(SimulatedChannel(caller, of: station, with: request))
    }
}
