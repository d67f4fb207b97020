import type { Response } from 'express'
import type { RawHeaders } from '../request/headers.ts'
import { pagePolicy } from '../web/answer.ts'
import { type Html, html } from '../web/html.ts'
import { layout, pageHead, type Site } from '../web/layout.ts'
import { chip, codeBlock } from '../web/parts/basics.ts'
import type { Act } from './acts.ts'
import type { ServiceAnswer } from './call.ts'

const policy = pagePolicy([])

/** Sends a page of this folder; nobody stores one. */
export function answerPage(response: Response, text: string, headers: RawHeaders, status = 200, type = 'text/html; charset=utf-8'): void {
  const own = ['content-type', type, 'content-length', String(Buffer.byteLength(text)), 'cache-control', 'private, no-store']
  // without a referrer a browser sends its forms with `Origin: null`, which is nobody's page
  const given = headers.map((value, i) => (headers[i - 1] === 'referrer-policy' ? 'same-origin' : value))
  response.writeHead(status, [...given, ...own, 'content-security-policy', policy, 'cross-origin-opener-policy', 'same-origin'])
  response.end(text)
}

/** A page of operators, with their script. */
export const frame = (title: string, main: Html, site: Site): string => layout({ title, area: 'operator', main, scripts: ['operator.js'] }, site)

/** What came of an act. @param again sends the same act, where it is not known whether it was done */
export const outcomePage = (
  { title, hint }: Pick<Act, 'title' | 'hint'>,
  { status, body }: ServiceAnswer,
  again: Html | undefined,
  site: Site,
): string =>
  frame(
    title,
    html`<div class="narrow">${pageHead(title, status < 300 ? hint : String(body.message ?? ''), status < 300 ? chip('done', 'good') : chip('refused', 'bad'))}
${codeBlock(JSON.stringify(body, undefined, 2), 'the answer')}
${again && html`<p class="answer" role="status" id="said"></p><p class="muted">Whether it was done is not known. Sent again from here it is done once.</p>${again}`}
<p class="back"><a class="button" href="/operator">Back</a></p></div>`,
    site,
  )

/** A refusal in words, for a person who came by a link or a form. */
export const refusedPage = (message: string, site: Site): string =>
  frame(
    'Refused',
    html`<div class="fault"><p class="over">Operator</p>${pageHead('This is refused', message)}<p><a class="button" href="/operator/sign-in">Sign in</a> <a class="button quiet" href="/operator">Operator</a></p></div>`,
    site,
  )
