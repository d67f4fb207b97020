import { z } from 'zod'
import { fundingSource } from '../authorization.ts'
import { command, nothing } from '../command.ts'
import { address, amount, bytes32, positive, recordId } from '../fields.ts'
import { jobIdTopic, onChainKey } from '../keys.ts'
import { storedTextGas } from '../text-gas.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

/** `onChainJobId` is the number that the creation gave the job; the creation itself is known by its salt, the job's key. */
const job = { jobId: recordId, onChainJobId: amount }
const key = ['jobId'] as const
const aggregate = ({ jobId }: { jobId: string }) => `job:${jobId}`
/** States of a job, as the contract numbers them (ERC-8183). */
const Status = { Open: 0n, Funded: 1n, Submitted: 2n, Completed: 3n, Rejected: 4n, Expired: 5n } as const
const statusIs = (onChainJobId: bigint, isOurs: (job: { status: bigint; provider: string }) => boolean) => ({
  contract: 'Commerce' as const,
  fn: 'getJob',
  args: [onChainJobId],
  isOurs: ([found]: readonly unknown[]) => isOurs(found as { status: bigint; provider: string }),
})

export const jobCreate = command({
  kind: 'job.create',
  /** expiredAt in Unix seconds. */
  args: { jobId: recordId, client: address, budget: positive, expiredAt: z.int().positive(), description: z.string().max(500) },
  key,
  aggregate,
  gas: a => 260_000n + storedTextGas(a.description),
  batchable: true,
  finalReverts: ['ZeroAddress', 'ZeroBudget', 'ExpiryTooShort', 'ProviderCannotBeEvaluator', 'Commerce_SaltUsed'],
  needs: nothing,
  call: a => ({
    contract: 'Commerce',
    fn: 'createJobFor',
    args: [a.client, { addressOf: 'Lane' }, a.budget, BigInt(a.expiredAt), a.description, onChainKey(a.jobId)],
  }),
  effect: a => ({ contract: 'Commerce', fn: 'jobOfSalt', args: [onChainKey(a.jobId)], isOurs: ([id]) => (id as bigint) > 0n }),
})

export const jobFund = command({
  kind: 'job.fund',
  args: { ...job, client: address, amount: positive, source: fundingSource },
  key,
  aggregate,
  gas: 220_000n,
  batchable: true,
  prelude: a => permitOf(a.source, a.client, 'Commerce'),
  authorization: a =>
    a.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.source.from, to: 'Commerce', value: a.amount, nonce: jobIdTopic(a.onChainJobId) }
      : undefined,
  finalReverts: ['ZeroBudget', 'BudgetMismatch', 'Commerce_AlreadyPaidIn', 'Funds_ShortTransfer', ...fundingReverts],
  needs: () => [{ kind: 'job.create' }],
  call: (a, custodial) => {
    const signed = signedBy(a.source, custodial)
    return signed
      ? { contract: 'Commerce', fn: 'prefundWithAuthorization', args: [a.onChainJobId, a.amount, authorizationTuple(signed)] }
      : { contract: 'Commerce', fn: 'prefund', args: [a.onChainJobId, a.amount] }
  },
  effect: a => ({
    contract: 'Commerce',
    fn: 'depositOf',
    args: [a.onChainJobId],
    isOurs: ([deposit]) => (deposit as { amount: bigint }).amount === a.amount,
  }),
})

export const jobAssign = command({
  kind: 'job.assign',
  args: { ...job, provider: address },
  key,
  aggregate,
  gas: 180_000n,
  batchable: true,
  finalReverts: ['ZeroAddress', 'ProviderCannotBeEvaluator', 'Commerce_ProviderTaken'],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.fund' }],
  call: a => ({ contract: 'Commerce', fn: 'assign', args: [a.onChainJobId, a.provider] }),
  effect: a => statusIs(a.onChainJobId, found => found.status >= Status.Funded && found.provider === a.provider),
})

export const jobSubmit = command({
  kind: 'job.submit',
  args: { ...job, deliverableHash: bytes32 },
  key,
  aggregate,
  gas: 120_000n,
  batchable: true,
  finalReverts: [],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.assign' }],
  call: a => ({ contract: 'Commerce', fn: 'submitFor', args: [a.onChainJobId, a.deliverableHash] }),
  effect: a => statusIs(a.onChainJobId, found => found.status >= Status.Submitted),
})

/** One key for every way a job ends. complete and reject are the evaluator's, which is the lane's key. */
export const jobSettle = command({
  kind: 'job.settle',
  args: { ...job, outcome: z.enum(['complete', 'reject', 'claimRefund']), reason: bytes32 },
  key,
  aggregate,
  gas: 230_000n,
  batchable: false,
  finalReverts: [],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.fund' }, { kind: 'job.assign' }, { kind: 'job.submit' }],
  call: a => ({ contract: 'Commerce', fn: a.outcome, args: a.outcome === 'claimRefund' ? [a.onChainJobId] : [a.onChainJobId, a.reason, '0x'] }),
  effect: a => {
    const wanted = { complete: Status.Completed, reject: Status.Rejected, claimRefund: Status.Expired }[a.outcome]
    return statusIs(a.onChainJobId, found => found.status === wanted)
  },
})

export const jobDispute = command({
  kind: 'job.dispute',
  args: { ...job, disputer: address },
  key,
  aggregate,
  gas: 90_000n,
  batchable: true,
  finalReverts: ['Commerce_AlreadyDisputed'],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.assign' }],
  call: a => ({ contract: 'Commerce', fn: 'flagDispute', args: [a.onChainJobId, a.disputer] }),
  effect: a => ({ contract: 'Commerce', fn: 'isDisputed', args: [a.onChainJobId], isOurs: ([disputed]) => disputed === true }),
})
