import type { Chain } from '@carapace/api'
import { commands } from '@carapace/chain'
import { baseUrlOf } from '@carapace/service'
import { id as keccakOfText } from 'ethers'
import type { Parts } from './parts.ts'

interface Settled {
  /** Of the gig or the job. */
  gigId: string
  assigneeId: string
  chain: Chain
  txHash: string
  /** Where its receipt is served. */
  receiptPath: string
}

/** ERC-8004 feedback of a settled gig or job, with the receipt as its file and proof of payment; once each, where the assignee is registered. */
export async function giveFeedback(parts: Parts, { gigId, assigneeId, chain, txHash, receiptPath }: Settled): Promise<void> {
  const tokenId = (await parts.scores.get(assigneeId))?.chains[chain].tokenId
  if (tokenId === null || tokenId === undefined) return
  const base = baseUrlOf(parts.config)
  const feedbackUri = `${base}${receiptPath}`
  await parts.emit([
    commands.feedbackGive({
      chain,
      settlementId: gigId,
      erc8004Id: BigInt(tokenId),
      value: 100,
      valueDecimals: 0,
      tag1: 'successRate',
      tag2: 'gig',
      endpoint: base,
      feedbackUri,
      feedbackHash: keccakOfText(`${feedbackUri}#${txHash}`),
    }),
  ])
}
