import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import { Reply, send, tagOf, tagsIn } from './reply.ts'

/** A text whose beginning goes out before its end is made. */
export class PartedText {
  readonly first: string
  readonly rest: () => Promise<string>
  readonly failed: (error: unknown) => Promise<Reply>

  constructor(first: string, rest: PartedText['rest'], failed: PartedText['failed']) {
    this.first = first
    this.rest = rest
    this.failed = failed
  }
}

/**
 * An answer of 200 whose reader may begin with `first`.
 * @param rest called once; where it rejects, the answer breaks off
 * @param failed makes the answer in that case where nothing is out yet
 * @example return parted(head, async () => bodyOf(await read()), { 'content-type': 'text/html; charset=utf-8' }, error => pageOf(error))
 */
export const parted = (first: string, rest: PartedText['rest'], headers: Record<string, string>, failed: PartedText['failed']) =>
  new Reply(undefined, new PartedText(first, rest, failed), headers)

/** Answers under a tag of their own of which the tag of the content is remembered; an older one is sent again whole. */
const mostRemembered = 5_000

/**
 * Sends the beginning immediately. Its ETag goes out before the text is whole, so it names this answer, of which the tag of the content is remembered.
 * A request that names a tag gets the whole text under the tag of its content, or 304.
 */
export async function sendParted(request: Request, response: Response, text: PartedText, headers: Record<string, string>): Promise<void> {
  if (request.method === 'HEAD' || request.headers['if-none-match'] !== undefined) return sendWhole(request, response, text, headers)
  const { first, rest } = text
  const contentTagOf = contentTagsIn(request.app as Express)
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

async function sendWhole(request: Request, response: Response, { first, rest, failed }: PartedText, headers: Record<string, string>): Promise<void> {
  const made = await rest().then(
    end => ({ whole: Buffer.from(first + end) }),
    async (error: unknown) => ({ failure: await failed(error) }),
  )
  if ('failure' in made) {
    const { status = 200, body, headers: own } = made.failure
    send(request, response, status, body, { ...headers, ...own })
    return
  }
  const contentTagOf = contentTagsIn(request.app as Express)
  const tag = tagOf(made.whole)
  headers.etag = tagsIn(request.headers['if-none-match']).find(one => contentTagOf.get(one) === tag) ?? tag
  send(request, response, 200, made.whole, headers)
}

/** By the tag of an answer that of its content, oldest first. */
function contentTagsIn({ locals }: Express): Map<string, string> {
  locals.contentTagOf ??= new Map<string, string>()
  return locals.contentTagOf
}
