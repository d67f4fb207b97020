/** The meaning of an answer to eth_sendRawTransaction for the slot. */
export type SendVerdict =
  /** In the pool, or in a block already. */
  | 'accepted'
  /** Another attempt of the slot is in the pool. */
  | 'underpriced'
  /** The slot may be used already: receipts decide. */
  | 'nonce-low'
  /** A lower slot is missing: send from there. */
  | 'nonce-gap'
  /** The lane has no money. */
  | 'no-funds'
  /** No block of the present size holds it: a network may change that size. */
  | 'too-large'
  /** These bytes can never be mined. */
  | 'rejected'
  /** It may be out: the same bytes again, later. */
  | 'unknown'

const patterns: readonly (readonly [RegExp, SendVerdict])[] = [
  [/already known|already imported|known transaction|already in mempool|alreadyknown/i, 'accepted'],
  [
    /replacement (transaction )?underpriced|replacement fee too low|transaction underpriced|max fee per gas less than block base fee|fee cap less than/i,
    'underpriced',
  ],
  [/nonce too low|nonce is too low|invalid nonce.*expected.*higher/i, 'nonce-low'],
  [/nonce too high|nonce gap|gapped-nonce|exceeds.*nonce/i, 'nonce-gap'],
  [/insufficient funds|insufficient balance|out of gas money|account balance/i, 'no-funds'],
  [/exceeds block gas limit|gas limit (reached|too high)|gas_limit > env\.block\.gas_limit/i, 'too-large'],
  [
    /intrinsic gas|oversized|invalid sender|invalid chain id|chain ?id|transaction type not supported|max initcode|invalid signature|rlp|failed to decode/i,
    'rejected',
  ],
]

/** Reads a node's answer to a send; `undefined` error = it accepted the transaction. */
export function classifySend(error: { code?: number; message: string } | undefined): SendVerdict {
  if (!error) return 'accepted'
  return patterns.find(([pattern]) => pattern.test(error.message))?.[1] ?? 'unknown'
}
