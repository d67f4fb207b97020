import { chainIdOf, chosenTerms, type PaymentLimits } from './offer.ts'
import { openPurchases, type Payment, type Purchase } from './purchases.ts'
import { randomHex } from './random.ts'

/** What signs payments: an ethers wallet, or anything with the same two members. */
export interface PaymentSigner {
  address: string
  signTypedData(
    domain: Record<string, unknown>,
    types: Record<string, { name: string; type: string }[]>,
    message: Record<string, unknown>,
  ): Promise<string>
}

/** A payment that was made for a call. */
export interface PaidCall {
  url: string
  /** micro-USDC */
  amount: bigint
  /** CAIP-2 */
  network: string
  payTo: string
  /** Of the settlement; null when the answer bore no receipt. */
  txHash: string | null
}

export interface PaymentOptions extends PaymentLimits {
  signer: PaymentSigner
  /** Called with every payment that was made, once its call was answered. */
  onPaid?: (paid: PaidCall) => void
}

interface Offer {
  accepts?: unknown
  resource?: unknown
  extensions?: Record<string, { info?: object } | undefined>
}

/** EIP-3009, written here again: the client depends on no library that signs, and on no contract. */
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
}
/** Longer than a payment stays with a request whose gateway crashed. */
const patienceMs = 60_000
const [pauseMs, longestPauseMs] = [500, 5_000]

/**
 * A fetch that pays 402 answers by x402 v2, up to `maxPayment` a call. It signs one payment for a call and sends that one again while its answer is
 * missing, for a minute; where it abandons one, the next equal call goes on with it. The platform serves a payment once and answers it as before when
 * it comes again, so a retried call is never paid twice. Equal calls have the same method, address, body, agent and Idempotency-Key; those that run
 * at the same time are one call, and so are all under one Idempotency-Key. A caller that stops waiting must abort the call or give it such a key:
 * otherwise its answer ends the purchase, and the next equal call pays again. An offer that is dearer, in another token than USDC (`assets` names
 * more), on no wanted network, or good for longer than ten minutes, stays a 402.
 */
export function payingFetch(send: typeof fetch, options: PaymentOptions): typeof fetch {
  const purchases = openPurchases()
  return async (input, init) => {
    const isNamed = new Headers(init?.headers).has('idempotency-key')
    const purchase = purchases.enter(callKey(input, init))
    const pay = async (to: Purchase, payment: Payment) => {
      const paid = await sendPaid(send, payment, options, input, init)
      if (paid.state === 'used') to.isUsed = true
      const staysOpen = isNamed && payment.isRepeatable
      if (paid.state === 'refused' || (paid.state === 'used' && !staysOpen)) purchases.end(to)
      return paid
    }
    /** Nothing that cannot be paid, or signed, is left for the next call. */
    const signed = async (to: Purchase, offer: Response) => {
      const payment = await paymentFor(offer, options).catch((error: unknown) => {
        to.payment = undefined
        throw error
      })
      if (!payment) to.payment = undefined
      return payment
    }
    try {
      const earlier = await purchase.payment
      const first = earlier ? await pay(purchase, earlier) : { answer: await send(input, init), state: 'unpaid' }
      // a payment that is refused can move no money any more: its call is paid again
      if (first.answer.status !== 402 || first.state === 'pending') return first.answer
      const open = earlier ? purchases.renew(purchase) : purchase
      // an equal call may have paid meanwhile
      open.payment ??= signed(open, first.answer)
      const payment = await open.payment
      return payment ? (await pay(open, payment)).answer : first.answer
    } finally {
      purchases.leave(purchase)
    }
  }
}

/** Undefined for a call that cannot be compared. */
function callKey(input: Parameters<typeof fetch>[0], init: RequestInit = {}): string | undefined {
  const isPlain = !(input instanceof Request) && (init.body === undefined || init.body === null || typeof init.body === 'string')
  const headers = new Headers(init.headers)
  const names = ['idempotency-key', 'x-agent-id'].map(name => headers.get(name))
  return isPlain ? JSON.stringify([init.method ?? 'GET', String(input), init.body ?? null, ...names]) : undefined
}

