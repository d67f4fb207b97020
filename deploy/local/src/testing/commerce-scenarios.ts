import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { daySeconds, hourSeconds, type System, until } from '@carapace/testing'
import {
  actOnJob,
  assertJobPaid,
  assertJobRefunded,
  assignedCommerceJob,
  commerceJobIs,
  commerceJobOf,
  fundedCommerceJob,
  newCommerceJob,
  submittedCommerceJob,
} from './commerce-job.ts'
import { vote } from './job.ts'
import { authorizationOf } from './signed-money.ts'

type Scenario = readonly [string, (system: System) => Promise<void>]

/** What touches every service that a commerce job needs, and no clock. */
export const plainCommerceScenarios: readonly Scenario[] = [
  ['an open job is cancelled by its poster, on chain too', cancelled],
  ['the oracle settles a delivered job, and anybody can check its receipt', oracleSettled],
  ['a custodial wallet funds a job and gets a refund back', fromTreasury],
]

/** The ends that a commerce job can come to, in an order in which one run of the platform clock serves all. */
export const commerceScenarios: readonly Scenario[] = [
  ...plainCommerceScenarios,
  ['the oracle rejects a delivered job and the poster has its money back', oracleRejected],
  ['on the network without gas too, from the allowance', onGaslessNetwork],
  ['an authorisation in the body funds a job without an allowance', fromAuthorization],
  ['a job that no source covers says why, and nothing has changed', unfunded],
  ['a job that a party disputes is settled by the oracle', disputed],
  ['an approved job is paid after 24 hours', approved],
  ['a frozen rejection becomes a dispute, which time alone refunds', frozen],
  ['a rejected job is refunded after 24 hours', rejected],
  ['a funded job that nobody takes is refunded by time alone', expired],
  ['an assigned job whose deadline passes is refunded by time alone', deadlineMissed],
  ['a job that no panel judges is disputed after seven days and then refunded', stalled],
]

const settle = (system: System, jobId: string, body: object = {}) => actOnJob(system, jobId, '/settle', body, system.admin)

async function cancelled(system: System): Promise<void> {
  const job = await newCommerceJob(system)
  await actOnJob(system, job.jobId, '/cancel', {}, job.poster.headers)
  const { closeReason, onChainStatus } = await commerceJobIs(system, job.jobId, 'cancelled')
  assert.deepEqual({ closeReason, onChainStatus }, { closeReason: 'withdrawn', onChainStatus: 'Rejected' })
}

async function oracleSettled(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  const { fee, netPaid } = await settle(system, job.jobId)
  assert.deepEqual({ fee, netPaid }, { fee: 0.6, netPaid: 19.4 })
  await assertJobPaid(system, job)
  await assertReceipt(system, job.jobId)
  await until('the panel has nothing to judge', async () => {
    const { status } = await system.get(`/api/swarm/validations/${job.validationId}`)
    return status === 'superseded'
  })
  const { history } = await system.get(`/api/agents/${job.worker.id}/earnings`)
  assert.deepEqual(
    history.map(({ jobId, amount }: { jobId: string; amount: number }) => ({ jobId, amount })),
    [{ jobId: job.jobId, amount: 19.4 }],
  )
}

/** The bytes that `ipfsReceiptUrl` names are served, and their SHA-256 is that of the CID. */
async function assertReceipt(system: System, jobId: string): Promise<void> {
  const path = `/api/commerce/jobs/${jobId}/receipt`
  const { ipfsReceiptUrl, shareUrl } = await system.get(path)
  const raw = await fetch(`${system.url}${path}`, { headers: { accept: 'application/vnd.ipld.raw' } })
  const bytes = Buffer.from(await raw.arrayBuffer())
  assert.equal(ipfsReceiptUrl, `ipfs://${cidOf(bytes)}`)
  const picture = await fetch(`${system.url}${path}.png`)
  assert.equal(picture.headers.get('content-type'), 'image/png')
  const page = await fetch(`${system.url}${new URL(shareUrl, system.url).pathname}`)
  assert.match(await page.text(), /og:image/)
}

/** Written from the multiformats text, not from the code that is tested: version 1, raw, sha2-256, 32 bytes, in base32. */
function cidOf(bytes: Buffer): string {
  const digits = 'abcdefghijklmnopqrstuvwxyz234567'
  let number = BigInt(`0x01551220${createHash('sha256').update(bytes).digest('hex')}`)
  // 36 bytes are 288 bits: two more make 58 digits of five
  number <<= 2n
  let text = ''
  for (let digit = 0; digit < 58; digit++) {
    text = digits[Number(number & 31n)] + text
    number >>= 5n
  }
  return `b${text}`
}

async function oracleRejected(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await settle(system, job.jobId, { outcome: 'reject', reason: 'empty file' })
  await assertJobRefunded(system, job, 'rejected')
}

async function onGaslessNetwork(system: System): Promise<void> {
  const job = await submittedCommerceJob(system, { chain: 'SKALE_TESTNET', budget: 33.333333 })
  assert.equal((await commerceJobOf(system, job.jobId)).fundedFrom.kind, 'allowance')
  await settle(system, job.jobId)
  await assertJobPaid(system, job)
}

