import { type Chain, chains, formatUsdc, limits, type NextDeadline } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { type Budget, limitAt, nextResetAt, remainingOn, spentOn } from './budget/budget.ts'
import type { Movement } from './history.store.ts'
import type { Holding } from './ledger/accounts.ts'
import type { Payment, PaymentStatus } from './payment/payment.ts'
import type { Reservation } from './reservation/reservation.ts'
import type { Wallet } from './wallet/wallet.store.ts'

const micro = (amount: bigint): number => Number(amount)
const money = (amount: bigint) => ({ amount: micro(amount), amountFormatted: formatUsdc(amount) })
const cancelUrl = (paymentId: string): string => `/api/treasury/payments/${paymentId}/cancel`

export const walletRow = ({ id, agentId, address, chain, version }: Stored<Wallet>) => ({ walletId: id, agentId, address, chain, version })

export const walletView = ({ id, address, chain }: Wallet, usdcAddress: string, existing: boolean) => ({
  depositAddress: address,
  walletId: id,
  instructions: `Send USDC (${usdcAddress} on ${chain}) to ${address}. The address is the same on ${chains.join(' and ')}; only USDC is credited, once its block is final.`,
  usdcAddress,
  chain,
  existing,
})

export const balanceView = (wallet: Wallet | undefined, home: Chain, holdings: Record<Chain, Holding>) => ({
  balance: micro(holdings[home].available),
  balanceFormatted: formatUsdc(holdings[home].available),
  walletId: wallet?.id ?? null,
  walletExists: wallet !== undefined,
  reserved: micro(holdings[home].reserved),
  debt: micro(holdings[home].debt),
  balances: perChain(chain => micro(holdings[chain].available)),
  debts: perChain(chain => micro(holdings[chain].debt)),
})

export const limitsView = (budget: Budget, now: Date) => {
  const dailyLimit = limitAt(budget, now)
  const remaining = remainingOn(budget, now)
  return {
    dailyLimit: micro(dailyLimit),
    dailyLimitFormatted: formatUsdc(dailyLimit),
    spentToday: micro(spentOn(budget, now)),
    remaining: micro(remaining),
    remainingFormatted: formatUsdc(remaining),
    nextResetAt: nextResetAt(now).toISOString(),
  }
}

const answered = { pending: 'queued', submitted: 'processing', processing: 'processing' } as const
const statusUrl = (paymentId: string): string => `/api/treasury/payments/${paymentId}`

export const spendableView = (wallet: Wallet | undefined, budget: Budget, { available, debt }: Holding, now: Date) => ({
  address: wallet?.address ?? null,
  available: String(available),
  debt: String(debt),
  dailyLimit: String(limitAt(budget, now)),
  remaining: String(remainingOn(budget, now)),
  resetsAt: nextResetAt(now).toISOString(),
})

/** What time alone does next: a queued payment is sent, what became of a sent one is queried. */
function deadlineOf({ status, executeAfter, updatedAt }: Stored<Payment>, now: Date): NextDeadline {
  if (status === 'pending') {
    // one whose account is in debt or whose sender is suspended is not sent, and fails after the same time again
    const isLate = executeAfter < now
    const at = isLate ? new Date(executeAfter.getTime() + limits.treasury.queueDelayMs) : executeAfter
    return { at: at.toISOString(), action: isLate ? 'fail' : 'execute' }
  }
  return status in answered ? pollDeadline(updatedAt, now) : null
}

/**
 * The answer to the one who pays; without the balance while the books cannot be read.
 * @param now platform clock
 */
export const paymentView = (payment: Stored<Payment>, recipientHandle: string | null, newBalance: bigint | undefined, now: Date) => {
  const { id, status, onChain, amount, toAgentId, toAddress, note } = payment
  const shown: PaymentStatus | 'queued' = status in answered ? answered[status as keyof typeof answered] : status
  return {
    status: shown as Exclude<typeof shown, keyof typeof answered> | 'processing',
    paymentId: id,
    txHash: onChain?.txHash ?? null,
    ...money(amount),
    recipient: { agentId: toAgentId, handle: recipientHandle, address: toAddress },
    ...(newBalance === undefined ? {} : { newBalance: micro(newBalance) }),
    note,
    statusUrl: statusUrl(id),
    nextDeadline: deadlineOf(payment, now),
    ...(status === 'pending' ? { cancelUrl: cancelUrl(id), executeAfter: payment.executeAfter.toISOString() } : {}),
  }
}

export const pendingView = ({ id, fromAgentId, toAgentId, amount, status, executeAfter, acceptedAt, note, gigId }: Payment) => ({
  id,
  fromAgentId,
  // a withdrawal goes to the agent itself
  toAgentId: toAgentId ?? fromAgentId,
  ...money(amount),
  status,
  executeAfter: executeAfter.toISOString(),
  createdAt: acceptedAt.toISOString(),
  note,
  gigId,
  cancelUrl: cancelUrl(id),
})

export const movementView = (movement: Movement, handles: (id: string) => string | null, titles: ReadonlyMap<string, string>) => {
  const { id, type, status, amount, counterpartyId, gigId, txHash, description, at, chain } = movement
  return {
    id,
    type,
    status,
    ...money(amount),
    chain,
    counterpartyHandle: counterpartyId === null ? null : handles(counterpartyId),
    gigId,
    gigTitle: gigId === null ? null : (titles.get(gigId) ?? null),
    txHash,
    description,
    createdAt: at.toISOString(),
  }
}

export const reservationView = ({ id, status, agentId, address, amount, chain }: Reservation) => ({
  reservationId: id,
  status,
  agentId,
  address,
  amount: String(amount),
  chain,
})
