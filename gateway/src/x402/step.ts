import type { IncomingMessage } from 'node:http'
import { Refusal, type SettledX402, treasuryApi } from '@carapace/api'
import { type KnownNetwork, toChecksum } from '@carapace/chain'
import { type Config, keysAccepted, type Logger, type Peers, type RequestContext } from '@carapace/service'
import { encodePaymentResponseHeader } from '@x402/core/http'
import type { Agents } from '../identity/agents.ts'
import type { RawHeaders } from '../request/headers.ts'
import { type AnswerCopy, answerCopy, type StoredAnswer } from './answer-copy.ts'
import type { Buyer } from './buyer.ts'
import { challenge, type Offer } from './challenge.ts'
import type { Due } from './due.ts'
import { extensionsFor, identifierOf } from './extensions.ts'
import { isServed } from './is-served.ts'
import { type Challenged, deadlineOf, openNonces } from './nonce.ts'
import { type Sent, sentPayment } from './proof.ts'
import type { Purchase } from './purchase.ts'

export type Payment = NonNullable<RequestContext['payment']>

/** What a paid request goes on with. */
export interface Sale {
  payment: Payment
  /** The receipt of the dialect that was paid in. */
  headers: RawHeaders
  /** Of the same payment, which was served before under its identifier: nothing else is to be done. */
  answered: StoredAnswer | undefined
  /** Holds the answer as it passes. */
  copy: AnswerCopy
  /** Records what became of the request: served, or the payment is a credit (see `isServed`). Never throws. */
  close(status: number): Promise<void>
}

/**
 * @param shortfall why no other source covers it, for the challenge
 * @throws PaymentRefusal (402 with a challenge), REPLAY_DETECTED, CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export type Sell = (request: IncomingMessage, due: Due | Purchase, buyer: Buyer, shortfall?: Refusal) => Promise<Sale>

interface Parts {
  config: Config
  internalKey: string
  publicBaseUrl: string
  peers: Peers
  agents: Agents
  networks(): Promise<readonly KnownNetwork[]>
  log: Logger
}

const zero = /^0x0{40}$/
const { collectX402, closeX402 } = treasuryApi.internal
/** Verification and settlement on the chain. */
const collectTimeoutMs = 13_000
/** Each waits up to two seconds for a treasury that restarts. */
const recordTries = 3
/** A transfer that was mined in time is accepted as long as this after its deadline. */
const lateMs = 24 * 3_600_000

