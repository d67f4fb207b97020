import type { Stored } from '@carapace/store'
import type { Escrow } from '../escrow/escrow.ts'
import type { Parts } from '../parts.ts'
import { type Party, type Receipt, receiptOf } from './receipt.ts'

export interface Scores {
  posterScore: number
  assigneeScore: number
}

/**
 * Issues the receipt of a released escrow, or amends the existing one to the current payment: its id and its parties, with the scores of the
 * first settlement, remain. Scores are those of the settlement, when the caller knows them.
 */
export async function issueReceipt(parts: Parts, escrow: Escrow, scores?: Scores): Promise<{ receipt: Stored<Receipt>; isNew: boolean }> {
  const amended = async (issued: Stored<Receipt>) => ({ receipt: await parts.receipts.amend(receiptOf(escrow, issued.id, issued)), isNew: false })
  // a settlement is mostly the first: then nothing is found
  const earlier = scores ? undefined : await parts.receipts.everOf(escrow.id)
  if (earlier) return amended(earlier)
  const { posterId, assignment } = escrow
  const { assigneeId } = assignment!
  const agents = await parts.agents.many([posterId, assigneeId])
  const scoreOf = scores ? undefined : await parts.performances.scoresOf([posterId, assigneeId])
  const party = async (agentId: string, score: number | undefined): Promise<Party> => {
    const { handle, wallet } = agents.get(agentId) ?? (await parts.agents.need(agentId))
    return { handle, wallet, fusedScore: score ?? scoreOf!(agentId) }
  }
  const [poster, assignee] = await Promise.all([party(posterId, scores?.posterScore), party(assigneeId, scores?.assigneeScore)])
  const issued = await parts.receipts.issue(receiptOf(escrow, parts.newId(), { poster, assignee }))
  return issued.isNew ? issued : amended(issued.receipt)
}
