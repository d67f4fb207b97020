import type { AdminCaller } from '@carapace/api'
import type { Response } from 'express'
import type { RawHeaders } from '../request/headers.ts'
import { pagePolicy } from '../web/answer.ts'
import { type Html, html } from '../web/html.ts'
import { layout, type Site } from '../web/layout.ts'
import { type Act, type ActName, acts } from './acts.ts'
import type { ServiceAnswer } from './call.ts'
import type { Dispute, Entry, Facts, Read } from './read.ts'

export interface OperatorView extends Facts {
  site: Site
  admin: AdminCaller
  csrf: string
  /** Each act is signed by the wallet. */
  mustSign: boolean
}

const policy = pagePolicy([])

/** Sends a page of this folder; nobody stores one. */
export function answerPage(response: Response, text: string, headers: RawHeaders, status = 200, type = 'text/html; charset=utf-8'): void {
  const own = ['content-type', type, 'content-length', String(Buffer.byteLength(text)), 'cache-control', 'private, no-store']
  response.writeHead(status, [...headers, ...own, 'content-security-policy', policy, 'cross-origin-opener-policy', 'same-origin'])
  response.end(text)
}

const frame = (title: string, main: Html, site: Site): string =>
  layout({ title, area: 'operator', main: html`${main}<script type="module" src="/operator/script.js"></script>` }, site)

/** First the wallet, then its signature; with a wallet in the browser the script fills in both. */
export function signInPage(requested: { wallet: string; message: string } | undefined, site: Site): string {
  const byWallet = html`<form method="get" action="/operator/sign-in" id="choose">
<p><label>Admin wallet<br><input name="address" required pattern="0x[0-9a-fA-F]{40}" size="44" autocomplete="off"></label></p>
<p><button>Show the message to sign</button> <button type="button" id="connect" hidden>Use the wallet of this browser</button></p>
</form>`
  const bySignature =
    requested &&
    html`<form method="post" action="/operator/sign-in" id="sign" data-wallet="${requested.wallet}">
<p><label>Message<br><textarea name="message" rows="12" cols="72" readonly>${requested.message}</textarea></label></p>
<p><label>Signature of this message (personal_sign) by ${requested.wallet}<br><input name="signature" required pattern="0x[0-9a-fA-F]+" size="60" autocomplete="off"></label></p>
<p><button>Sign in</button> <button type="button" id="wallet" hidden>Sign with the wallet of this browser</button></p>
</form>`
  return frame('Operator sign-in', html`<h1>Operator sign-in</h1>${bySignature ?? byWallet}<p role="status" id="said"></p>`, site)
}

/** Everything an operator sees and can do, on one page. */
export function operatorPage(view: OperatorView): string {
  const form = (name: ActName, fixed: Record<string, string> = {}, entered: readonly string[] = Object.keys(acts[name].fields), label?: string) =>
    actForm(view, name, fixed, entered, label)
  return frame(
    'Operator',
    html`<h1>Operator</h1>
<p>Signed in as <code>${view.admin.wallet}</code>.</p>
<form method="post" action="/operator/sign-out"><input type="hidden" name="csrf" value="${view.csrf}"><button>Sign out</button></form>
<p role="status" id="said"></p>
<h2>Doctor and sagas</h2>
${part(view.checks, checks =>
  table(
    ['Where', 'Check', 'Wrong', 'Detail'],
    checks.filter(({ count }) => count > 0).map(({ where, name, count, detail }) => [where, name, count, detail.join('; ')]),
    `All ${checks.length} checks are well.`,
  ),
)}
<h2>Disputes</h2>
${part(view.disputes, disputes => (disputes.length === 0 ? html`<p>No gig is disputed.</p>` : disputes.map(dispute => disputeView(dispute, form))))}
<h2>Dead letters</h2>
${part(view.deadLetters, messages =>
  table(
    ['Queue', 'Event', 'Of', 'Reason', 'Tries', ''],
    messages.map(({ id, queue, type, subject, reason, attempts }) => [queue, type, subject, reason, attempts, form('replay', { id, queue }, [])]),
    'No message is dead.',
  ),
)}
<h2>Chain queue</h2>
${part(view.commands, commands =>
  table(
    ['Command', 'Network', 'State', 'Transaction', 'Error', ''],
    commands.map(command => [
      html`<code>${text(command.commandId)}</code><br>${text(command.kind)}`,
      text(command.network),
      `${text(command.state)}, round ${text(command.round)}`,
      text(command.txHash),
      text(command.error),
      commandForms(command, form),
    ]),
    'No command is in the queue.',
  ),
)}
<h2>Acts</h2>
${(['slash', 'reverse', 'suspend', 'migration', 'invite'] as const).map(name => html`<h3>${acts[name].title}</h3>${form(name)}`)}
<h2>Audit log</h2>
<p>What changed scores is in <a href="/api/audit">/api/audit</a>.</p>
${part(view.log, calls =>
  table(
    ['At', 'Wallet', 'Call', 'Reason', 'Answer'],
    calls.map(({ at, wallet, method, path, reason, status }) => [at.toISOString(), wallet, `${method} ${path}`, reason ?? '', status ?? 'none']),
    'No admin has called yet.',
  ),
)}`,
    view.site,
  )
}

