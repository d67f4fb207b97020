import { count } from '../web/format.ts'
import { type Html, html, type Piece } from '../web/html.ts'
import { pageHead, type Site } from '../web/layout.ts'
import { empty, hash, section, table } from '../web/parts/basics.ts'
import { type ActForm, actForms, type FormRules } from './act-form.ts'
import { acts } from './acts.ts'
import { disputeView } from './dispute-view.ts'
import { frame } from './page.ts'
import type { Facts, Read } from './read.ts'
import type { Disputes } from './read-disputes.ts'
import { commandRow, deadLetterCard, inviteRow, logRow, migrationCard, sagaRow, slashCard, suspensionCard } from './rows.ts'

export interface OperatorView extends Facts, FormRules {
  site: Site
  /** Of the platform's clock. */
  now: Date
}

/** Everything an operator sees and can do, on one page. */
export function operatorPage(view: OperatorView): string {
  const form = actForms(view)
  return frame(
    'Operator',
    html`<div class="head-line">${pageHead('Operator', html`Signed in as ${hash(view.admin.wallet, 'wallet')}${view.mustSign && ', whose signature each act needs'}.`)}
<form method="post" action="/operator/sign-out"><input type="hidden" name="csrf" value="${view.csrf}"><button class="button quiet" type="submit">Sign out</button></form></div>
<p class="answer" role="status" id="said"></p>
${figures(view)}
${section(
  'Disputes',
  part(view.disputes, disputes => disputeList(disputes, form, view.now)),
  { id: 'disputes' },
)}
${queues(view, form)}
${agents(view, form)}
${section('Acts', html`<div class="cards two">${(['slash', 'reverse', 'suspend', 'invite'] as const).map(name => html`<article class="card"><h3>${acts[name].title}</h3><p class="muted small-text">${acts[name].hint}</p>${form(name)}</article>`)}</div>`, { id: 'acts' })}
${section(
  'Audit log',
  part(view.log, all =>
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

function figures({ disputes, deadLetters, commands, sagas, migrations, suspensions }: OperatorView): Html {
  const failed = of(commands, all => all.filter(({ state }) => state === 'FAILED').length)
  const waiting: Read<number> = sagas.find(one => one.is === 'failed') ?? {
    is: 'read',
    value: sagas.reduce((sum, one) => sum + (one.is === 'read' ? one.value.total : 0), 0),
  }
  const shown: readonly (readonly [id: string, title: string, Read<number>, isMore?: boolean])[] = [
    ['disputes', 'Disputes', of(disputes, ({ from, items }) => from + items.length), disputes.is === 'read' && disputes.value.next !== null],
    ['dead-letters', 'Dead letters', of(deadLetters, all => all.length)],
    ['chain-queue', 'Failed commands', failed],
    ['sagas', 'Sagas under way', waiting],
    ['migrations', 'Migrations to decide', of(migrations, all => all.length)],
    ['suspensions', 'Suspended agents', of(suspensions, all => all.length)],
  ]
  return html`<dl class="figures">${shown.map(([id, title, read, isMore]) => html`<div><dt><a href="#${id}">${title}</a></dt><dd>${read.is === 'read' ? `${count(read.value)}${isMore ? '+' : ''}` : '…'}</dd></div>`)}</dl>`
}

function disputeList({ items, from, next }: Disputes, form: ActForm, now: Date): Piece {
  if (items.length === 0 && from === 0)
    return empty('Nothing is disputed', 'What the parties and the panel say of a gig or a job appears here, next to each other.')
  const more = next !== null && html`<a class="button quiet" href="/operator?from=${next}#disputes">Further disputes</a>`
  const first = from > 0 && html`<a class="button quiet" href="/operator#disputes">The first disputes</a>`
  return html`${items.map(dispute => disputeView(dispute, form, now))}${(more || first) && html`<p class="chips">${first}${more}</p>`}`
}

/** What waits in queues and between services. */
const queues = ({ deadLetters, commands, sagas, now }: OperatorView, form: ActForm): Html => html`${section(
  'Dead letters',
  part(deadLetters, all =>
    cards(
      all.map(message => deadLetterCard(message, form)),
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
  'Sagas',
  html`${sagas.map(one => one.is === 'failed' && empty('The sagas of a service cannot be read now', one.why))}${listed(
    'Work of many steps that is under way, the longest waiting of each service first',
    ['Service', 'Record', 'Waits for', 'Round', 'Since'],
    sagas.flatMap(one => (one.is === 'read' ? one.value.sagas.map(saga => sagaRow(one.value.where, saga, now)) : [])),
    'No saga is under way',
    'A registration, a lock, a payment that waits for its transaction appears here.',
  )}`,
  { id: 'sagas' },
)}
${section('Doctor', html`<div data-load="/operator/doctor"><p class="muted">Each service compares its books with the chain, which needs seconds.</p><p><a class="button quiet" href="/operator/doctor">Examine the records</a></p></div>`, { id: 'doctor' })}`

/** What was decided about agents, and what waits for a decision. */
const agents = ({ migrations, suspensions, slashes, invites, now }: OperatorView, form: ActForm): Html => html`${section(
  'Migrations',
  part(migrations, all =>
    cards(
      all.map(one => migrationCard(one, form, now)),
      'No migration waits for a decision',
      'An agent whose earlier identity cannot consent appears here.',
    ),
  ),
  { id: 'migrations' },
)}
${section(
  'Suspended agents',
  part(suspensions, all =>
    cards(
      all.map(one => suspensionCard(one, form, now)),
      'No agent is suspended',
      'A suspended agent cannot act. Its money stays its own.',
    ),
  ),
  { id: 'suspensions' },
)}
${section(
  'Slashes',
  part(slashes, all =>
    cards(
      all.map(one => slashCard(one, form, now)),
      'No bond was slashed',
      'A slash that was a mistake is reversed here.',
    ),
  ),
  { id: 'slashes' },
)}
${section(
  'Invites',
  part(invites, all =>
    listed(
      'Invites that still count',
      ['Registrations left', 'Expires', 'Made by'],
      all.map(one => inviteRow(one, now)),
      'No invite is open',
      'Where registration needs one, the act below makes it.',
    ),
  ),
  { id: 'invites' },
)}`

const part = <T>(read: Read<T>, show: (value: T) => Piece): Piece =>
  read.is === 'read' ? show(read.value) : empty('This cannot be read now', read.why)

const of = <T, U>(read: Read<T>, choose: (value: T) => U): Read<U> => (read.is === 'read' ? { is: 'read', value: choose(read.value) } : read)

const listed = (label: string, heads: readonly string[], rows: readonly Html[], title: string, hint: string): Html =>
  rows.length === 0 ? empty(title, hint) : table(label, heads, rows)

const cards = (entries: readonly Html[], title: string, hint: string): Html =>
  entries.length === 0 ? empty(title, hint) : html`<div class="cards two">${entries}</div>`
