import { type Chain, chainRelayerApi, chains, dayMs } from '@carapace/api'
import { eachDue, transactionOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { accountTransaction } from '../ledger/account-transaction.ts'
import { account, holdingOf } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { transfersOf } from '../transfer/transfer-log.ts'
import type { Wallet } from '../wallet/wallet.store.ts'
import type { Deposit } from './deposit.store.ts'
import { hasOldName, isOldEntry, recordOf } from './find-deposit.ts'
import { reverseDeposit } from './post-deposit.ts'

const walletsPerRun = 100
const entriesPerWallet = 1_000
/** Polls that must agree before a credit is reversed. */
const pollsNeeded = 3
const pollPauseMs = 5_000

interface Suspect {
  wallet: Stored<Wallet>
  chain: Chain
  /** What was found too much, by entry; and how often in a row. */
  found: string
  polls: number
  polledAt: number
}

/**
 * Compares, at the start and once a day, the deposits of wallets that hold less than the books say with the chain. Of those that were booked when
 * deposits were keyed by block hash, what is not on chain or was booked twice is reversed once three polls have agreed.
 * @param pauseMs between two polls of a wallet (wall clock)
 * @returns one step of it: a batch of wallets, and the polls that are due
 */
export function depositSweep(parts: Parts, pauseMs = pollPauseMs): () => Promise<void> {
  const suspects = new Map<string, Suspect>()
  let startedAt = Number.NEGATIVE_INFINITY
  /** Id of the wallet that was compared last; undefined between two sweeps. */
  let after: string | undefined

  /** @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE: the same batch is compared again */
  async function compareBatch(): Promise<void> {
    if (after === undefined && performance.now() - startedAt < dayMs) return
    if (after === undefined) startedAt = performance.now()
    const wallets = await parts.wallets.find({ _id: { $gt: after ?? '' } }, { sort: { _id: 1 }, limit: walletsPerRun })
    for (const wallet of wallets) {
      for (const chain of chains) {
        const place = `${chain}/${wallet.address}`
        if (!suspects.has(place) && (await isShort(parts, wallet, chain)))
          suspects.set(place, { wallet, chain, found: '', polls: 0, polledAt: Number.NEGATIVE_INFINITY })
      }
    }
    after = wallets.length < walletsPerRun ? undefined : wallets.at(-1)!.id
  }

  async function poll(place: string, suspect: Suspect): Promise<void> {
    const { wallet, chain } = suspect
    const { leading, contradicted } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
    // a node that lags, or leaves things out, is no evidence
    if (!leading || contradicted) return
    const surplus = await surplusOf(parts, wallet, chain)
    const found = surplus
      .map(({ entryKey }) => entryKey)
      .sort()
      .join()
    Object.assign(suspect, { found, polls: found === suspect.found ? suspect.polls + 1 : 1, polledAt: performance.now() })
    if (found === '') suspects.delete(place)
    if (found === '' || suspect.polls < pollsNeeded) return
    await reverseSurplus(parts, wallet.agentId, surplus)
    parts.log.warn({ wallet: wallet.id, chain, entries: found }, 'credits that the chain does not have are reversed')
    suspects.delete(place)
  }

  return async () => {
    await compareBatch()
    const due = [...suspects].filter(([, { polledAt }]) => performance.now() - polledAt >= pauseMs)
    await eachDue(
      parts.log,
      due.map(([id, suspect]) => ({ id, suspect })),
      ({ id, suspect }) => poll(id, suspect),
    )
  }
}

/** Whether the chain holds less than the books say. Money of a payment under way may have left: what follows decides. */
async function isShort({ ledger, peers }: Parts, { agentId, address }: Wallet, chain: Chain): Promise<boolean> {
  const { available, reserved, debt } = await holdingOf(ledger, chain, agentId)
  const booked = available + reserved - debt
  if (booked <= 0n) return false
  const { usdc } = await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: address } })
  return BigInt(usdc) < booked
}

/** Credits of old entries that have no transfer of their own on the chain. Others are reversed when the relayer reports their block as dropped. */
async function surplusOf(parts: Parts, wallet: Stored<Wallet>, chain: Chain): Promise<Deposit[]> {
  const credits = await creditsOf(parts, wallet, chain)
  const surplus: Deposit[] = []
  for (const txHash of new Set(credits.map(credit => credit.txHash))) {
    const ofTransaction = credits.filter(credit => credit.txHash === txHash)
    const mined = await transactionOf(parts, { network: chain, txHash })
    const shown = mined ? transfersOf(chain, mined).filter(({ move }) => move.to === wallet.address) : []
    for (const amount of new Set(ofTransaction.map(credit => credit.amount))) {
      const same = ofTransaction.filter(credit => credit.amount === amount)
      const there = shown.filter(({ move }) => move.amount === amount)
      const names = new Set(there.map(({ identity }) => identity))
      // those that name the transfer, or the block it is in, are the ones that stay
      const rank = ({ id }: Deposit) => (names.has(id) ? 0 : mined && id.includes(mined.blockHash) ? 1 : 2)
      surplus.push(
        ...same
          .toSorted((a, b) => rank(a) - rank(b))
          .slice(there.length)
          .filter(hasOldName),
      )
    }
  }
  return surplus
}

/** What is credited to a wallet: its records, and entries of the time before there were any. */
async function creditsOf(parts: Parts, { id: walletId, agentId, address }: Stored<Wallet>, chain: Chain): Promise<Deposit[]> {
  const [credited, entries] = await Promise.all([
    parts.deposits.credited(walletId),
    parts.ledger.entries({ 'lines.account': account.available(agentId), chain, 'ref.type': 'deposit' }, { limit: entriesPerWallet }),
  ])
  const old = entries.filter(isOldEntry)
  const recorded = new Set(await parts.deposits.recorded(old.map(({ key }) => key)))
  const unrecorded = old.flatMap(entry => {
    const amount = entry.lines.find(line => line.account === account.available(agentId))!.credit
    const id = entry.key.slice('deposit:'.length)
    return recorded.has(entry.key) || !entry.txHash
      ? []
      : [recordOf({ id, chain, txHash: entry.txHash, walletId, agentId, to: address, amount }, entry)]
  })
  return [...credited.filter(deposit => deposit.chain === chain), ...unrecorded]
}

const reverseSurplus = (parts: Parts, agentId: string, surplus: readonly Deposit[]): Promise<void> =>
  accountTransaction(parts, agentId, async session => {
    for (const credit of surplus) {
      const ofTransaction = await parts.deposits.ofTransaction(credit.chain, credit.txHash, session)
      const recorded = ofTransaction.find(({ entryKey }) => entryKey === credit.entryKey)
      // followed in another way meanwhile
      if (recorded && (recorded.id !== credit.id || recorded.status !== 'credited')) continue
      const historyId = recorded?.historyId ?? (await parts.history.creditOf(credit.agentId, credit.txHash, credit.amount, session))
      await reverseDeposit(parts, { ...(recorded ?? credit), historyId }, session)
    }
  })