async function fromTreasury(system: System): Promise<void> {
  const poster = await system.newPlayer({ prefix: 'saver' })
  const { depositAddress } = await system.post(`/api/agents/${poster.id}/treasury/fund`, {}, poster.headers)
  await system.faucet(depositAddress, 30, 'BASE_SEPOLIA')
  const balance = async () => (await system.call('GET', `/api/agents/${poster.id}/treasury/balance`, { headers: poster.headers })).body.balance
  await until('the deposit is credited', async () => (await balance()) === 30_000_000)
  const job = await submittedCommerceJob(system, { poster })
  const { fundedFrom } = await commerceJobOf(system, job.jobId)
  assert.deepEqual({ ...fundedFrom }, { kind: 'treasury', address: depositAddress })
  await until('the treasury has paid', async () => (await balance()) === 10_000_000)
  await settle(system, job.jobId, { outcome: 'reject' })
  await commerceJobIs(system, job.jobId, 'rejected')
  await until('the refund is credited', async () => (await balance()) === 30_000_000)
}

/** EIP-3009, its nonce is the key of the job on the contract, which the refusal names. */
async function fromAuthorization(system: System): Promise<void> {
  const chain = 'BASE_SEPOLIA'
  const poster = await system.newPlayer({ prefix: 'signer' })
  await system.faucet(poster.wallet.address, 30, chain)
  const job = await newCommerceJob(system, { poster })
  const headers = { 'x-wallet-address': poster.wallet.address }
  const refused = await system.call('POST', `/api/erc8183/jobs/${job.jobId}/fund`, { body: {}, headers })
  const { nonce } = refused.body.details.options
  const payment = { to: system.networks[chain].contracts.commerce, value: 20_000_000n, nonce }
  const body = { authorization: await authorizationOf(system, chain, poster, payment) }
  await actOnJob(system, job.jobId, '/fund', body, headers)
  const { fundedFrom } = await commerceJobIs(system, job.jobId, 'funded')
  assert.equal(fundedFrom.kind, 'authorization')
  assert.equal(await system.usdcOf(chain, poster.wallet.address), 10_000_000n)
}

async function unfunded(system: System): Promise<void> {
  const job = await newCommerceJob(system, { poster: await system.newPlayer({ chain: 'SKALE_TESTNET' }), chain: 'SKALE_TESTNET' })
  const headers = { 'x-wallet-address': job.poster.wallet.address }
  const { status, body } = await system.call('POST', `/api/erc8183/jobs/${job.jobId}/fund`, { body: {}, headers })
  const { allowance, authorization, onchain } = body.details.options
  assert.deepEqual(
    { status, code: body.code, allowance: allowance.reason, authorization: authorization.reason, job: onchain.jobId },
    { status: 402, code: 'FUNDS_REQUIRED', allowance: 'BALANCE_TOO_LOW', authorization: 'NOT_OFFERED', job: onchain.jobId },
  )
  assert.equal((await commerceJobOf(system, job.jobId)).status, 'open')
}

async function disputed(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await actOnJob(system, job.jobId, '/dispute', { reason: 'half of it is missing' }, job.poster.headers)
  await commerceJobIs(system, job.jobId, 'disputed')
  await settle(system, job.jobId)
  await assertJobPaid(system, job)
}

async function approved(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await judged(system, job, 'approve')
  assert.equal((await commerceJobOf(system, job.jobId)).status, 'submitted')
  await system.advance(daySeconds + 60)
  await assertJobPaid(system, job)
}

async function judged(system: System, job: Awaited<ReturnType<typeof submittedCommerceJob>>, choice: 'approve' | 'reject'): Promise<void> {
  await vote(system, job.validationId, job.panel.slice(0, 2), choice)
  await until('the verdict is known', async () => (await system.get(`/api/erc8183/jobs/${job.jobId}/quorum`)).settleAfter !== null)
}

/** Its panel is younger than 48 hours. */
async function frozen(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await judged(system, job, 'reject')
  await commerceJobIs(system, job.jobId, 'disputed')
  await system.advance(14 * daySeconds + 60)
  await assertJobRefunded(system, job, 'rejected')
}

/** Comes after days on the platform clock: the validators are no new agents any more. */
async function rejected(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await judged(system, job, 'reject')
  await system.advance(daySeconds + 60)
  await assertJobRefunded(system, job, 'rejected')
}

async function expired(system: System): Promise<void> {
  const job = await fundedCommerceJob(system, { deadlineHours: 1 })
  await system.advance(hourSeconds + 60)
  await assertJobRefunded(system, job, 'cancelled')
  assert.equal((await commerceJobOf(system, job.jobId)).closeReason, 'expired')
}

async function deadlineMissed(system: System): Promise<void> {
  const job = await assignedCommerceJob(system, { deadlineHours: 1 })
  await system.advance(2 * hourSeconds + 60)
  await assertJobRefunded(system, job, 'cancelled')
  assert.equal((await commerceJobOf(system, job.jobId)).closeReason, 'deadline_missed')
}

async function stalled(system: System): Promise<void> {
  const job = await submittedCommerceJob(system)
  await system.advance(7 * daySeconds + 60)
  await commerceJobIs(system, job.jobId, 'disputed')
  await system.advance(14 * daySeconds + 60)
  await assertJobRefunded(system, job, 'rejected')
}
