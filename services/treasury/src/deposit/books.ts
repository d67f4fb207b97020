import { depositReceived, depositReversed } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account, moneyIn, moneyOut } from '../accounts.ts'
import type { Parts } from '../parts.ts'
import type { Wallet } from '../wallet.store.ts'
import type { Deposit } from './deposit.store.ts'
import type { DepositKind, Transfer } from './origin.ts'

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

/** Credits a deposit for the first time, or again after it was taken back: entry, history, event and record. */
export async function postCredit(
  parts: Parts,
  deposit: Omit<Deposit, 'status' | 'historyId'>,
  { kind, from, gigId, counterpartyId, description }: Source,
  session: ClientSession,
): Promise<void> {
  const { id, walletId, agentId, chain, amount, txHash } = deposit
  const posting = deposit.posting + 1
  const lines = await moneyIn(parts.ledger, { chain, agentId, contra: deposit.source, amount }, session)
  const key = posting === 1 ? deposit.entryKey : `deposit:${id}:${posting}`
  await post(parts, { key, chain, lines, ref: { type: 'deposit', id: walletId }, txHash }, session)
  const now = parts.clock.now()
  const received = depositReceived.of({ walletId, agentId, chain, amount, from, txHash, kind, receivedAt: now.toISOString() })
  await parts.wallets.change(walletId, state => ({ state, events: [received] }), { session })
  const historyId = parts.newId()
  const line = { id: historyId, agentId, type: 'credit', status: 'executed', amount, chain, counterpartyId, gigId, txHash, description } as const
  await parts.history.add({ ...line, isFinal: true, at: now }, session)
  await parts.deposits.put({ ...deposit, posting, status: 'credited', historyId }, session)
}

/** Takes a credit back. What of it is spent already, the account owes from now on. */
export async function takeBack(parts: Parts, deposit: Deposit, session: ClientSession): Promise<void> {
  const { id, walletId, agentId, chain, amount, txHash, source, posting, historyId } = deposit
  const lines = await moneyOut(parts.ledger, { chain, agentId, contra: source, amount }, session)
  await post(parts, { key: `deposit-reversal:${id}:${posting}`, chain, lines, ref: { type: 'deposit', id: walletId }, txHash }, session)
  const debt = -(await parts.ledger.balance(chain, account.debt(agentId), session))
  const reversed = depositReversed.of({ walletId, agentId, chain, amount, debt, txHash, reversedAt: parts.clock.now().toISOString() })
  await parts.wallets.change(walletId, state => ({ state, events: [reversed] }), { session })
  // money that is given back at the same moment must see the debt: it writes the budget, too. Without one nothing was ever set aside
  if (await parts.budgets.get(agentId, session)) await parts.budgets.change(agentId, state => ({ state, events: [] }), { session })
  if (historyId !== null) await parts.history.change(historyId, { status: 'failed', isFinal: false }, session)
  await parts.deposits.put({ ...deposit, status: 'gone' }, session)
}

async function post({ ledger }: Parts, entry: Parameters<Parts['ledger']['post']>[0], session: ClientSession): Promise<void> {
  if (!(await ledger.post(entry, session))) throw new Error(`${entry.key} is in the ledger already`)
}
