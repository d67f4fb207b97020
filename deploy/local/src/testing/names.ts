import assert from 'node:assert/strict'
import { type System, until } from '@carapace/testing'

/** A .molt name is registered and sent to another agent, which goes by it then. */
export async function nameChangesHands(system: System): Promise<void> {
  const [owner, receiver] = [await system.newPlayer({ prefix: 'owner' }), await system.newPlayer({ prefix: 'receiver' })]
  const fullDomain = `${owner.handle}.molt`
  const isOwnedBy = (wallet: string) =>
    until(`it is ${wallet}'s`, async () => {
      const { status, body } = await system.call('GET', `/api/domains/${fullDomain}`)
      return status === 200 && body.owner === wallet && body.record.onChain.status === 'confirmed' && body.record
    })
  const name = { name: owner.handle, tld: '.molt', pricePaid: 0 }
  const answer = await system.call('POST', '/api/domains/register', { body: name, headers: owner.headers })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  const record = await isOwnedBy(owner.wallet.address)
  await system.post(`/api/domains/${record.id}/transfer`, { toAddress: receiver.wallet.address }, owner.headers)
  await isOwnedBy(receiver.wallet.address)
  await until('both agents show it', async () => {
    const [former, present] = await Promise.all([owner, receiver].map(({ id }) => system.get(`/api/agents/${id}`)))
    return former.moltDomain === null && present.moltDomain === fullDomain
  })
}
