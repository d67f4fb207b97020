import type { Chain, ChainLog } from '@carapace/api'
import { logIdentity, toChecksum } from '@carapace/chain'
import type { MinedTransaction } from '@carapace/service'

/** What a transfer moves, micro-USDC. */
export interface Transfer {
  from: string
  to: string
  amount: bigint
  logIndex: number
}

/** A USDC Transfer as the relayer announces it. */
export interface TransferLog {
  /** `<network>:<block hash>:<log index>` */
  logId: string
  network: Chain
  args: ChainLog['args']
  logIndex: number
  /** Absent in announcements from before it was published. */
  logPosition?: number | undefined
  txHash: string
  blockHash: string
}

export const transferOf = ({ args, logIndex }: Pick<TransferLog, 'args' | 'logIndex'>): Transfer => ({
  from: toChecksum(String(args.from)),
  to: toChecksum(String(args.to)),
  amount: BigInt(String(args.value)),
  logIndex,
})

/** The lasting name of a log; undefined when it was announced without its position and its block is not that of the transaction any more. */
export function identityIn(log: TransferLog, mined: MinedTransaction | undefined): string | undefined {
  const sameLog = mined?.blockHash === log.blockHash ? mined.logs.find(({ logIndex }) => logIndex === log.logIndex) : undefined
  const logPosition = log.logPosition ?? sameLog?.logPosition
  return logPosition === undefined ? undefined : logIdentity({ ...log, logPosition })
}

/** The USDC transfers of a transaction with their lasting names. */
export const transfersOf = (chain: Chain, mined: MinedTransaction): { identity: string; move: Transfer }[] =>
  mined.logs.flatMap(log =>
    log.contract === 'USDC' && log.event === 'Transfer' && log.logPosition !== undefined
      ? [{ identity: logIdentity({ network: chain, txHash: mined.hash, logPosition: log.logPosition }), move: transferOf(log) }]
      : [],
  )
