import type { Stored } from '@carapace/store'
import type { Escrow } from '../escrow/escrow.ts'
import type { Parts } from '../parts.ts'
import { type Party, type Receipt, receiptOf } from './receipt.ts'

/** Issues the receipt of a released escrow, or finds the one there is. Scores are those of the settlement, when the caller knows them. */
export async function issueReceipt(
  parts: Parts,
  escrow: Escrow,
  scores?: { posterScore: number; assigneeScore: number },
): Promise<{ receipt: Stored<Receipt>; isNew: boolean }> {
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
