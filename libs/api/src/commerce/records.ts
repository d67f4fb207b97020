import { z } from 'zod'
import { agentRef, chain, id, nextDeadline, onChain, timestamp, usdOut, walletIn, walletOut } from '../core/fields.ts'
import { currency } from '../core/terms.ts'
import { fundedFrom } from '../escrow/records.ts'

export const jobStatuses = ['open', 'funded', 'assigned', 'submitted', 'settled', 'cancelled', 'disputed', 'rejected'] as const
export const jobStatus = z.enum(jobStatuses)
export type JobStatus = z.output<typeof jobStatus>

/** Which network's number names a job, and which contract's there, where it is not named by its id: all count alike. */
export const numberedOn = { chain: chain.optional(), contract: walletIn.optional() }

/** An ERC-8183 job. `onChainJobId` is null until the creation is confirmed. */
export const job = z
  .looseObject({
    id,
    onChainJobId: z.string().nullable(),
    contract: walletOut.nullable().meta({ description: 'Where it was opened, and stays; null while the contracts are unknown' }),
    title: z.string(),
    description: z.string(),
    budgetUsdc: usdOut,
    requiredSkills: z.array(z.string()),
    deadlineHours: z.int(),
    chain,
    status: jobStatus,
    closeReason: z.string().nullable(),
    currency,
    external: z.boolean().meta({ description: 'Made on the contract itself, and neither judged by the swarm nor counted' }),
    posterAgentId: id.nullable(),
    posterWallet: walletOut,
    assigneeAgentId: id.nullable(),
    assigneeWallet: walletOut.nullable(),
    poster: agentRef.nullable(),
    assignee: agentRef.nullable(),
    deliverableUrl: z.string().nullable(),
    deliverableNote: z.string().nullable(),
    deliverableHash: z.string().nullable(),
    validationId: id.nullable(),
    fundedFrom: fundedFrom.nullable(),
    disputeReason: z.string().nullable(),
    disputedBy: z.string().nullable(),
    nextDeadline,
    submitDeadline: timestamp,
    expiredAt: timestamp,
    txHashCreated: z.string().nullable(),
    txHashFunded: z.string().nullable(),
    txHashAssigned: z.string().nullable(),
    txHashSubmitted: z.string().nullable(),
    txHashSettled: z.string().nullable(),
    fundedAt: timestamp.nullable(),
    assignedAt: timestamp.nullable(),
    submittedAt: timestamp.nullable(),
    endedAt: timestamp.nullable().meta({ description: 'When it was settled, rejected or cancelled' }),
    onChainStatus: z.string().nullable(),
    onChain,
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: 'Job' })
export type Job = z.output<typeof job>

export const applicant = z.looseObject({ id, jobId: id, agentId: id, proposal: z.string(), createdAt: timestamp }).meta({ id: 'JobApplicant' })

const party = z.looseObject({ handle: z.string().nullable(), wallet: walletOut })
export const commerceReceipt = z
  .looseObject({
    jobId: id,
    onChainJobId: z.string(),
    title: z.string(),
    chain,
    poster: party,
    assignee: party,
    budgetUsdc: usdOut,
    fee: usdOut,
    netPaid: usdOut,
    settledAt: timestamp,
    txHashSettled: z.string(),
    ipfsReceiptUrl: z.string(),
    shareUrl: z.string(),
    erc8183Compliant: z.boolean(),
    settledBy: z.enum(['swarm', 'oracle', 'time', 'party']),
    validationId: id.nullable(),
    deliverableHash: z.string(),
    txHashes: z.looseObject({
      created: z.string().nullable(),
      funded: z.string().nullable(),
      assigned: z.string().nullable(),
      submitted: z.string().nullable(),
      settled: z.string().nullable(),
    }),
  })
  .meta({ id: 'CommerceReceipt' })
export type CommerceReceipt = z.output<typeof commerceReceipt>