/**
 * - used: the call that it pays for was answered
 * - refused: no money has moved, and none will
 * - pending: the same payment has to be sent again
 * - unseen: the call was refused for another reason, before its payment mattered
 */
type PaymentState = 'used' | 'refused' | 'pending' | 'unseen'

async function sendPaid(
  send: typeof fetch,
  payment: Payment,
  { onPaid }: PaymentOptions,
  ...[input, init]: Parameters<typeof fetch>
): Promise<{ answer: Response; state: PaymentState }> {
  const headers = new Headers(init?.headers)
  headers.set('payment-signature', payment.header)
  const end = Date.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    const isLast = Date.now() >= end
    const answer = await send(input, { ...init, headers })
      .then(received)
      .catch((error: unknown) => {
        if (isLast || init?.signal?.aborted) throw error
        return undefined
      })
    const state = answer ? await stateAfter(answer) : 'pending'
    if (answer && state === 'used' && !payment.isReported) {
      payment.isReported = true
      const { network, payTo, amount } = payment.terms
      onPaid?.({ url: String(input), amount: BigInt(amount), network, payTo, txHash: receiptOf(answer)?.transaction ?? null })
    }
    if (answer && (state !== 'pending' || isLast)) return { answer, state }
    await new Promise(resolve => setTimeout(resolve, Math.min(pauseMs * attempt, longestPauseMs)))
  }
}

/** With its body, which does not depend on the connection any more. @throws TypeError where the body ended early: there was no answer */
async function received(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer
  const body = await answer.arrayBuffer()
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
}

async function stateAfter(answer: Response): Promise<PaymentState> {
  const { status } = answer
  if (status >= 500 || status === 429) return 'pending'
  const body = (await answer
    .clone()
    .json()
    .catch(() => undefined)) as { error?: string; retryable?: boolean } | undefined
  if (status === 402) return body?.error === 'settlement_pending' ? 'pending' : 'refused'
  // a replay of our own payment: an earlier attempt was served, and its answer lost
  if (status === 409) return body?.retryable ? 'pending' : 'used'
  return answer.ok || receiptOf(answer) ? 'used' : 'unseen'
}

const receiptOf = ({ headers }: Response) => decoded(headers.get('payment-response')) as { transaction?: string } | undefined

async function paymentFor(response: Response, { signer, ...limits }: PaymentOptions): Promise<Payment | undefined> {
  const required = decoded(response.headers.get('payment-required')) as Offer | undefined
  const terms = chosenTerms(required?.accepts, limits)
  if (!terms) return undefined
  const { asset, payTo, amount, maxTimeoutSeconds, network, extra } = terms
  const authorization = {
    from: signer.address,
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + maxTimeoutSeconds),
    nonce: `0x${randomHex(32)}`,
  }
  const domain = { name: extra.name, version: extra.version, chainId: chainIdOf(network), verifyingContract: asset }
  const signature = await signer.signTypedData(domain, types, authorization)
  const identifier = required?.extensions?.[identifierName]
  // with a name of its own the payment is answered again where its answer was lost
  const extensions = identifier && { [identifierName]: { ...identifier, info: { ...identifier.info, id: `pay_${randomHex(16)}` } } }
  const payment = { x402Version: 2, resource: required?.resource, accepted: terms, payload: { signature, authorization }, extensions }
  return { terms, header: btoa(JSON.stringify(payment)), isRepeatable: identifier !== undefined, isReported: false }
}

const identifierName = 'payment-identifier'

function decoded(header: string | null): unknown {
  try {
    return header === null ? undefined : JSON.parse(atob(header))
  } catch {
    return undefined
  }
}
