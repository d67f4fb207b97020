import { quiet, rabbitBus } from '@carapace/bus'
import { type OwnBroker, startOwnBroker, until } from '@carapace/testing'
import { type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork, type Work } from '../testing/workload.ts'

describe('a lane whose broker ends', function () {
  // A broker needs seconds to start, and starts twice here.
  this.timeout(120_000)
  let broker: OwnBroker
  let kit: Kit
  before(async () => {
    broker = await startOwnBroker()
    kit = await startKit({ bus: rabbitBus({ log: quiet, url: broker.url, service: 'chain-relayer' }) })
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })
  after(async () => {
    await kit?.close()
    await broker.stop()
  })

  /** As an outbox does it: until the broker has confirmed. */
  const send = (work: readonly Work[]) =>
    until(
      'accepted by the broker',
      async () => {
        await kit.send(...work.map(one => one.draft))
        return true
      },
      60,
    )

  it('continues with what the broker had confirmed, and publishes every outcome', async () => {
    await kit.start({ commandOf: countableKinds, batchSize: 5 })
    const work = makeWork(40)
    await send(work.slice(0, 20))
    await broker.kill9()
    const late = send(work.slice(20))
    await broker.restart()

    await late
    await allOver(kit, work, 60)
    await until('every outcome is published', () => work.every(({ draft }) => kit.of(draft.subject, 'finalized').length > 0), 30)
    await assertExactlyOnce(kit, work)
  })
})
