import type { Response } from 'express'
import type { RawHeaders } from '../request/headers.ts'
import { pagePolicy } from '../web/answer.ts'
import { count, words } from '../web/format.ts'
import { type Html, html, type Piece } from '../web/html.ts'
import { layout, pageHead, type Site } from '../web/layout.ts'
import { chainName, chip, codeBlock, empty, hash, moment, section, table, transaction } from '../web/parts/basics.ts'
import { type ActForm, actForms, type FormRules } from './act-form.ts'
import { type Act, acts } from './acts.ts'
import type { ServiceAnswer } from './call.ts'
import { disputeView } from './dispute.ts'
import type { Entry, Facts, Read } from './read.ts'

type Check = Extract<Facts['checks'], { is: 'read' }>['value'][number]

export interface OperatorView extends Facts, FormRules {
  site: Site
  /** Of the platform's clock. */
  now: Date
}

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

/** Everything an operator sees and can do, on one page. */
export function operatorPage(view: OperatorView): string {
  const form = actForms(view)
  const { disputes, deadLetters, commands, checks, log, now } = view
  const wrong = of(checks, all => all.filter(({ count }) => count > 0))
  const failed = of(commands, all => all.filter(({ state }) => state === 'FAILED'))
  const figures = [
    ['disputes', 'Disputes', disputes],
    ['dead-letters', 'Dead letters', deadLetters],
    ['chain-queue', 'Failed commands', failed],
    ['doctor', 'Checks that found something', wrong],
  ] as const
  return frame(
    'Operator',
    html`<div class="head-line">${pageHead('Operator', html`Signed in as ${hash(view.admin.wallet, 'wallet')}${view.mustSign && ', whose signature each act needs'}.`)}
<form method="post" action="/operator/sign-out"><input type="hidden" name="csrf" value="${view.csrf}"><button class="button quiet" type="submit">Sign out</button></form></div>
<p class="answer" role="status" id="said"></p>
<dl class="figures">${figures.map(([id, title, read]) => html`<div><dt><a href="#${id}">${title}</a></dt><dd>${read.is === 'read' ? count(read.value.length) : '…'}</dd></div>`)}</dl>
${section(
  'Disputes',
  part(disputes, all =>
    all.length === 0
      ? empty('No gig is disputed', 'What the parties and the panel say of one appears here, next to each other.')
      : all.map(dispute => disputeView(dispute, form, now)),
  ),
  { id: 'disputes' },
)}
${section(
  'Dead letters',
  part(deadLetters, all =>
    listed(
      'Dead letters',
      ['Event', 'Queue', 'Of', 'Reason', 'Tries', 'Act'],
      all.map(message => deadLetterRow(message, form)),
      'No message is dead',
      'Each event has found its consumers.',
    ),
  ),
  { id: 'dead-letters' },
)}
${section(
  'Chain queue',
  part(commands, all =>
    listed(
      'Commands to the chains, those that are not over first',
      ['Command', 'Network', 'State', 'Transaction', 'Error', 'Act'],
      all.map(command => commandRow(command, form, now)),
      'No command is in the queue',
      'What services want done on chain appears here.',
    ),
  ),
  { id: 'chain-queue' },
)}
${section(
  'Doctor',
  part(checks, all =>
    checkTable(
      'Checks of the records',
      all.filter(({ name }) => !isSaga(name)),
    ),
  ),
  { id: 'doctor' },
)}
${section(
  'Sagas',
  part(checks, all =>
    checkTable(
      'Work of many steps',
      all.filter(({ name }) => isSaga(name)),
    ),
  ),
  { id: 'sagas' },
)}
${section('Acts', html`<div class="cards two">${(['slash', 'reverse', 'suspend', 'migration', 'invite'] as const).map(name => html`<article class="card"><h3>${acts[name].title}</h3><p class="muted small-text">${acts[name].hint}</p>${form(name)}</article>`)}</div>`, { id: 'acts' })}
${section(
  'Audit log',
  part(log, all =>
    listed(
      'Calls of operators, newest first',
      ['At', 'Wallet', 'Call', 'Reason', 'Answer'],
      all.map(logRow),
      'No operator has called yet',
      'Each call that may change something is written down before it is made.',
    ),
  ),
  { id: 'log', more: html`<a href="/api/audit">What changed scores</a>` },
)}`,
    view.site,
  )
}

