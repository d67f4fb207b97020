import { z } from 'zod'
import { type FundingSource, fundingSource } from '../authorization.ts'
import { type ContractCall, callAt, command, nothing } from '../command.ts'
import { address, bytes32, positive, recordId } from '../fields.ts'
import { onChainKey } from '../keys.ts'
import { storedTextGas } from '../text-gas.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

/** Where the job was opened: its contract, and the platform's evaluator in it; jobs from before they were stored are on the first ones. */
const at = { contract: address.optional(), evaluator: address.optional() }
interface Place {
  contract?: string | undefined
  evaluator?: string | undefined
}
const on = ({ contract }: Place, fn: string, args: readonly unknown[]): ContractCall => callAt('Commerce', contract, fn, args)
const evaluatorOf = ({ evaluator }: Place) => evaluator ?? { addressOf: 'JobEvaluator' }

/** `jobKey` names the job on the contract, also where a reorganisation changes its number: the key of its record, or the number of one that was made there. */
const job = { jobId: recordId, jobKey: bytes32, ...at }
const key = ['jobId'] as const
const aggregate = ({ jobId }: { jobId: string }) => `job:${jobId}`
/** States of a job, as the contract numbers them (ERC-8183). */
const Status = { Open: 0n, Funded: 1n, Submitted: 2n, Completed: 3n, Rejected: 4n } as const
/** A job that began, and that neither a refund nor a withdrawal has ended: what a rejected one was before, the contract does not say. */
const delivered: ReadonlySet<bigint> = new Set([Status.Submitted, Status.Completed])
const begun: ReadonlySet<bigint> = new Set([Status.Funded, ...delivered])
const statusIs = (place: Place & { jobKey: string }, isOurs: (job: { status: bigint; provider: string }) => boolean) => ({
  ...on(place, 'jobByKey', [place.jobKey]),
  isOurs: ([found]: readonly unknown[]) => isOurs(found as { status: bigint; provider: string }),
})

export const jobCreate = command({
  kind: 'job.create',
  /** expiredAt in Unix seconds. */
  args: { jobId: recordId, ...at, client: address, budget: positive, expiredAt: z.int().positive(), description: z.string().max(500) },
  key,
  aggregate,
  gas: a => 260_000n + storedTextGas(a.description),
  batchable: true,
  finalReverts: ['ZeroAddress', 'ZeroBudget', 'ExpiryTooShort', 'ProviderCannotBeEvaluator', 'Commerce_SaltUsed'],
  needs: nothing,
  call: a => on(a, 'createJobFor', [a.client, evaluatorOf(a), a.budget, BigInt(a.expiredAt), a.description, onChainKey(a.jobId)]),
  effect: a => ({ ...on(a, 'jobOf', [onChainKey(a.jobId)]), isOurs: ([id]) => (id as bigint) > 0n }),
})

export const jobFund = command({
  kind: 'job.fund',
  args: { ...job, client: address, amount: positive, source: fundingSource },
  key,
  aggregate,
  gas: 220_000n,
  batchable: true,
  prelude: a => permitOf(a.source, a.client, 'Commerce', a.contract),
  authorization: a =>
    a.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.source.from, to: a.contract ?? 'Commerce', value: a.amount, nonce: a.jobKey }
      : undefined,
  finalReverts: ['ZeroBudget', 'BudgetMismatch', 'Commerce_AlreadyPaidIn', 'Funds_ShortTransfer', ...fundingReverts],
  needs: () => [{ kind: 'job.create' }],
  isEntry: true,
  call: (a, custodial) => {
    const signed = signedBy(a.source, custodial)
    return signed ? on(a, 'prefundWithAuthorization', [a.jobKey, a.amount, authorizationTuple(signed)]) : on(a, 'prefund', [a.jobKey, a.amount])
  },
  effect: a => ({
    ...on(a, 'depositOf', [a.jobKey]),
    isOurs: ([deposit]) => isPaymentOf(a, deposit as { payer: string; amount: bigint }),
  }),
})

interface JobFunding {
  source: FundingSource
  client: string
  amount: bigint
}

/**
 * The client may pay by itself what a custodial wallet is to pay, and then that wallet has not. For any other payer the contract accepts a payment from the
 * platform alone, which is a command of ours, maybe of an earlier round.
 */
function isPaymentOf({ source, client, amount }: JobFunding, deposit: { payer: string; amount: bigint }): boolean {
  const isByClient = deposit.payer === client
  return deposit.amount === amount && (!isByClient || source.kind !== 'custodial' || source.from === client)
}

export const jobAssign = command({
  kind: 'job.assign',
  args: { ...job, provider: address },
  key,
  aggregate,
  gas: 180_000n,
  batchable: true,
  finalReverts: ['ZeroAddress', 'ProviderCannotBeEvaluator', 'Commerce_ProviderTaken'],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.fund' }],
  call: a => on(a, 'assign', [a.jobKey, a.provider]),
  effect: a => statusIs(a, found => begun.has(found.status) && found.provider === a.provider),
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
  call: a => on(a, 'submitFor', [a.jobKey, a.deliverableHash]),
  effect: a => statusIs(a, found => delivered.has(found.status)),
})

/** What a job becomes on chain by each way it ends. */
const ends = { complete: Status.Completed, reject: Status.Rejected, withdraw: Status.Rejected } as const

/**
 * One key for every way a job ends. `complete` and `reject` are the evaluator's, the platform's own contract; `withdraw` ends an open job in its
 * client's name.
 */
export const jobSettle = command({
  kind: 'job.settle',
  args: { ...job, outcome: z.enum(['complete', 'reject', 'withdraw']), reason: bytes32 },
  key,
  aggregate,
  gas: 250_000n,
  batchable: true,
  finalReverts: [],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.fund' }, { kind: 'job.assign' }, { kind: 'job.submit' }],
  call: a => {
    const args = [a.jobKey, a.reason]
    return a.outcome === 'withdraw' ? on(a, 'withdrawFor', args) : callAt('JobEvaluator', a.evaluator, a.outcome, args)
  },
  effect: a => statusIs(a, found => found.status === ends[a.outcome]),
})

export const jobDispute = command({
  kind: 'job.dispute',
  /** Without a disputer the platform itself flags the job. */
  args: { ...job, disputer: address.nullable() },
  key,
  aggregate,
  gas: 90_000n,
  batchable: true,
  finalReverts: ['Commerce_AlreadyDisputed'],
  needs: () => [{ kind: 'job.create' }, { kind: 'job.assign' }],
  call: a => on(a, 'flagDispute', [a.jobKey, a.disputer ?? evaluatorOf(a)]),
  effect: a => ({ ...on(a, 'isDisputed', [a.jobKey]), isOurs: ([disputed]) => disputed === true }),
})
