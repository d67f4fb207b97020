import { type Chain, chainRelayerApi, chains, hourMs } from '@carapace/api'
import type { Checks } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { account, type Holding, holdingsByAgent } from './ledger/accounts.ts'
import type { Parts } from './parts.ts'
import type { PaymentStatus } from './payment/payment.ts'
import type { ReservationStatus } from './reservation/reservation.ts'
import type { Wallet } from './wallet/wallet.store.ts'
import { incomeFaults, intakeFaults, paymentFaults, returnFaults } from './x402/invariants.ts'

const stuckAfterMs = hourMs
const creditedWithinMs = 10 * 60_000
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
  ledger: ({ ledger }, extent) => (extent === 'whole' ? ledger.audit() : ledger.auditNews()),

  /** The reserved account of an agent is the sum of its held reservations. */
  reserved: async (parts, extent) => {
    const suspects = new Set<string>()
    const reserving = await parts.reservations.find({ status: 'held' })
    // who has none held is met in what ended lately, or in the slices of the wallets
    const others = extent === 'whole' ? undefined : [...(await parts.walletsOfMinute()), ...(await endedLately(parts))]
    const accounts = others === undefined ? await parts.ledger.open('wallet:') : undefined
    for (const chain of chains) {
      const held = heldByAgent(reserving.filter(reservation => reservation.chain === chain))
      const names = [...held.keys(), ...(others ?? []).map(({ agentId }) => agentId)].map(account.reserved)
      const booked = accounts?.on(chain) ?? (await parts.ledger.balancesOf(chain, [...new Set(names)]))
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
    const faultsOf = (agentId: string, chain: Chain, debt: bigint, available: bigint): string[] => [
      ...(debt < 0n ? [`${account.debt(agentId)} is above zero on ${chain}: ${-debt}`] : []),
      ...(debt > 0n && available > 0n ? [`${agentId} owes ${debt} on ${chain} and has ${available} available`] : []),
    ]
    const again = (agentId: string, chain: Chain) =>
      db.transaction(async session => {
        const [debt, available] = [account.debt(agentId), account.available(agentId)]
        const balances = await ledger.balancesOf(chain, [debt, available], session)
        return faultsOf(agentId, chain, -(balances.get(debt) ?? 0n), balances.get(available) ?? 0n)
      })
    const accounts = await ledger.open(account.debt(''))
    const compared = chains.map(async chain => {
      const debts = [...accounts.on(chain)].map(([name, balance]) => ({ agentId: name.slice(account.debt('').length), debt: -balance }))
      const available =
        debts.length > 0
          ? await ledger.balancesOf(
              chain,
              debts.map(({ agentId }) => account.available(agentId)),
            )
          : new Map()
      const suspects = debts.filter(({ agentId, debt }) => faultsOf(agentId, chain, debt, available.get(account.available(agentId)) ?? 0n).length > 0)
      return (await Promise.all(suspects.map(({ agentId }) => again(agentId, chain)))).flat()
    })
    return (await Promise.all(compared)).flat()
  },

  /** A payment and its reservation agree: each ends in exactly one of executed, failed, cancelled. */
  payments: async ({ payments, reservations, db }) => {
    const open = await payments.find({ status: { $in: ['pending', 'submitted', 'processing'] } })
    const reserved = await reservations.many(open.map(({ id }) => id))
    // read one after the other: what differs is compared again in one snapshot
    const suspects = open.filter(({ id, status }) => reserved.get(id)?.status !== belongs[status])
    const compared = suspects.map(({ id }) =>
      db.transaction(async session => {
        const [payment, reservation] = [await payments.need(id, session), await reservations.get(id, session)]
        return reservation?.status === belongs[payment.status] ? [] : [`payment ${id} is ${payment.status}, its money ${reservation?.status}`]
      }),
    )
    return (await Promise.all(compared)).flat()
  },

  /** What one custodial wallet paid to another has arrived, once both sides have had time. */
  clearing: async ({ ledger, payments, clock }) => {
    const faults: string[] = []
    const accounts = await ledger.open(account.clearing('treasury.pay:'))
    for (const chain of chains) {
      for (const [name, balance] of accounts.on(chain)) {
        const payment = await payments.get(name.slice(account.clearing('treasury.pay:').length))
        if (payment && clock.now().getTime() - payment.updatedAt.getTime() > creditedWithinMs) faults.push(`${name} holds ${balance} on ${chain}`)
      }
    }
    return faults
  },

  /** What is booked is in the wallets; what came into them is credited. */
  x402: async (parts, extent) => [...(await incomeFaults(parts, extent)), ...(await paymentFaults(parts)), ...(await intakeFaults(parts))],

  custody: async parts => {
    const wallets = await parts.walletsOfMinute()
    const faults: string[] = []
    for (const chain of chains)
      for (const suspect of await custodyFaults(parts, wallets, chain))
        faults.push(...(await custodyFaults(parts, [suspect.wallet], chain)).map(({ fault }) => fault))
    return faults
  },

  stuck: async parts => {
    const { reservations, payments, clock } = parts
    const before = new Date(clock.now().getTime() - stuckAfterMs)
    const held = await reservations.find({ status: 'held', createdAt: { $lt: before } }, { limit: stuckShown })
    const waiting = new Set((await payments.find({ status: 'pending' })).map(({ id }) => id))
    const stuck = held.filter(({ id }) => !waiting.has(id))
    const reserved = stuck.map(({ key, round }) => `round ${round} of ${key} has held money for more than an hour`)
    return [...reserved, ...(await returnFaults(parts, stuckShown))]
  },
}

