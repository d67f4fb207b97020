import type { Response } from 'express'
import type { RawHeaders } from '../door/headers.ts'

/**
 * Stands in for the response where the rate limiter writes its headers, so that they go out with all others in one piece
 * (a response with headers set one by one costs a second pass over all of them).
 */
export class RateHeaders {
  readonly headersSent = false
  readonly values = new Map<string, string>()
  readonly #answer: Response | undefined

  /** @param answer the true response, for limits that count successes only */
  constructor(answer?: Response) {
    this.#answer = answer
  }

  once(event: string, listener: () => void): void {
    this.#answer?.once(event, listener)
  }

  get statusCode(): number {
    return this.#answer?.statusCode ?? 200
  }

  get writableEnded(): boolean {
    return this.#answer?.writableEnded ?? true
  }

  setHeader(name: string, value: string): void {
    if (name !== 'Date') this.values.set(name.toLowerCase(), value)
  }

  append(name: string, value: string): void {
    const known = this.values.get(name.toLowerCase())
    this.values.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`)
  }

  get raw(): RawHeaders {
    return [...this.values].flat()
  }

  /** As the limiter's types want it; it uses nothing but the members above. */
  get response(): Response {
    return this as unknown as Response
  }
}
