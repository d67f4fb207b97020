/** What says nothing of the end: under way, a limit, and nginx's number for a client that went away. */
const passing = new Set([202, 429, 499])

/**
 * Whether an answer uses up the payment that it was paid by: 2xx, and a 4xx that would be the same again. What is under way answers the same payment
 * again with what became of it. A refusal that passes (a limit, a lost race, anything with `retryable: true`) has given the buyer nothing and calls
 * for the same call again, so it must not cost the payment.
 * @param text body of the answer; undefined for one too long to hold, which is no refusal
 */
export function isServed(status: number, text: string | undefined): boolean {
  if (status < 200 || status >= 500 || passing.has(status)) return false
  return status < 400 || !isRetryable(text)
}

function isRetryable(text: string | undefined): boolean {
  try {
    return (JSON.parse(text ?? 'null') as { retryable?: unknown } | null)?.retryable === true
  } catch {
    return false
  }
}
