import assert from 'node:assert/strict'
import { chainRelayerApi, identityApi, jobStatuses, refuse } from '@carapace/api'
import { knownNetworks, newWallet, startPlatform, stubPeer, type TestPlatform } from '@carapace/testing'
import { commerce } from '../index.ts'

describe('reads of commerce', () => {
  let platform: TestPlatform
  const jobEvaluator = newWallet()

  before(async () => {
    platform = await startPlatform([
      stubPeer(identityApi, { getAgentRowByWallet: () => refuse('NOT_FOUND', { resource: 'agent' }) }),
      stubPeer(chainRelayerApi, {
        chainNetworks: () => ({ networks: knownNetworks({ commerce: newWallet(), jobEvaluator }) }),
        chainRead: () => refuse('CHAIN_UNAVAILABLE'),
      }),
      commerce,
    ])
  })
  after(() => platform.close())

  it('answer an unknown wallet in its EIP-55 form, and as not eligible', async () => {
    const { body } = await platform.call('GET', `/api/erc8183/agents/0x${'0'.repeat(36)}dead/check`)

    assert.deepEqual([body.wallet, body.eligible, body.isRegisteredAgent], ['0x000000000000000000000000000000000000dEaD', false, false])
  })

  it('list every state of a job and the evaluator to name, and show a network that does not answer as unavailable', async () => {
    const { body } = await platform.call('GET', '/api/erc8183/info')

    assert.deepEqual(body.statusValues, [...jobStatuses])
    assert.deepEqual([body.networks.BASE_SEPOLIA.status, body.networks.SKALE_TESTNET.status], ['unavailable', 'unavailable'])
    assert.deepEqual([body.networks.BASE_SEPOLIA.evaluator, body.networks.SKALE_TESTNET.evaluator], [jobEvaluator, jobEvaluator])
  })
})
