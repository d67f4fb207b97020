import { type Chain, chainRelayerApi, Refusal } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { toChecksum } from '@carapace/chain'
import { type MinedTransaction, transactionOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Transfer, TransferLog } from '../transfer/transfer-log.ts'
import { dropSent, restoreSent } from './dropped.ts'
import { giveBack } from './intake.ts'
import { paidIn } from './paid-in.ts'
import { arrivedBy, newFund, prunedMs, type X402Payment } from './payment.ts'
import type { PaymentState } from './payment-states.ts'
import { dropTransfer, endTransfer, includeTransfer, newTransfer, type SentBy, transferIdOf, type X402Transfer } from './transfer.ts'

const noAddress = `0x${'0'.repeat(40)}`

/** Whether an address is the intake of a network, or was it under a former key, or where sold reads are paid to. */
export async function isX402Address({ networks, config }: Parts, chain: Chain, address: string): Promise<boolean> {
  return config.X402_PAY_TO_ADDRESS?.toLowerCase() === address.toLowerCase() || networks.isLane(chain, address)
}

/**
 * A final transfer to an address of x402: payments that it had paid before the chain dropped it are booked again; what no payment claims waits for one.
 * @throws Retry where the transaction cannot be read yet
 */
export async function followArrival(parts: Parts, log: TransferLog, move: Transfer): Promise<void> {
  const sent: SentBy = { chain: log.network, txHash: log.txHash.toLowerCase(), payer: move.from, payTo: move.to }
  const named = await parts.x402.ofTransfer(sent)
  const dropped = named.filter(payment => restoreSent(payment, parts.clock.now()) !== undefined)
  if (dropped.length === 0 && claimedBy(named) >= move.amount) return
  const mined = await transactionOf(parts, log)
  if (!mined) throw new Retry(`${log.txHash} cannot be read yet`)
  const paid = paidIn(mined.logs, sent)
  for (const { id, amount } of dropped) if (paid >= amount) await parts.x402.change(id, payment => restoreSent(payment, parts.clock.now()))
  const amount = paid - claimedBy(await parts.x402.ofTransfer(sent))
  if (amount <= 0n || (await isOwnMoney(parts, sent, mined))) return
  const { id } = await parts.x402Transfers.createOnce(transferIdOf(sent), () => newTransfer(sent, amount, parts.clock.now()))
  await parts.x402Transfers.change(id, transfer => includeTransfer(transfer, parts.clock.now()))
}

/**
 * The chain has dropped the block of a transfer to an address of x402. Nothing changes where it shows the transfer in another block.
 * @throws Retry while the chain shows it in that very block
 */
export async function followRemoval(parts: Parts, log: TransferLog, move: Transfer): Promise<void> {
  const mined = await transactionOf(parts, log)
  if (mined?.blockHash === log.blockHash) {
    if (mined.final) return
    throw new Retry(`${log.logId} was announced as dropped, and the chain shows it`)
  }
  const sent: SentBy = { chain: log.network, txHash: log.txHash.toLowerCase(), payer: move.from, payTo: move.to }
  const paid = mined ? paidIn(mined.logs, sent) : 0n
  for (const { id, amount } of await parts.x402.ofTransfer(sent)) if (paid < amount) await parts.x402.change(id, dropSent)
  const transfer = paid > 0n ? undefined : await parts.x402Transfers.get(transferIdOf(sent))
  if (transfer) await parts.x402Transfers.change(transfer.id, dropTransfer)
}

/** Time alone: a transfer that nobody has claimed is returned from the intake, and listed elsewhere. */
export async function transferDue(parts: Parts, transfer: Stored<X402Transfer>): Promise<void> {
  const { id, chain, txHash, payer, payTo } = transfer
  // an authorisation that is being settled may prove to have moved it
  if ((await parts.x402.count({ state: 'claimed', chain, payer })) > 0) return
  const mined = await transactionOf(parts, { network: chain, txHash })
  const named = await parts.x402.ofTransfer(transfer)
  const isReturned = named.some(payment => payment.id === id)
  if (mined && !mined.final) return
  const amount = mined ? paidIn(mined.logs, transfer) - claimedBy(named) : unclaimedOf(transfer, named, parts.clock.now())
  if (amount === undefined) return
  if (isReturned || amount <= 0n) {
    await parts.x402Transfers.change(id, present => endTransfer(present, isReturned ? 'giveBack' : 'claim', present.amount))
  } else if (await parts.networks.isLane(chain, payTo)) {
    await returnTransfer(parts, transfer, amount)
    await parts.x402Transfers.change(id, present => endTransfer(present, 'giveBack', amount))
  } else await parts.x402Transfers.change(id, present => endTransfer(present, 'list', amount))
}

