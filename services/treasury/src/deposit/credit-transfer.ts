import { type Chain, type ChainLog, chainRelayerApi } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { jobIdOn } from '@carapace/chain'
import { transactionOf } from '@carapace/service'
import { accountTransaction } from '../ledger/account-transaction.ts'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { paymentKey } from '../payment/payment.ts'
import { identityIn, type Transfer, type TransferLog, transferOf } from '../transfer/transfer-log.ts'
import type { Wallet } from '../wallet/wallet.store.ts'
import { followArrival, isX402Address } from '../x402/follow-transfers.ts'
import type { Deposit } from './deposit.store.ts'
import { findDeposit } from './find-deposit.ts'
import { originOf } from './origin.ts'
import { creditDeposit, creditOf, reverseDeposit, type Source } from './post-deposit.ts'

const noAddress = `0x${'0'.repeat(40)}`

/**
 * Credits a wallet with a transfer that is final, once for ever by the log's lasting name, in any block of its transaction. The same log with
 * other content replaces the earlier one. What leaves a wallet is posted by the outcome of its command, so a transfer from one of ours to
 * the outside says nothing new here.
 * @throws Retry when the wallet, or the transaction, is not known yet
 */
export async function creditTransfer(parts: Parts, log: TransferLog & { final: boolean }): Promise<void> {
  if (!log.final) return
  const move = transferOf(log)
  if (move.amount === 0n) return
  const wallets = await parts.wallets.find({ address: { $in: [move.to, move.from] } })
  const [wallet, sender] = [move.to, move.from].map(address => wallets.find(found => found.address === address))
  if (!wallet) {
    if (sender) return
    if (await isX402Address(parts, log.network, move.to)) return followArrival(parts, log, move)
    throw new Retry(`${move.to} has no wallet yet`)
  }
  const identity = await identityOf(parts, log)
  if (identity === undefined) return
  const credit = async (mayBeDropped: boolean): Promise<boolean> => {
    const source = await sourceOf(parts, log, move, sender)
    const seen = { ...creditOf(wallet, move), id: identity, chain: log.network, txHash: log.txHash, source: source.account }
    return accountTransaction(parts, wallet.agentId, async session => {
      const recorded = await findDeposit(parts, seen, session, mayBeDropped)
      if (recorded?.status === 'credited' && isSame(recorded, seen)) return true
      if (recorded?.status === 'dropped' && !mayBeDropped) return false
      const before = recorded?.status === 'credited' ? await reverseDeposit(parts, recorded, session) : recorded
      const { posting = 0, entryKey = `deposit:${identity}` } = before ?? {}
      await creditDeposit(parts, before, { ...seen, posting, entryKey }, source, session)
      return true
    })
  }
  if (!(await credit(false)) && (await isStillThere(parts, log))) await credit(true)
}

/** Also where it comes from: the same refund is another job's where a reorganisation has changed the numbers of the jobs. */
const isSame = (recorded: Deposit, seen: Pick<Deposit, 'to' | 'amount' | 'source'>): boolean =>
  recorded.to === seen.to && recorded.amount === seen.amount && recorded.source === seen.source

async function identityOf(parts: Parts, log: TransferLog): Promise<string | undefined> {
  if (log.logPosition !== undefined) return identityIn(log, undefined)
  const mined = await transactionOf(parts, log)
  // in another block it is announced again, when that one is final
  return mined ? identityIn(log, mined) : Promise.reject(new Retry(`${log.txHash} cannot be read yet`))
}

/** What was announced as dropped counts again only where the chain shows it: announcements may come late, and in any order. */
async function isStillThere(parts: Parts, log: TransferLog): Promise<boolean> {
  const mined = await transactionOf(parts, log)
  if (!mined) throw new Retry(`${log.txHash} was dropped and cannot be read yet`)
  return mined.blockHash === log.blockHash
}

const words = { deposit: 'Deposit', gig_payout: 'Gig payout', refund: 'Refund', payment: 'Payment received' } as const

async function sourceOf(parts: Parts, log: TransferLog, move: Transfer, sender: Wallet | undefined): Promise<Source> {
  const outside = { account: account.outside(move.from), from: move.from, gigId: null, counterpartyId: null }
  if (move.from === noAddress) return { ...outside, from: null, kind: 'deposit', account: account.faucet, description: words.deposit }
  const contract = sender ? 'USDC' : await contractAt(parts, log.network, move.from)
  const logs = contract === 'outside' ? [] : await logsOf(parts, log)
  // the transaction may be in another block by now, where its logs have other indexes
  const same = log.logPosition === undefined ? undefined : logs.find(({ logPosition }) => logPosition === log.logPosition)
  const origin = originOf({ ...move, logIndex: same?.logIndex ?? move.logIndex }, contract, logs)
  if (origin.kind === 'job_refund') {
    const jobId = await jobIdOf(parts, log.network, move.from, origin.onChainJobId)
    return { ...outside, kind: 'refund', account: account.clearing(`job.settle:${jobId}`), description: words.refund }
  }
  if (origin.kind !== 'payment') {
    const clearing = origin.isOurs && origin.gigId !== null ? account.clearing(`escrow.settle:${origin.gigId}`) : outside.account
    return { ...outside, kind: origin.kind, gigId: origin.gigId, account: clearing, description: words[origin.kind] }
  }
  const payment = (await parts.payments.byNonces([origin.nonce])).get(origin.nonce)
  if (!payment) return { ...outside, kind: 'deposit', counterpartyId: sender?.agentId ?? null, description: words.deposit }
  return {
    ...outside,
    kind: 'payment',
    account: account.clearing(paymentKey(payment.id)),
    gigId: payment.gigId,
    counterpartyId: payment.fromAgentId,
    description: payment.note ?? words.payment,
  }
}

/**
 * @param contract that paid
 * @param onChainJobId the number in a final log, which does not change any more
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
async function jobIdOf({ peers, networks }: Parts, chain: Chain, contract: string, onChainJobId: string): Promise<string> {
  const body = { contract: 'Commerce', fn: 'keyOf', args: [onChainJobId], at: contract }
  const { result } = await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })
  return jobIdOn(networks, chain, String(result[0]), contract)
}

const payers = { escrow: 'Escrow', commerce: 'Commerce' } as const

async function contractAt({ networks }: Parts, chain: Chain, address: string): Promise<'Escrow' | 'Commerce' | 'outside'> {
  const found = await networks.contractAt(chain, ['escrow', 'commerce'], address)
  return found === undefined ? 'outside' : payers[found]
}

async function logsOf(parts: Parts, log: TransferLog): Promise<ChainLog[]> {
  const mined = await transactionOf(parts, log)
  return mined?.logs ?? Promise.reject(new Retry(`${log.txHash} cannot be read yet`))
}
