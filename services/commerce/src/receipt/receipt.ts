import { type CommerceReceipt, usd } from '@carapace/api'
import type { Job, Step } from '../job/job.ts'
import { fee } from '../job/transition.ts'
import { cidOf } from './cid.ts'

export interface Party {
  handle: string | null
  wallet: string
}

/** The receipt of a settled job, under the job's id. */
export interface Receipt {
  id: string
  title: string
  posterId: string
  assigneeId: string
  /** Canonical JSON: the bytes that `cid` names. */
  content: string
  cid: string
  /** The payment is reversed: nobody is shown the receipt, unless the payment is made again. */
  isWithdrawn: boolean
}

/** The receipt of a job whose payment is confirmed. */
export function receiptOf(job: Job, parties: { poster: Party; assignee: Party }): Receipt {
  const txHash = (step: Step): string | null => job.on[step]?.onChain.txHash ?? null
  const paid = fee(job)
  const facts = {
    jobId: job.id,
    onChainJobId: job.onChainJobId!,
    title: job.title,
    chain: job.chain,
    ...parties,
    budgetUsdc: usd(job.budget),
    fee: usd(paid),
    netPaid: usd(job.budget - paid),
    settledAt: job.settlement!.settledAt!.toISOString(),
    settledBy: job.settlement!.by,
    validationId: job.verdict?.validationId ?? null,
    deliverableHash: job.delivery!.hash,
    txHashSettled: txHash('settle')!,
    erc8183Compliant: true,
    txHashes: {
      created: txHash('create'),
      funded: txHash('fund'),
      assigned: txHash('assign'),
      submitted: txHash('submit'),
      settled: txHash('settle'),
    },
  }
  const content = canonical(facts)
  const { id, title, posterId, assigneeId } = job
  return { id, title, posterId: posterId!, assigneeId: assigneeId!, content, cid: cidOf(Buffer.from(content)), isWithdrawn: false }
}

/** JSON with sorted keys and no blanks: everybody makes the same bytes of the same facts. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`
}

/** @param baseUrl the public address of the gateway */
export const receiptView = ({ id, content, cid }: Receipt, baseUrl: string): CommerceReceipt => ({
  ...(JSON.parse(content) as CommerceReceipt),
  ipfsReceiptUrl: `ipfs://${cid}`,
  shareUrl: `${baseUrl}/commerce-receipt/${id}`,
})
