import type { escrowReleased, PayloadOf } from '@carapace/api'
import { commands } from '@carapace/chain'
import { id as keccakOfText } from 'ethers'
import type { Parts } from './parts.ts'

/** ERC-8004 feedback of a settled gig, with the receipt as its file and proof of payment; once per gig, where the assignee is registered. */
export async function giveFeedback(parts: Parts, { gigId, assigneeId, chain, txHash }: PayloadOf<typeof escrowReleased>): Promise<void> {
  const tokenId = (await parts.scores.get(assigneeId))?.chains[chain].tokenId
  if (tokenId === null || tokenId === undefined) return
  const base = parts.config.PUBLIC_BASE_URL ?? ''
  const feedbackUri = `${base}/api/trust-receipts/gigs/${gigId}`
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
