import { type AgentCaller, type Chain, domainsApi, type Quote, refuse, usd } from '@carapace/api'
import { intakeOf } from '@carapace/chain'
import {
  onArrival,
  parsed,
  type QuoteRequest,
  quoteOrRefusal,
  returnFromIntake,
  type Subscription,
  unlessPassing,
  useOrReturn,
} from '@carapace/service'
import type { Parts } from '../parts.ts'
import { parseFullName } from './full-name.ts'
import { type Made, madeBy } from './operations.ts'
import { priceOf } from './price.ts'
import { drawOnTreasury, needRegistrable, needValid, priceFor, reserveName, type WantedName } from './reserve-name.ts'

/** An x402 payment at the intake; its id is the operation. */
export interface NamePayment {
  id: string
  /** micro-USDC */
  amount: bigint
  chain: Chain
}

type PaidRequest = Omit<WantedName, 'mostPrice'> & { payment: NamePayment }

const { registerDomain, registerMoltDomain } = domainsApi.endpoints

/** What x402 has to pay for the name of a `domains/register`. @throws as `quoteFor` */
export function quoteName(parts: Parts, { request, caller }: QuoteRequest) {
  const { name, tld, pricePaid: mostPrice } = parsed(registerDomain.body!, request)
  return quoteFor(parts, { name, tld, mostPrice }, caller)
}

/** What x402 has to pay for the name of a `molt-domains/register`. @throws as `quoteFor`, WALLET_MISMATCH */
export function quoteMoltName(parts: Parts, { request, caller }: QuoteRequest) {
  const { name, extension: tld, walletAddress } = parsed(registerMoltDomain.body!, request)
  if (caller && walletAddress !== caller.wallet.toLowerCase()) refuse('WALLET_MISMATCH', { walletAddress: caller.wallet })
  return quoteFor(parts, { name, tld, mostPrice: undefined }, caller)
}

/**
 * The price of a name, on the network that its agent prefers, from the wallet of the agent.
 * @throws NAME_INVALID, NAME_RESERVED, PRICE_MISMATCH, DEPENDENCY_UNAVAILABLE
 */
async function quoteFor(parts: Parts, wanted: Omit<WantedName, 'caller'>, sender: QuoteRequest['caller']) {
  const { name, tld } = wanted
  needValid(name)
  const price = priceOf(name, tld)
  // without a price nothing is paid; the service refuses a caller that is no agent
  if (price === 0n || !sender) return { quote: null, refusal: null }
  const caller: AgentCaller = { kind: 'agent', ...sender }
  const { preferredChain: chain } = await parts.agents.fresh(sender.agentId)
  const intake = await intakeOf(parts.networks, chain)
  const quote: Quote = { subject: `${name}${tld}`, price: String(price), chain, ...intake, payer: sender.wallet, agentId: sender.agentId }
  const check = async () => priceFor(parts, { ...wanted, caller }, await needRegistrable(parts, { ...wanted, caller }))
  return quoteOrRefusal(quote, ['NAME_TAKEN', 'ACCOUNT_SUSPENDED'], check())
}

/**
 * Registers a name with a payment, or has the payment sent back: what registers nothing does not stay. The same payment again resolves to what became of
 * it, also where that failed: then it goes back once no block can include the mint any more.
 * @throws what refused the registration
 */
export async function registerOrReturn(parts: Parts, request: PaidRequest): Promise<Made> {
  const { payment, caller } = request
  // the request and the announcement of its payment run at the same time: the other of the two may have reserved the name
  const usedBefore = async () => {
    const made = await madeBy(parts, payment.id)
    return made && carryOn(parts, made)
  }
  const reserve = async () => {
    const { made } = await reserveName(parts, { ...request, mostPrice: undefined, operationId: payment.id }, async (_, price) => {
      if (price !== payment.amount) refuse('PRICE_MISMATCH', { price: usd(price) })
      return { kind: 'x402', payer: caller.wallet, source: undefined, chain: payment.chain }
    })
    return carryOn(parts, made)
  }
  return (await usedBefore()) ?? useOrReturn(parts, payment.id, reserve, usedBefore)
}

/** Carried out by the job, if not by this call: what fails in passing refuses nothing. */
async function carryOn(parts: Parts, made: Made): Promise<Made> {
  const { domain, operation } = made
  if (operation.sale === null) await returnFromIntake(parts, operation.operationId, 'free_by_score')
  else await unlessPassing(drawOnTreasury(parts, domain.id))
  return made
}

/** A payment whose request ended before its name was reserved is used all the same. */
export const paymentsForNames = (parts: Parts): Subscription[] => [
  onArrival('domains', async ({ subject, paymentId: id, payer, amount, chain }) => {
    const agent = await parts.agents.byWallet(payer)
    const { name, tld } = parseFullName(subject)
    if (!agent || !tld) return returnFromIntake(parts, id, 'not_found')
    const caller: AgentCaller = { kind: 'agent', agentId: agent.id, wallet: payer }
    return registerOrReturn(parts, { caller, name, tld, payment: { id, amount, chain } })
  }),
]
