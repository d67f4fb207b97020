import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import { Reply, send, tagOf, tagsIn } from './reply.ts'

/** A text whose beginning goes out before its end is made. */
export class PartedText {
  readonly first: string
  readonly rest: () => Promise<string>

  constructor(first: string, rest: PartedText['rest']) {
    this.first = first
    this.rest = rest
  }
}

/**
 * An answer of 200 whose reader may begin with `first`.
 * @param rest called once; where it rejects, the answer breaks off
 * @example return parted(head, async () => bodyOf(await read()), { 'content-type': 'text/html; charset=utf-8' })
 */
export const parted = (first: string, rest: PartedText['rest'], headers: Record<string, string>) =>
  new Reply(undefined, new PartedText(first, rest), headers)

/** Answers under a tag of their own of which the tag of the content is remembered; an older one is sent again whole. */
const mostRemembered = 5_000

/**
 * Sends the beginning immediately. Its ETag goes out before the text is whole, so it names this answer, of which the tag of the content is remembered.
 * A request that names a tag gets the whole text under the tag of its content, or 304.
 */
export async function sendParted(request: Request, response: Response, { first, rest }: PartedText, headers: Record<string, string>): Promise<void> {
  const contentTagOf = contentTagsIn(request.app as Express)
  const named = request.headers['if-none-match']
  if (request.method === 'HEAD' || named !== undefined) {
    const whole = Buffer.from(first + (await rest()))
    const tag = tagOf(whole)
    headers.etag = tagsIn(named).find(one => contentTagOf.get(one) === tag) ?? tag
    send(request, response, 200, whole, headers)
    return
  }
  const early = `W/"${randomBytes(9).toString('base64url')}"`
  response.writeHead(200, { ...headers, etag: early })
  response.write(first)
  // the beginning is on its way before the work on the end begins
  await setImmediate()
  const end = await rest()
  contentTagOf.set(early, tagOf(Buffer.from(first + end)))
  if (contentTagOf.size > mostRemembered) contentTagOf.delete(contentTagOf.keys().next().value!)
  response.end(end)
}

/** By the tag of an answer that of its content, oldest first. */
function contentTagsIn({ locals }: Express): Map<string, string> {
  locals.contentTagOf ??= new Map<string, string>()
  return locals.contentTagOf
}
