import { type BodyOf, type ErrorCode, type Quote, type QuoteEndpoint, Refusal, type ResponseOf } from '@carapace/api'

/** A call as it was sent, of which the gateway wants to know what it costs by x402. */
export type QuoteRequest = BodyOf<QuoteEndpoint>

/**
 * A quote, with the refusal that the call would get now. Such a refusal holds for new payments only: one that is known may be what causes it.
 * @param refusals the codes that a known payment may have caused
 * @throws every other refusal of the check
 */
export async function quoteOrRefusal(quote: Quote, refusals: readonly ErrorCode[], check: Promise<unknown>): Promise<ResponseOf<QuoteEndpoint>> {
  try {
    await check
    return { quote, refusal: null }
  } catch (error) {
    if (!(error instanceof Refusal) || !refusals.includes(error.code)) throw error
    const { code, message, extras } = error
    return { quote, refusal: { code, message, ...(extras.details ? { details: extras.details } : {}) } }
  }
}
