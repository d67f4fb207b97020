import { type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, registeredOn, startHarness } from '../testing/harness.ts'

describe('an agent whose record is faulty', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('hinders no other one to get its daily score and to reach the networks', async () => {
    const get = async (path: string) => (await harness.call('GET', path)).body
    const [faulty, sound] = [await newAgent(harness), await newAgent(harness)].sort((a, b) => (a.id < b.id ? -1 : 1)) as [TestAgent, TestAgent]
    await registeredOn(harness, faulty, 'BASE_SEPOLIA')
    await registeredOn(harness, sound, 'BASE_SEPOLIA')
    const scores = harness.platform.service('reputation').platform.db.connection.collection<{ _id: string }>('scores')
    await scores.updateOne({ _id: faulty.id }, { $set: { sources: null, wallet: 'none' } })

    await harness.platform.advance(15 * 86_400)

    await until('the sound one is known to be silent', async () => (await get(`/api/risk/${sound.id}`)).flags.includes('INACTIVE'))
    const { fusedScore } = await get(`/api/agents/${sound.id}/reputation`)
    await until('the network knows the sound one', async () => {
      const { BASE_SEPOLIA } = (await get(`/api/reputation/across-chains/${sound.id}`)).chains
      return BASE_SEPOLIA.score !== null && Math.abs(BASE_SEPOLIA.score - fusedScore) < 1
    })
  })
})
