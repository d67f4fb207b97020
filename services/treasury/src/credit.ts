import { type Chain, type ChainLog, chainRelayerApi, depositReceived } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { toChecksum } from '@carapace/chain'
import { transact, transfer } from '@carapace/store'
import { account } from './accounts.ts'
import { type DepositKind, originOf, type Transfer } from './origin.ts'
import type { Parts } from './parts.ts'
import { paymentKey } from './payment.ts'
import type { Wallet } from './wallet.store.ts'

export interface TransferLog {
  logId: string
  network: Chain
  final: boolean
  args: ChainLog['args']
  logIndex: number
  txHash: string
}

const noAddress = `0x${'0'.repeat(40)}`
const words: Record<DepositKind, string> = { deposit: 'Deposit', gig_payout: 'Gig payout', refund: 'Refund', payment: 'Payment received' }

/**
 * Credits a wallet with a transfer that is final, once for ever by the log's id. What leaves a wallet is posted by the outcome of its command,
 * so a transfer from one of ours to the outside says nothing new here.
 */
export async function creditTransfer(parts: Parts, log: TransferLog): Promise<void> {
  if (!log.final) return
  const move: Transfer = {
    from: toChecksum(String(log.args.from)),
    to: toChecksum(String(log.args.to)),
    amount: BigInt(String(log.args.value)),
    logIndex: log.logIndex,
  }
  if (move.amount === 0n) return
  const [wallet, sender] = await Promise.all([parts.wallets.byAddress(move.to), parts.wallets.byAddress(move.from)])
  if (!wallet) {
    if (sender || (await isPlatforms(parts, log.network, move.to))) return
    throw new Retry(`${move.to} has no wallet yet`)
  }
  const source = await sourceOf(parts, log, move, sender)
  await transact(parts, async session => {
    const entry = {
      key: `deposit:${log.logId}`,
      chain: log.network,
      lines: transfer(source.account, account.available(wallet.agentId), move.amount),
      ref: { type: 'deposit', id: wallet.id },
      txHash: log.txHash,
    }
    if (!(await parts.ledger.post(entry, session))) return
    const now = parts.clock.now()
    const received = depositReceived.of({
      walletId: wallet.id,
      agentId: wallet.agentId,
      chain: log.network,
      amount: move.amount,
      from: move.from === noAddress ? null : move.from,
      txHash: log.txHash,
      kind: source.kind,
      receivedAt: now.toISOString(),
    })
    await parts.wallets.change(wallet.id, state => ({ state, events: [received] }), { session })
    await parts.history.add(
      {
        id: parts.newId(),
        agentId: wallet.agentId,
        type: 'credit',
        status: 'executed',
        amount: move.amount,
        chain: log.network,
        counterpartyId: source.counterpartyId,
        gigId: source.gigId,
        txHash: log.txHash,
        description: source.description,
        isFinal: true,
        at: now,
      },
      session,
    )
  })
}

/** The address that takes in x402 payments, or sends the platform's transactions. */
async function isPlatforms({ networks, config }: Parts, chain: Chain, address: string): Promise<boolean> {
  return config.X402_PAY_TO_ADDRESS?.toLowerCase() === address.toLowerCase() || (await networks.lane(chain)) === address
}

interface Source {
  kind: DepositKind
  /** The account that is debited. */
  account: string
  gigId: string | null
  counterpartyId: string | null
  description: string
}

async function sourceOf(parts: Parts, log: TransferLog, move: Transfer, sender: Wallet | undefined): Promise<Source> {
  const outside = { account: account.outside(move.from), gigId: null, counterpartyId: null }
  if (move.from === noAddress) return { ...outside, kind: 'deposit', account: account.faucet, description: words.deposit }
  const known = sender ? 'USDC' : await contractAt(parts, log.network, move.from)
  const origin = originOf(move, known, known === 'outside' ? [] : await logsOf(parts, log))
  if (origin.kind !== 'payment') {
    const clearing = origin.isOurs && origin.gigId !== null ? account.clearing(`escrow.settle:${origin.gigId}`) : outside.account
    return { ...outside, kind: origin.kind, gigId: origin.gigId, account: clearing, description: words[origin.kind] }
  }
  const payment = (await parts.payments.byNonces([origin.nonce])).get(origin.nonce)
  if (!payment) return { ...outside, kind: 'deposit', counterpartyId: sender?.agentId ?? null, description: words.deposit }
  return {
    kind: 'payment',
    account: account.clearing(paymentKey(payment.id)),
    gigId: payment.gigId,
    counterpartyId: payment.fromAgentId,
    description: payment.note ?? words.payment,
  }
}

async function contractAt(parts: Parts, chain: Chain, address: string): Promise<'Escrow' | 'Commerce' | 'outside'> {
  const { escrow, commerce } = await parts.networks.contracts(chain)
  if (escrow === address) return 'Escrow'
  return commerce === address ? 'Commerce' : 'outside'
}

async function logsOf({ peers }: Parts, { network, txHash }: TransferLog): Promise<ChainLog[]> {
  const params = { chain: network, hash: txHash }
  const found = await peers.find('chain-relayer', chainRelayerApi.internal.chainTx, { params })
  return found?.logs ?? Promise.reject(new Retry(`${txHash} cannot be read yet`))
}
