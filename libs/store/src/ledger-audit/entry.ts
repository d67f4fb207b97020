export interface LedgerLine {
  account: string
  /** micro-USDC, 0 or more; one of the two is 0. */
  debit: bigint
  credit: bigint
}

export interface LedgerEntry {
  /** The movement's business key: an entry is posted once for ever. */
  key: string
  chain: string
  lines: LedgerLine[]
  ref: { type: string; id: string }
  txHash?: string | null
}
