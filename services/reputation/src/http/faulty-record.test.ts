import { type TestAgent, until } from '@carapace/testing'
import { newAgent, registeredOn, startWorld, type World } from '../testing/world.ts'

describe('an agent whose record is faulty', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  it('keeps no other one from its daily score and from the networks', async () => {
    const get = async (path: string) => (await world.call('GET', path)).body
    const [faulty, sound] = [await newAgent(world), await newAgent(world)].sort((a, b) => (a.id < b.id ? -1 : 1)) as [TestAgent, TestAgent]
    await registeredOn(world, faulty, 'BASE_SEPOLIA')
    await registeredOn(world, sound, 'BASE_SEPOLIA')
    const scores = world.platform.service('reputation').platform.db.connection.collection<{ _id: string }>('scores')
    await scores.updateOne({ _id: faulty.id }, { $set: { sources: null, wallet: 'none' } })

    await world.platform.advance(15 * 86_400)

    await until('the sound one is known to be silent', async () => (await get(`/api/risk/${sound.id}`)).flags.includes('INACTIVE'))
    const { fusedScore } = await get(`/api/agents/${sound.id}/reputation`)
    await until('the network knows the sound one', async () => {
      const { BASE_SEPOLIA } = (await get(`/api/reputation/across-chains/${sound.id}`)).chains
      return BASE_SEPOLIA.score !== null && Math.abs(BASE_SEPOLIA.score - fusedScore) < 1
    })
  })
})
