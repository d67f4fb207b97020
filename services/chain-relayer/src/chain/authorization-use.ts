import { contractInterface } from '@carapace/chain'
import { type Header, hexOf, numberOf } from './reader.ts'

/** What used an authorisation of the token or cancelled it; the hash is null where no such transaction is known. */
export interface AuthorizationUse {
  txHash: string | null
  cancelled: boolean
}

/** What a search needs of a network. */
interface Searched {
  /** Of the token. */
  token: string
  query(method: string, params: readonly unknown[]): Promise<unknown>
  /** Number of the newest block. */
  head: number
}

/** Public nodes search no more blocks in one request. */
const perRequest = 900
/** At blocks of two seconds six hours, and more than the hour in which an authorisation of x402 can be used on any network. */
const maxRequests = 12

/**
 * Finds the transaction that used or cancelled an authorisation. The search goes forward from a moment, so that its cost does not grow with the
 * time that has passed since then.
 * @param since Unix seconds; default: the last blocks are searched
 * @throws CHAIN_UNAVAILABLE
 */
export async function authorizationUse(searched: Searched, wallet: string, nonce: string, since?: number): Promise<AuthorizationUse> {
  const { token, query, head } = searched
  const abi = contractInterface('USDC')
  const [used, ...parties] = abi.encodeFilterTopics('AuthorizationUsed', [wallet, nonce])
  const [cancelled] = abi.encodeFilterTopics('AuthorizationCanceled', [wallet, nonce])
  const first = since === undefined ? Math.max(0, head - perRequest + 1) : await blockBefore(searched, since)
  for (let from = first, left = maxRequests; from <= head && left > 0; from += perRequest, left--) {
    const range = { fromBlock: hexOf(from), toBlock: hexOf(Math.min(head, from + perRequest - 1)) }
    const [log] = (await query('eth_getLogs', [{ address: token, topics: [[used, cancelled], ...parties], ...range }])) as RawUse[]
    if (log) return { txHash: log.transactionHash, cancelled: log.topics[0] === cancelled }
  }
  return { txHash: null, cancelled: false }
}

interface RawUse {
  transactionHash: string
  topics: string[]
}

/** A block before a moment, at most one request's search away from it. A block that the node has pruned was before it. */
async function blockBefore({ query, head }: Searched, since: number): Promise<number> {
  const isLater = async (block: number): Promise<boolean> => {
    const header = (await query('eth_getBlockByNumber', [hexOf(block), false])) as Header | null
    return header !== null && numberOf(header.timestamp) >= since
  }
  // a node that does not have the head yet, or whose chain is late, shows the last blocks all the same
  if (!(await isLater(head))) return Math.max(0, head - perRequest + 1)
  let [low, high] = [Math.max(0, head - perRequest), head]
  for (let step = perRequest * 2; low > 0 && (await isLater(low)); step *= 2) {
    high = low
    low = Math.max(0, low - step)
  }
  while (high - low > perRequest) {
    const middle = Math.floor((low + high) / 2)
    if (await isLater(middle)) high = middle
    else low = middle
  }
  return low
}