/** What a node has pruned was final when it was recorded: the record counts a while later, less what was claimed since. Undefined: too early for that. */
function unclaimedOf({ amount, dueAt, createdAt }: Stored<X402Transfer>, named: readonly Stored<X402Payment>[], now: Date): bigint | undefined {
  const isLate = dueAt !== null && now.getTime() >= dueAt.getTime() + prunedMs
  return isLate ? amount - claimedBy(named.filter(payment => payment.createdAt > createdAt)) : undefined
}

/** Sends what came to the intake, and can serve nothing, back to its payer. Only final money is returned, and none of the platform's own. */
export async function returnRefused(parts: Parts, sent: SentBy, mined: MinedTransaction): Promise<boolean> {
  if (!mined.final || !(await parts.networks.isLane(sent.chain, sent.payTo)) || (await isOwnMoney(parts, sent, mined))) return false
  const amount = paidIn(mined.logs, sent) - claimedBy(await parts.x402.ofTransfer(sent))
  if (amount > 0n) await returnTransfer(parts, sent, amount)
  return amount > 0n
}

/** The unique proof decides between a claim and the return: one of both has the transfer. */
async function returnTransfer(parts: Parts, sent: SentBy, amount: bigint): Promise<void> {
  const create = (proofTx: string) => parts.x402.createOnce(transferIdOf(sent), () => returnOf(sent, amount, proofTx, parts.clock.now()))
  await create(sent.txHash).catch(async (error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'REPLAY_DETECTED') throw error
    const [holder] = await parts.x402.find({ proofTx: sent.txHash }, { limit: 1 })
    if (!holder || holder.payer === sent.payer) throw error
    // another payer of that transaction has its proof, so no claim of this one can have it any more
    await create(`${sent.txHash}/${sent.payer}`)
  })
}

function returnOf({ chain, txHash, payer, payTo }: SentBy, amount: bigint, proofTx: string, now: Date) {
  const payment: X402Payment = {
    id: transferIdOf({ chain, txHash, payer, payTo }),
    scheme: 'spec',
    state: 'settled',
    route: 'none',
    amount,
    payTo,
    agentId: null,
    buyer: payer,
    payer,
    chain,
    nonce: '',
    proofTx,
    onChain: arrivedBy(txHash),
    leasedUntil: null,
    settledAt: now,
    failure: null,
    fund: newFund('none', ''),
  }
  return giveBack(payment, 'not_claimed')!
}

/** What the platform sends itself is none of a payer: its own transactions, its contracts and wallets, and new test money. */
async function isOwnMoney({ networks, peers, config }: Parts, { chain, payer, payTo }: SentBy, mined: MinedTransaction): Promise<boolean> {
  const lanes = await networks.everyLane(chain)
  if (payer === noAddress || payer === payTo || lanes.includes(toChecksum(mined.from))) return true
  const own = [...lanes, config.X402_PAY_TO_ADDRESS, config.ORACLE_WALLET, ...config.ADMIN_WALLETS]
  if (own.some(wallet => wallet !== undefined && toChecksum(wallet) === payer)) return true
  const { contracts } = await peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
  if (Object.values(contracts).some(address => toChecksum(address) === payer)) return true
  return (await networks.contractAt(chain, ['escrow', 'commerce', 'domains'], payer)) !== undefined
}

const without: readonly PaymentState[] = ['failed', 'lost']
/** What payments have of a transfer, µ. */
export const claimedBy = (payments: readonly X402Payment[]): bigint =>
  payments.filter(({ state }) => !without.includes(state)).reduce((sum, { amount }) => sum + amount, 0n)
