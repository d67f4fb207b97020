import type { Chain, Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { baseUrlOf } from '@carapace/service'
import { id as keccakOfText } from 'ethers'
import type { Parts } from './parts.ts'
import type { ScoreDoc } from './score.store.ts'

interface Settled {
  /** Of the gig or the job. */
  gigId: string
  chain: Chain
  txHash: string
  /** Where its receipt is served. */
  receiptPath: string
}

/**
 * ERC-8004 feedback of a settled gig or job, with the receipt as its file and proof of payment; none where the assignee is not registered. The relayer
 * makes one of each.
 */
export function feedbackOf({ config }: Pick<Parts, 'config'>, { chains }: ScoreDoc, { gigId, chain, txHash, receiptPath }: Settled): Draft[] {
  const { tokenId } = chains[chain]
  if (tokenId === null) return []
  const base = baseUrlOf(config)
  const feedbackUri = `${base}${receiptPath}`
  return [
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
  ]
}
