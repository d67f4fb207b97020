import { type Chain, chains, type ResponseOf, type reputationApi } from '@carapace/api'
import { count, money, plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { chainName, empty, hash, moment, transaction } from '../../parts/basics.ts'
import { addressOf } from '../../parts/lists.ts'

type AuditEvent = ResponseOf<typeof reputationApi.endpoints.listAuditEvents>['events'][number]

const shownChanges = 8

/** What raised and lowered a score, newest first, each in words and with its proof; what changed nothing is folded away. */
export function whyList(events: readonly AuditEvent[], now: Date): Html {
  if (events.length === 0)
    return empty('Nothing has touched this score yet', 'Every settlement, vote, review, bond and slash is logged here, in a chain of hashes.')
  const changes = events.filter(event => differenceOf(event) !== 0).slice(0, shownChanges)
  const others = events.filter(event => differenceOf(event) === 0)
  return html`${changes.length === 0 ? html`<p class="card muted">The last entries of its log changed nothing.</p>` : logList(changes, now)}${others.length > 0 && html`<details class="earlier"><summary>${count(others.length)} more that changed nothing</summary>${logList(others, now)}</details>`}`
}

/** Entries of the log in words. */
export const logList = (events: readonly AuditEvent[], now: Date): Html =>
  html`<ol class="list reasons">${events.map(
    event =>
      html`<li><span class="change ${directionOf(event)}">${changeOf(event)}</span><span class="main">${sayingOf(event)}<br><span class="side">entry ${count(event.seq)} · ${moment(event.createdAt, now)}${event.proof.txHash && html` · ${proofOf(event, event.proof.txHash)}`}</span></span></li>`,
  )}</ol>`

/** The transaction of an entry: on its network where the entry names it, else wherever the search finds it. */
const proofOf = ({ details }: AuditEvent, txHash: string): Html => {
  const { chain } = details as { chain?: unknown }
  return isChain(chain) ? transaction(chain, txHash) : hash(txHash, 'transaction hash', addressOf('/search', { q: txHash }))
}
const isChain = (value: unknown): value is Chain => chains.some(chain => chain === value)

const differenceOf = ({ scoreBefore, scoreAfter }: AuditEvent): number =>
  scoreBefore === null || scoreAfter === null ? 0 : Math.round((scoreAfter - scoreBefore) * 10) / 10

function changeOf(event: AuditEvent): string {
  const difference = differenceOf(event)
  if (difference === 0) return '0'
  return `${difference > 0 ? '+' : '−'}${Math.abs(difference).toFixed(1)}`
}

const directionOf = (event: AuditEvent): string => {
  const difference = differenceOf(event)
  return difference === 0 ? 'muted' : difference > 0 ? 'up' : 'down'
}

// types of the log, whose words are older than the glossary
const reversedType = 'settlement_undone'
const drawnType = 'vote_asked'

/** Of each type of entry. A type without a saying is shown by its name. */
const sayings: Readonly<Record<string, (details: Record<string, unknown>) => string>> = {
  registered: () => 'Registered',
  onchain_confirmed: ({ chain }) => `Identity confirmed on ${isChain(chain) ? chainName(chain) : 'a network'}`,
  seen: () => 'Gave a sign of life',
  settled: ({ role, net }) => (role === 'assignee' ? `Was paid ${micro(net)} for a settled gig` : 'Paid for a settled gig'),
  settled_again: () => 'A payment that the chain had reversed was made again',
  [reversedType]: () => 'The chain reversed a payment: it counts for nobody',
  failed: ({ reason }) => `Failed a gig: ${words(String(reason))}`,
  dispute_opened: () => 'A dispute was opened',
  dispute_ended: ({ lost }) => (lost === true ? 'Lost a dispute' : 'A dispute ended without blame'),
  slash: ({ status, amount }) => `Slash of ${micro(amount)}: ${words(String(status))}`,
  bond: ({ change, total }) => `Bond ${words(String(change))}, ${micro(total)} in all`,
  bond_lock_ended: ({ clean }) => (clean === true ? 'A locked bond was released clean' : 'A locked bond was lost'),
  [drawnType]: () => 'Was drawn into a panel of validators',
  vote_excused: () => 'A vote was no longer needed',
  vote_cast: () => 'Voted as a validator',
  vote_judged: ({ withVerdict }) => (withVerdict === true ? 'Voted with the verdict' : 'Voted against the verdict'),
  crew_mates: () => 'Works in a crew',
  reviewed: ({ rating }) => `Was reviewed: ${String(rating)} of 5`,
  followed: () => 'Has a new follower',
  unfollowed: () => 'Lost a follower',
  skill_verified: ({ skill }) => `Had a skill verified: ${String(skill)}`,
  inherited: () => 'Inherited the reputation of an earlier identity',
  migrated: () => 'Handed its reputation over to another identity',
  counterparties_changed: ({ changed }) => `Counts for more or less by now: the word or the work of ${sizeOf(changed)} that it dealt with`,
  suspended: () => 'Was suspended',
  reinstated: () => 'Was reinstated',
}

const sizeOf = (list: unknown): string => (Array.isArray(list) ? plural(list.length, 'agent') : 'agents')
const sayingOf = ({ type, details }: AuditEvent): string => sayings[type]?.(details) ?? words(type)
const micro = (value: unknown): string => (/^-?\d{1,30}$/.test(String(value)) ? money(Number(value) / 1e6) : 'an amount')
