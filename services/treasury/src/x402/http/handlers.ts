import { refuse, type treasuryApi, usd } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import type { Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { collectAuthorized, networkName } from '../authorized.ts'
import type { Purchase } from '../claim.ts'
import { holdPayment } from '../hold.ts'
import { refuseUse } from '../intake.ts'
import { close } from '../lease.ts'
import type { X402Payment } from '../payment.ts'
import { collectSent } from '../sent.ts'
import type { X402Transfer } from '../transfer.ts'
import { facilitateSettle, facilitateVerify } from './facilitate.ts'
import { listResources } from './resources.ts'

const paymentView = ({ id, agentId, payer, route, amount, chain, onChain, scheme, state, settledAt }: Stored<X402Payment>) => ({
  id,
  agentId,
  payer,
  route,
  amount: usd(amount),
  chain,
  txHash: onChain.txHash,
  scheme,
  state,
  settledAt: settledAt?.toISOString() ?? null,
})

const transferView = ({ id, chain, txHash, payer, payTo, amount, state, createdAt, dueAt }: Stored<X402Transfer>) => ({
  id,
  chain,
  txHash,
  payer,
  payTo,
  amount: usd(amount),
  state,
  seenAt: createdAt.toISOString(),
  dueAt: dueAt?.toISOString() ?? null,
})

export const x402Handlers = (parts: Parts) =>
  ({
    listX402Payments: async ({ params, query }) => {
      const { items, total } = await parts.x402.page({ agentId: params.agentId }, query)
      return { payments: items.map(paymentView), total, ...query }
    },

    getX402Statistics: async () => {
      const { count, amount, payers, byRoute } = await parts.x402.figures()
      return {
        totalPayments: count,
        totalAmount: usd(amount),
        uniquePayers: payers,
        byRoute: byRoute.map(entry => ({ ...entry, amount: usd(entry.amount) })),
      }
    },

    listX402Transfers: async ({ query: { state, ...page } }) => {
      const [{ items, total }, all] = await Promise.all([parts.x402Transfers.page({ state }, page), parts.x402Transfers.figures({ state })])
      return { transfers: items.map(transferView), total, totalAmount: usd(all.amount), ...page }
    },

    verifyX402: ({ body }) => facilitateVerify(parts, needPayTo(parts), body),

    settleX402: ({ body }) => facilitateSettle(parts, needPayTo(parts), body),

    listX402Kinds: async () => {
      if (payTo(parts) === undefined) return { kinds: [], extensions: [], signers: {} }
      const { supportedKinds } = await import('../signer/verify.ts')
      return supportedKinds(parts)
    },

    listX402Resources: ({ query }) => listResources(parts, payTo(parts), query),

    collectX402: async ({ body: { sent, price, ...purchase } }) => {
      const wanted: Purchase = { ...purchase, price: BigInt(price) }
      const payment = sent.scheme === 'spec' ? await collectSent(parts, wanted, sent) : await collectAuthorized(parts, wanted, sent)
      const { id, payer, chain, onChain, amount, nonce } = payment
      const answer = payment.state === 'served' ? ((await parts.x402Answers.get(id)) ?? refuse('REPLAY_DETECTED')) : undefined
      return {
        id,
        payer,
        chain,
        network: networkName(payment),
        txHash: onChain.txHash!,
        amount: String(amount),
        nonce,
        ...(answer ? { answer } : {}),
      }
    },

    closeX402: async ({ params: { id }, body: { served, answer } }) => {
      // first the answer: what is served has one
      if (answer) await parts.x402Answers.set(id, answer)
      return { state: (await parts.x402.change(id, payment => close(payment, served))).state }
    },

    holdX402: ({ params, body }) => holdPayment(parts, params.id, body),

    returnX402: async ({ params, body }) => {
      const { state } = await parts.x402.change(params.id, payment => refuseUse(payment, body.reason, parts.clock.now()))
      return { state }
    },
  }) satisfies Handlers<typeof treasuryApi>

/** In the form that payments are compared by, however it is configured. */
const payTo = ({ config: { X402_PAY_TO_ADDRESS: address } }: Parts): string | undefined => (address === undefined ? undefined : toChecksum(address))

const needPayTo = (parts: Parts): string =>
  payTo(parts) ?? refuse('PROVIDER_NOT_CONFIGURED', undefined, { message: 'X402_PAY_TO_ADDRESS is not set: nothing is sold here' })
