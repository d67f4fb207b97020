import { Retry } from '@carapace/bus'
import { transact } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { adoptOld, hasOldName } from './adopt.ts'
import { creditOf, takeBack } from './books.ts'
import type { Deposit } from './deposit.store.ts'
import { identityIn, type MinedTransaction, type TransferLog, transactionOf, transferOf, transfersOf } from './transfer-log.ts'

/**
 * The chain has dropped the block of a transfer, and the relayer has made sure of it. The credit is taken back unless the chain shows the same
 * transfer in another block: announcements may come late, and in any order.
 * @throws Retry while the chain shows it in that very block
 */
export async function transferGone(parts: Parts, log: TransferLog): Promise<void> {
  const move = transferOf(log)
  const wallet = move.amount > 0n ? await parts.wallets.byAddress(move.to) : undefined
  if (!wallet) return
  const mined = await transactionOf(parts, log)
  if (mined?.blockHash === log.blockHash) {
    if (mined.final) return
    throw new Retry(`${log.logId} is said to be gone, and the chain shows it`)
  }
  const identity = identityIn(log, undefined)
  const seen = { ...creditOf(wallet, move), id: identity ?? log.logId, chain: log.network, txHash: log.txHash }
  const work = () =>
    transact(parts, async session => {
      const recorded = await parts.deposits.get(seen.id, session)
      const known = recorded && recorded.posting > 0 ? recorded : await adoptOld(parts, seen, log.logId, session)
      if (known?.status === 'credited') {
        if (!isShown(known, mined)) await takeBack(parts, known, session)
      } else if (!known && identity !== undefined) {
        const never = { source: '', status: 'gone', posting: 0, entryKey: `deposit:${identity}`, historyId: null } as const
        await parts.deposits.put({ ...seen, ...never }, session)
      }
    })
  await parts.queue.serialize(wallet.agentId, work)
}

const isShown = (deposit: Deposit, mined: MinedTransaction | undefined): boolean =>
  mined !== undefined &&
  transfersOf(deposit.chain, mined).some(
    ({ identity, move }) => (identity === deposit.id || hasOldName(deposit)) && move.to === deposit.to && move.amount === deposit.amount,
  )