/** Of the last minutes; those that end later are met in the slices of the wallets. */
const endedLately = ({ reservations, clock }: Parts) => {
  const createdAt = { $gt: new Date(clock.now().getTime() - 2 * creditedWithinMs) }
  return reservations.findAny(['captured', 'voided'].map(status => ({ status, createdAt })))
}

function heldByAgent(reservations: readonly { agentId: string; amount: bigint }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { agentId, amount } of reservations) sums.set(agentId, (sums.get(agentId) ?? 0n) + amount)
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

/**
 * Money under way may have left already, so only what is available must be there for certain; more than is booked is a deposit that is not final yet. The
 * chain is read first: what came since is credited later than that. Of many wallets it is read for long: each that seems wrong is compared again alone.
 */
async function custodyFaults(parts: Parts, wallets: readonly Stored<Wallet>[], chain: Chain): Promise<{ wallet: Stored<Wallet>; fault: string }[]> {
  const onChain = new Map<string, bigint>()
  for (const { address } of wallets) {
    const { usdc } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: address } })
    onChain.set(address, BigInt(usdc))
  }
  const holdings = await holdingsByAgent(
    parts.ledger,
    chain,
    wallets.map(({ agentId }) => agentId),
  )
  return wallets.flatMap(wallet => {
    const fault = custodyFault(parts, { ...wallet, chain }, onChain.get(wallet.address)!, holdings.get(wallet.agentId)!)
    return fault === undefined ? [] : [{ wallet, fault }]
  })
}

function custodyFault(
  { excess }: Pick<Parts, 'excess'>,
  { agentId, address, chain }: Pick<Wallet, 'agentId' | 'address' | 'chain'>,
  onChain: bigint,
  { available, reserved, debt }: Holding,
): string | undefined {
  if (onChain < available) return `${address} holds ${onChain} on ${chain}, ${available} are available to ${agentId}`
  const over = onChain - available - reserved + debt
  const place = `${chain}/${address}`
  const seen = excess.get(place)
  if (over <= 0n) excess.delete(place)
  else if (seen?.amount !== over) excess.set(place, { amount: over, since: Date.now() })
  else if (Date.now() - seen.since > creditedWithinMs) return `${address} holds ${over} on ${chain} that nobody was credited with`
  return undefined
}