/** What came of an act. */
export const outcomePage = ({ title }: Pick<Act, 'title'>, { status, body }: ServiceAnswer, site: Site): string =>
  frame(
    title,
    html`<h1>${title}: ${status < 300 ? 'done' : 'refused'}</h1>
<p>${status < 300 ? `Answered with ${status}.` : text(body.message)}</p>
<pre>${JSON.stringify(body, undefined, 2)}</pre>
<p><a href="/operator">Back</a></p>`,
    site,
  )

type Form = (name: ActName, fixed?: Record<string, string>, entered?: readonly string[], label?: string) => Html

const commandForms = ({ commandId, state }: Entry, form: Form): Html =>
  html`${state === 'FAILED' ? form('retry', { commandId }, []) : ''}${state === 'QUEUED' ? form('cancel', { commandId }, []) : ''}`

/** The evidence of both parties, next to each other. */
function disputeView({ gig, escrow, panels }: Dispute, form: Form): Html {
  const votes = panels.flatMap(panel => panel.votes.map(vote => [panel.validation.status, vote.validatorId, vote.vote, vote.reasoning]))
  return html`<section>
<h3>${text(gig.title)}</h3>
<p><a href="/api/gigs/${text(gig.id)}">${text(gig.id)}</a>, ${text(escrow.amount)} USDC on ${text(gig.chain)}</p>
${table(
  ['', 'Poster', 'Assignee'],
  [
    ['Who', text(gig.posterId), text(gig.assigneeId)],
    ['What they say', gig.description ?? '', html`${text(gig.deliverable?.url)}<br>${text(gig.deliverable?.note)}`],
    [
      'Dispute',
      escrow.disputedBy === gig.posterId ? text(escrow.disputeReason) : '',
      escrow.disputedBy === gig.posterId ? '' : text(escrow.disputeReason),
    ],
  ],
  '',
)}
${table(
  ['Panel', 'Validator', 'Vote', 'Reasoning'],
  votes.map(row => row.map(text)),
  'No validator has voted.',
)}
${form('resolve', { gigId: text(gig.id) }, ['releaseToPayee', 'reason'])}
</section>`
}

const part = <T>(read: Read<T>, show: (value: T) => Html | Html[]): Html | Html[] =>
  read.is === 'read' ? show(read.value) : html`<p>This cannot be read now: ${read.why}</p>`

const table = (head: readonly string[], rows: readonly (readonly (string | number | Html)[])[], empty: string): Html =>
  rows.length === 0
    ? html`<p>${empty}</p>`
    : html`<table><thead><tr>${head.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>`

function actForm(
  view: Pick<OperatorView, 'csrf' | 'mustSign' | 'admin'>,
  name: ActName,
  fixed: Record<string, string>,
  entered: readonly string[],
  label?: string,
): Html {
  const { fields, title } = acts[name] as Act
  const hidden = Object.entries({ csrf: view.csrf, ...fixed }).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)
  const requested = entered.map(field => {
    if (fields[field] === 'flag')
      return html`<label>${field} <select name="${field}"><option value="true">yes</option><option value="false">no</option></select></label> `
    return html`<label>${field} <input name="${field}" inputmode="${fields[field] === 'number' ? 'decimal' : 'text'}"></label> `
  })
  const signer = view.mustSign ? view.admin.wallet : ''
  return html`<form method="post" action="/operator/acts/${name}" data-signer="${signer}">${hidden}${requested}<button>${label ?? title}</button></form>`
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
