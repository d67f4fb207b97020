import { Retry } from '@carapace/bus'
import { type MinedTransaction, transactionOf } from '@carapace/service'
import { accountTransaction } from '../ledger/account-transaction.ts'
import type { Parts } from '../parts.ts'
import { identityIn, type TransferLog, transferOf, transfersOf } from '../transfer/transfer-log.ts'
import { followRemoval, isX402Address } from '../x402/follow-transfers.ts'
import type { Deposit } from './deposit.store.ts'
import { adoptOld, hasOldName } from './find-deposit.ts'
import { creditOf, reverseDeposit } from './post-deposit.ts'

/**
 * The chain has dropped the block of a transfer, and the relayer has made sure of it. The credit is reversed unless the chain shows the same
 * transfer in another block: announcements may come late, and in any order.
 * @throws Retry while the chain shows it in that very block
 */
export async function reverseTransfer(parts: Parts, log: TransferLog): Promise<void> {
  const move = transferOf(log)
  if (move.amount === 0n) return
  const wallet = await parts.wallets.byAddress(move.to)
  if (!wallet) {
    if (await isX402Address(parts, log.network, move.to)) await followRemoval(parts, log, move)
    return
  }
  const mined = await transactionOf(parts, log)
  if (mined?.blockHash === log.blockHash) {
    if (mined.final) return
    throw new Retry(`${log.logId} was announced as dropped, and the chain shows it`)
  }
  const identity = identityIn(log, undefined)
  const seen = { ...creditOf(wallet, move), id: identity ?? log.logId, chain: log.network, txHash: log.txHash }
  await accountTransaction(parts, wallet.agentId, async session => {
    const recorded = await parts.deposits.get(seen.id, session)
    const deposit = recorded && recorded.posting > 0 ? recorded : await adoptOld(parts, seen, log.logId, session)
    if (deposit?.status === 'credited') {
      if (!isShown(deposit, mined)) await reverseDeposit(parts, deposit, session)
    } else if (!deposit && identity !== undefined) {
      const never = { source: '', status: 'dropped', posting: 0, entryKey: `deposit:${identity}`, historyId: null } as const
      await parts.deposits.put(recorded, { ...seen, ...never }, session)
    }
  })
}

const isShown = (deposit: Deposit, mined: MinedTransaction | undefined): boolean =>
  mined !== undefined &&
  transfersOf(deposit.chain, mined).some(
    ({ identity, move }) => (identity === deposit.id || hasOldName(deposit)) && move.to === deposit.to && move.amount === deposit.amount,
  )
