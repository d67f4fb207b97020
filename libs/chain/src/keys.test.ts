import assert from 'node:assert/strict'
import { jobIdOfKey, jobIdTopic, onChainKey } from './keys.ts'

describe('jobIdOfKey', () => {
  const jobId = '0190a5d0-1111-7222-8333-444455556666'

  it('is the UUID that the key was made of', () => {
    assert.equal(jobIdOfKey('BASE_SEPOLIA', onChainKey(jobId)), jobId)
  })

  it('is one id for each number on each network where somebody else made the job', () => {
    const ids = (['BASE_SEPOLIA', 'SKALE_TESTNET'] as const).flatMap(chain => [7n, 8n].map(number => jobIdOfKey(chain, jobIdTopic(number))))

    assert.equal(new Set(ids).size, 4)
    assert.equal(ids[0], jobIdOfKey('BASE_SEPOLIA', jobIdTopic(7n)))
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is another one on a contract that has replaced the first one, whose jobs have the ids that they had', () => {
    const [first, second, third] = [undefined, `0x${'Ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`].map(contract =>
      jobIdOfKey('BASE_SEPOLIA', jobIdTopic(7n), contract),
    )

    assert.equal(first, 'dee40cac-6dd8-8d13-8dc9-eb8079b707df')
    assert.equal(new Set([first, second, third]).size, 3)
    assert.equal(jobIdOfKey('BASE_SEPOLIA', jobIdTopic(7n), `0x${'ab'.repeat(20)}`), second)
    assert.equal(jobIdOfKey('BASE_SEPOLIA', onChainKey(jobId), `0x${'ab'.repeat(20)}`), jobId)
  })
})