/** What came of an act. */
export const outcomePage = ({ title, hint }: Pick<Act, 'title' | 'hint'>, { status, body }: ServiceAnswer, site: Site): string =>
  frame(
    title,
    html`<div class="narrow">${pageHead(title, status < 300 ? hint : text(body.message), status < 300 ? chip('done', 'good') : chip('refused', 'bad'))}
${codeBlock(JSON.stringify(body, undefined, 2), 'the answer')}
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

/** Checks of work whose next step is overdue; the others are of records that contradict each other. */
const sagaChecks = new Set(['stuck', 'outcomes', 'debts'])
const isSaga = (name: string): boolean => sagaChecks.has(name)

/** A line for each service: a chip for each of its checks, and what was found. */
function checkTable(label: string, checks: readonly Check[]): Html {
  const services = [...new Set(checks.map(({ where }) => where))]
  return table(
    label,
    ['Service', 'Checks', 'Found'],
    services.map(service => {
      const own = checks.filter(({ where }) => where === service)
      const found = own.flatMap(({ count, detail }) => (count > 0 ? detail : []))
      const chips = own.map(({ name, count }) => (count === 0 ? chip(words(name), 'good') : chip(`${words(name)}: ${count}`, 'bad')))
      return html`<tr><td>${service}</td><td><span class="chips">${chips}</span></td><td>${found.join('; ') || 'nothing'}</td></tr>`
    }),
  )
}

const deadLetterRow = ({ id, queue, type, subject, reason, attempts }: Entry, form: ActForm): Html =>
  html`<tr><td><code>${text(type)}</code></td><td>${text(queue)}</td><td><code>${text(subject)}</code></td><td>${text(reason)}</td><td>${text(attempts)}</td><td>${form('replay', { id: text(id), queue: text(queue) })}</td></tr>`

const commandTones = { FAILED: 'bad', QUEUED: 'warn', INCLUDED: 'warn', CONFIRMED: 'good', FINAL: 'good' } as const

function commandRow({ commandId, kind, network, state, round, txHash, error, updatedAt }: Entry, form: ActForm, now: Date): Html {
  const tone = commandTones[state as keyof typeof commandTones]
  return html`<tr><td><code>${text(commandId)}</code><br><span class="side">${text(kind)}${updatedAt && html` · ${moment(updatedAt, now)}`}</span></td><td>${network && chainName(network)}</td><td>${chip(text(state).toLowerCase(), tone)} <span class="side">round ${text(round)}</span></td><td>${txHash && network && transaction(network, txHash)}</td><td>${text(error)}</td><td>${state === 'FAILED' && form('retry', { commandId })}${state === 'QUEUED' && form('cancel', { commandId })}</td></tr>`
}

const logRow = ({ at, wallet, method, path, reason, status }: Extract<Facts['log'], { is: 'read' }>['value'][number]): Html =>
  html`<tr><td>${moment(at.toISOString(), new Date())}</td><td>${hash(wallet, 'wallet')}</td><td><code>${method} ${path}</code></td><td>${reason}</td><td>${status === null ? 'none' : chip(String(status), status < 300 ? 'good' : 'bad')}</td></tr>`

const part = <T>(read: Read<T>, show: (value: T) => Piece): Piece =>
  read.is === 'read' ? show(read.value) : empty('This cannot be read now', read.why)

const of = <T, U>(read: Read<T>, choose: (value: T) => U): Read<U> => (read.is === 'read' ? { is: 'read', value: choose(read.value) } : read)

const listed = (label: string, heads: readonly string[], rows: readonly Html[], title: string, hint: string): Html =>
  rows.length === 0 ? empty(title, hint) : table(label, heads, rows)

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
