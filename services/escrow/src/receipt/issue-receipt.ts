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
  const known = await parts.receipts.everOf(escrow.id)
  if (known) return { receipt: await parts.receipts.amend(receiptOf(escrow, known.id, known)), isNew: false }
  const party = async (agentId: string, score: number | undefined): Promise<Party> => {
    const agent = await parts.agents.need(agentId)
    return { handle: agent.handle, wallet: agent.wallet, fusedScore: score ?? agent.fusedScore }
  }
  const [poster, assignee] = await Promise.all([
    party(escrow.posterId, scores?.posterScore),
    party(escrow.assignment!.assigneeId, scores?.assigneeScore),
  ])
  return parts.receipts.issue(receiptOf(escrow, parts.newId(), { poster, assignee }))
}
