import { type Chain, chainRelayerApi, chains, hourMs } from '@carapace/api'
import type { Checks } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { account, holdingOf } from './ledger/accounts.ts'
import type { Parts } from './parts.ts'
import type { PaymentStatus } from './payment/payment.ts'
import type { ReservationStatus } from './reservation/reservation.ts'
import type { Wallet } from './wallet/wallet.store.ts'
import { incomeFaults, intakeFaults, paymentFaults, returnFaults } from './x402/invariants.ts'

const stuckAfterMs = hourMs
const creditedWithinMs = 10 * 60_000
const walletsPerRun = 100
const stuckShown = 20

/** What a payment's status says of its reservation. */
const belongs: Record<PaymentStatus, ReservationStatus> = {
  pending: 'held',
  submitted: 'held',
  processing: 'held',
  executed: 'captured',
  failed: 'voided',
  cancelled: 'voided',
}

/** The invariants of behaviour 18 that the treasury can judge; each names what breaks it. */
export const checks: Checks<Parts> = {
  ledger: ({ ledger }) => ledger.audit(),

  /** The reserved account of an agent is the sum of its held reservations. */
  reserved: async parts => {
    const suspects = new Set<string>()
    for (const chain of chains) {
      const held = await heldByAgent(parts, chain)
      const booked = await parts.ledger.balances(chain, 'wallet:')
      for (const [name, balance] of booked) {
        const [, agentId, kind] = name.split(':')
        if (kind === 'reserved' && balance !== (held.get(agentId!) ?? 0n)) suspects.add(`${chain}/${agentId}`)
      }
      for (const agentId of held.keys()) if (!booked.has(account.reserved(agentId))) suspects.add(`${chain}/${agentId}`)
    }
    return (await Promise.all([...suspects].map(suspect => reservedFault(parts, ...(suspect.split('/') as [Chain, string]))))).flat()
  },

  /** Nothing is available to an account in debt, and no debt is above zero. */
  debts: async ({ ledger, db }) => {
    const faults: string[] = []
    for (const chain of chains) {
      for (const name of (await ledger.balances(chain, account.debt(''))).keys()) {
        const agentId = name.slice(account.debt('').length)
        const [debt, available] = await db.transaction(async session => [
          -(await ledger.balance(chain, name, session)),
          await ledger.balance(chain, account.available(agentId), session),
        ])
        if (debt < 0n) faults.push(`${name} is above zero on ${chain}: ${-debt}`)
        if (debt > 0n && available > 0n) faults.push(`${agentId} owes ${debt} on ${chain} and has ${available} available`)
      }
    }
    return faults
  },

  /** A payment and its reservation agree: each ends in exactly one of executed, failed, cancelled. */
  payments: async ({ payments, reservations, db }) => {
    const faults: string[] = []
    for (const { id } of await payments.find({ status: { $in: ['pending', 'submitted', 'processing'] } })) {
      const fault = await db.transaction(async session => {
        const [payment, reservation] = [await payments.need(id, session), await reservations.get(id, session)]
        return reservation?.status === belongs[payment.status] ? undefined : `payment ${id} is ${payment.status}, its money ${reservation?.status}`
      })
      if (fault) faults.push(fault)
    }
    return faults
  },

  /** What one custodial wallet paid to another has arrived, once both sides have had time. */
  clearing: async ({ ledger, payments, clock }) => {
    const faults: string[] = []
    for (const chain of chains) {
      for (const [name, balance] of await ledger.balances(chain, account.clearing('treasury.pay:'))) {
        const payment = balance === 0n ? undefined : await payments.get(name.slice(account.clearing('treasury.pay:').length))
        if (payment && clock.now().getTime() - payment.updatedAt.getTime() > creditedWithinMs) faults.push(`${name} holds ${balance} on ${chain}`)
      }
    }
    return faults
  },

  /** What is booked is in the wallets; what came into them is credited. */
  x402: async parts => [...(await incomeFaults(parts)), ...(await paymentFaults(parts)), ...(await intakeFaults(parts))],

  custody: async parts => {
    const total = await parts.wallets.count({})
    const minute = Math.floor(Date.now() / 60_000)
    const offset = total > walletsPerRun ? (minute * walletsPerRun) % total : 0
    // with a range the places before the offset are counted in the index, not read
    const wallets = await parts.wallets.find({ _id: { $gt: '' } }, { sort: { _id: 1 }, limit: walletsPerRun, offset })
    const faults: string[] = []
    for (const wallet of wallets) for (const chain of chains) faults.push(...(await custodyFault(parts, wallet, chain)))
    return faults
  },

  stuck: async parts => {
    const { reservations, payments } = parts
    const before = new Date(Date.now() - stuckAfterMs)
    const held = await reservations.find({ status: 'held', createdAt: { $lt: before } }, { limit: stuckShown })
    const waiting = new Set((await payments.find({ status: 'pending' })).map(({ id }) => id))
    const stuck = held.filter(({ id }) => !waiting.has(id))
    const reserved = stuck.map(({ key, round }) => `round ${round} of ${key} has held money for more than an hour`)
    return [...reserved, ...(await returnFaults(parts, stuckShown))]
  },
}

async function heldByAgent({ reservations }: Parts, chain: Chain): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>()
  for (const { agentId, amount } of await reservations.find({ status: 'held', chain })) sums.set(agentId, (sums.get(agentId) ?? 0n) + amount)
  return sums
}

/** Reads both in one snapshot: the two were read one after the other. */
async function reservedFault({ db, ledger, reservations }: Parts, chain: Chain, agentId: string): Promise<string[]> {
  return db.transaction(async session => {
    const booked = await ledger.balance(chain, account.reserved(agentId), session)
    const held = await reservations.heldSum(chain, agentId, session)
    return booked === held ? [] : [`${agentId} has ${booked} reserved on ${chain}, its reservations hold ${held}`]
  })
}

/** Money under way may have left already, so only what is available must be there for certain; more than is booked is a deposit that is not final yet. */
async function custodyFault({ ledger, peers, excess }: Parts, { agentId, address }: Stored<Wallet>, chain: Chain): Promise<string[]> {
  const { usdc } = await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: address } })
  const { available, reserved, debt } = await holdingOf(ledger, chain, agentId)
  const onChain = BigInt(usdc)
  if (onChain < available) return [`${address} holds ${onChain} on ${chain}, ${available} are available to ${agentId}`]
  const over = onChain - available - reserved + debt
  const place = `${chain}/${address}`
  const seen = excess.get(place)
  if (over <= 0n) excess.delete(place)
  else if (seen?.amount !== over) excess.set(place, { amount: over, since: Date.now() })
  else if (Date.now() - seen.since > creditedWithinMs) return [`${address} holds ${over} on ${chain} that nobody was credited with`]
  return []
}