/** What sells; undefined without an address to pay to: priced routes are free. */
export function openSales(parts: Parts): Sell | undefined {
  const { X402_PAY_TO_ADDRESS } = parts.config
  if (X402_PAY_TO_ADDRESS === undefined || zero.test(X402_PAY_TO_ADDRESS)) return undefined
  const incomeAddress = toChecksum(X402_PAY_TO_ADDRESS)
  const nonces = openNonces(keysAccepted(parts.internalKey, parts.config))

  return async (request, due, buyer, shortfall) => {
    const { route, price, description, fund } = due
    const sold = 'found' in due ? due : undefined
    const challenged: Challenged = { route, price, payTo: fund?.payTo ?? incomeAddress, agentId: buyer.agentId, subject: fund?.subject }
    const refuseWith = async (refused?: Offer['refused']) => {
      const issuedAt = Date.now()
      const [path = ''] = (request.url ?? '/').split('?')
      throw challenge({
        challenged,
        networks: (await parts.networks()).filter(({ chain }) => !fund || chain === fund.chain),
        nonce: nonces.issue(challenged, issuedAt),
        issuedAt,
        url: `${parts.publicBaseUrl}${request.url}`,
        memo: `${request.method} ${path}`,
        description,
        extensions: sold ? extensionsFor(sold) : {},
        refused,
        shortfall,
      })
    }
    // the answer to a HEAD has no data, so nobody pays for one
    const sent = request.method === 'HEAD' ? undefined : sentPayment(request)
    if (!sent && fund?.refusal) throw fund.refusal
    if (!sent) return refuseWith()
    const { payTo, issuedAt } = answeredBy(sent, fund?.formerPayTo)
    const facts = { route, price: String(price), payTo, agentId: buyer.agentId, buyer: (fund && buyer.agentId) ?? buyer.holder }
    const identifier = sold && 'identifier' in sent ? identifierOf(sent.identifier, sold) : undefined
    const { refusal, service, subject, chain, payer } = fund ?? {}
    // a transfer that was sent cannot be stopped: it is accepted, and goes back
    const wanted = fund ? { fund: { service: service!, subject: subject!, chain: chain!, payer: payer!, onlyKnown: refusal !== undefined } } : {}
    const body = await bodyFor(sent)
    if ('reason' in body) return refuseWith(body)
    const settled = await parts.peers
      .call('treasury', collectX402, { body: { ...facts, ...wanted, identifier, sent: body }, timeoutMs: collectTimeoutMs })
      .catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'NOT_FOUND' && fund?.refusal) throw fund.refusal
        if (!(error instanceof Refusal) || error.code !== 'PAYMENT_INVALID') throw error
        return refuseWith({ reason: String(error.extras.details?.reason ?? 'invalid_payload'), message: error.message })
      })
    return saleOf(settled, sent, identifier !== undefined)

    /** The challenge that a payment answers: when it was made, and the address that it named. The platform's key may have been exchanged since. */
    function answeredBy(payment: NonNullable<Sent>, former: readonly string[] = []): { payTo: string; issuedAt?: number } {
      if (payment.scheme === 'spec')
        for (const payTo of [challenged.payTo, ...former]) {
          const issuedAt = nonces.issuedAt(payment.proof.nonce, { ...challenged, payTo })
          if (issuedAt !== undefined) return { payTo, issuedAt }
        }
      return { payTo: challenged.payTo }
    }

    async function bodyFor(payment: NonNullable<Sent>) {
      const invalid = (message: string) => ({ reason: 'invalid_payload', message })
      if (payment.scheme === 'unreadable') return invalid('The payment is none of the three dialects')
      if (payment.scheme !== 'spec') return { scheme: payment.scheme, payload: payment.payload }
      if (issuedAt === undefined) return invalid('The nonce belongs to no challenge of this route, price and agent')
      const deadline = deadlineOf(issuedAt)
      if (Date.now() > deadline + lateMs) return { reason: 'challenge_expired', message: 'The challenge ended more than a day ago' }
      const wallet = request.headers['x-wallet-address']
      return {
        ...payment,
        issuedAt,
        deadline,
        byAgent: buyer.isProven,
        agentWallet: fund ? fund.payer : await walletOf(buyer.agentId),
        claimedWallet: typeof wallet === 'string' && wallet.trim() !== '' ? wallet.trim() : null,
      }
    }
  }

  /** Recorded again it is the same: a treasury that ends meanwhile must not make a credit of what was served. */
  async function record(id: string, body: { served: boolean; answer: StoredAnswer | undefined }, triesLeft = recordTries - 1): Promise<void> {
    try {
      await parts.peers.call('treasury', closeX402, { params: { id }, body })
    } catch (error) {
      const mayPass = error instanceof Refusal && error.code === 'DEPENDENCY_UNAVAILABLE'
      if (mayPass && triesLeft > 0) return record(id, body, triesLeft - 1)
      parts.log.error({ err: error, payment: id }, 'whether a payment was served is not recorded: it is a credit')
    }
  }

  async function walletOf(agentId: string | null): Promise<string | null> {
    if (agentId === null) return null
    const agent = (await parts.agents.byId(agentId)) ?? (await parts.agents.freshById(agentId))
    return agent?.wallet ?? null
  }

  function saleOf(
    { id, payer, chain, network, txHash, amount, nonce, answer }: SettledX402,
    { scheme }: NonNullable<Sent>,
    isIdentified: boolean,
  ): Sale {
    const copy = answerCopy()
    const receipt = encodePaymentResponseHeader({ success: true, transaction: txHash, network: network as `${string}:${string}`, payer, amount })
    const names = { spec: undefined, unreadable: undefined, v1: 'x-payment-response', v2: 'payment-response' } as const
    const name = names[scheme]
    return {
      payment: { id, payer, chain, txHash, amount, nonce },
      headers: name ? [name, receipt] : [],
      answered: answer,
      copy,
      close: async status => {
        const given = copy.stored(status)
        const served = isServed(status, given?.text)
        const answer = served && isIdentified ? given : undefined
        await record(id, { served, answer })
      },
    }
  }
}
