import { depositReceived, depositReversed } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import type { Transfer } from '../transfer/transfer-log.ts'
import type { Wallet } from '../wallet/wallet.store.ts'
import type { Deposit } from './deposit.store.ts'
import { depositStates } from './deposit-states.ts'
import type { DepositKind } from './origin.ts'

/** Where a credit comes from. */
export interface Source {
  kind: DepositKind
  /** The account that is debited. */
  account: string
  /** null for test money out of nothing. */
  from: string | null
  gigId: string | null
  counterpartyId: string | null
  description: string
}

/** Whose wallet a transfer reaches, and with what. */
export const creditOf = ({ id: walletId, agentId }: Stored<Wallet>, { to, from, amount }: Transfer) => ({ walletId, agentId, to, from, amount })

/**
 * Credits a deposit for the first time, or again after it was reversed: entry, history, event and record.
 * @param before its record, read in this session; undefined where there is none
 */
export async function creditDeposit(
  parts: Parts,
  before: Deposit | undefined,
  deposit: Omit<Deposit, 'status' | 'historyId'>,
  { kind, from, gigId, counterpartyId, description }: Source,
  session: ClientSession,
): Promise<void> {
  const { walletId, agentId, chain, amount, txHash } = deposit
  const historyId = parts.newId()
  await parts.deposits.put(before, { ...deposit, posting: deposit.posting + 1, status: 'credited', historyId }, session)
  const now = parts.clock.now()
  const received = depositReceived.of({ walletId, agentId, chain, amount, from, txHash, kind, receivedAt: now.toISOString() })
  await parts.wallets.change(walletId, state => ({ state, events: [received] }), { session })
  const line = { id: historyId, agentId, type: 'credit', status: 'executed', amount, chain, counterpartyId, gigId, txHash, description } as const
  await parts.history.add({ ...line, isFinal: true, at: now }, session)
}

/**
 * Reverses a credit that the chain has dropped. What of it is spent already, is the account's debt from now on.
 * @returns the record as it is then
 */
export async function reverseDeposit(parts: Parts, deposit: Deposit, session: ClientSession): Promise<Deposit> {
  const { id, walletId, agentId, chain, amount, txHash, historyId } = deposit
  const status = depositStates.move(deposit.status, 'drop')
  // an entry of the time before there were records has none of its own
  if ((await parts.deposits.get(id, session))?.status !== 'credited') await parts.deposits.adopt(deposit, session)
  const dropped: Deposit = { ...deposit, status }
  await parts.deposits.put(deposit, dropped, session)
  const debt = -(await parts.ledger.balance(chain, account.debt(agentId), session))
  const reversed = depositReversed.of({ walletId, agentId, chain, amount, debt, txHash, reversedAt: parts.clock.now().toISOString() })
  await parts.wallets.change(walletId, state => ({ state, events: [reversed] }), { session })
  // money that is returned at the same moment must see the debt: it writes the budget, too. Without one nothing was ever held
  if (await parts.budgets.get(agentId, session)) await parts.budgets.change(agentId, state => ({ state, events: [] }), { session })
  if (historyId !== null) await parts.history.change(historyId, { status: 'failed', isFinal: false }, session)
  return dropped
}
