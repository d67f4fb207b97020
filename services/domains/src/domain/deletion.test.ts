import assert from 'node:assert/strict'
import { commandConfirmed, type TestAgent, until } from '@carapace/testing'
import { sharedHarness } from '../testing/harness.ts'

describe('the deletion of a name that its owner has sent on', () => {
  const harness = sharedHarness()
  const noAddress = `0x${'0'.repeat(40)}`
  let names = 0
  const registered = async (owner: TestAgent) => {
    const body = { name: `sold-${++names}-name`, tld: '.molt', pricePaid: 0 }
    const answer = await harness.platform.call('POST', '/api/domains/register', { body, headers: owner.headers })
    return answer.body.record as { id: string; name: string; tokenId: string }
  }
  const remove = ({ name }: { name: string }, { headers }: TestAgent) => harness.platform.call('DELETE', `/api/molt-domains/${name}`, { headers })

  it('is refused while the log of that transfer is still to come', async () => {
    const [seller, buyer] = [await harness.newAgent(), await harness.newAgent()]
    const domain = await registered(seller)
    harness.owners.set(domain.tokenId, buyer.wallet)

    const { status, body } = await remove(domain, seller)

    assert.deepEqual([status, body.code], [403, 'NOT_OWNER'])
    assert.ok(!harness.commands.some(({ kind }) => kind === 'domain.burn'))
  })

  it('leaves the name to the one who has lost it where a block has the transfer just before', async () => {
    const [seller, buyer] = [await harness.newAgent(), await harness.newAgent()]
    const domain = await registered(seller)
    harness.owners.set(domain.tokenId, seller.wallet)
    harness.chain = () => 'wait'
    const pending = remove(domain, seller)
    const burn = await until('the deletion is sent', () => harness.commands.find(({ kind }) => kind === 'domain.burn'))
    const place = { contract: 'DomainRegistry', event: 'Transfer', address: noAddress, logIndex: 0, logPosition: 0 }
    const logs = [{ ...place, args: { from: buyer.wallet, to: noAddress, tokenId: domain.tokenId } }]
    await harness.platform.publish(commandConfirmed(burn, { logs }))
    assert.equal((await pending).status, 200)

    harness.owners.delete(domain.tokenId)
    harness.chain = () => 'confirm'
    const again = (agent: TestAgent) =>
      harness.platform.call('POST', '/api/domains/register', { body: { name: domain.name, tld: '.molt', pricePaid: 0 }, headers: agent.headers })
    assert.equal((await again(seller)).body.code, 'NAME_TAKEN')
    assert.equal((await again(buyer)).status, 201)
  })
})
