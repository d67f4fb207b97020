import type { Saga, ServiceName } from '@carapace/api'
import type { AdminCall } from '../identity/admin-log.ts'
import { type Html, html } from '../web/html.ts'
import { agentLink, amount, chainName, chip, countdown, foreignLink, hash, moment, row, transaction } from '../web/parts/basics.ts'
import type { ActForm } from './act-form.ts'
import type { Entry } from './read.ts'

export const deadLetterCard = ({ id, queue, type, subject, reason, attempts, deadAt }: Entry, form: ActForm): Html =>
  card(
    html`<code>${text(type)}</code>`,
    [
      row('Queue', text(queue)),
      row('Of', html`<code>${text(subject)}</code>`),
      row('Reason', html`<span class="text">${text(reason)}</span>`),
      row('Tries', text(attempts)),
      deadAt && row('Since', moment(deadAt, new Date())),
    ],
    form('replay', { id: text(id), queue: text(queue) }),
  )

const commandTones = { FAILED: 'bad', QUEUED: 'warn', INCLUDED: 'warn', CONFIRMED: 'good', FINAL: 'good' } as const

export function commandRow({ commandId, kind, network, state, round, txHash, error, updatedAt }: Entry, form: ActForm, now: Date): Html {
  const tone = commandTones[state as keyof typeof commandTones]
  return html`<tr><td><code>${text(commandId)}</code><br><span class="side">${text(kind)}${updatedAt && html` · ${moment(updatedAt, now)}`}</span></td><td>${network && chainName(network)}</td><td>${chip(text(state).toLowerCase(), tone)} <span class="side">round ${text(round)}</span></td><td>${txHash && network && transaction(network, txHash)}</td><td>${text(error)}</td><td>${state === 'FAILED' && form('retry', { commandId })}${state === 'QUEUED' && form('cancel', { commandId })}</td></tr>`
}

export const sagaRow = (where: ServiceName, { record, opKey, round, since }: Saga, now: Date): Html =>
  html`<tr><td>${where}</td><td>${record}</td><td><code>${opKey}</code></td><td>${round}</td><td>${moment(since, now)}</td></tr>`

export const migrationCard = ({ id, sourceHandle, targetHandle, evidence, expiresAt }: Entry, form: ActForm, now: Date): Html =>
  card(
    html`${agentLink(text(sourceHandle))} to ${agentLink(text(targetHandle))}`,
    [row('Evidence', foreignLink(text(evidence))), row('Expires', countdown(text(expiresAt), now))],
    form('migration', { id: text(id) }),
  )

export const suspensionCard = ({ agentId, handle, reason, suspendedAt }: Entry, form: ActForm, now: Date): Html =>
  card(
    agentLink(text(handle)),
    [reason && row('Reason', html`<span class="text">${text(reason)}</span>`), suspendedAt && row('Since', moment(suspendedAt, now))],
    form('suspend', { id: text(agentId), suspended: 'false' }, 'Make active again'),
  )

const slashTones = { FROZEN: 'warn', APPLIED: 'bad', REVERSED: 'good', DROPPED: 'calm' } as const

export const slashCard = ({ id, agentId, agent, amount: slashed, reason, status, createdAt }: Entry, form: ActForm, now: Date): Html =>
  card(
    html`${agentLink(text(agent?.handle ?? agentId))} ${chip(text(status).toLowerCase(), slashTones[status as keyof typeof slashTones])}`,
    [
      row('Amount', amount(slashed)),
      row('Reason', html`<span class="text">${text(reason)}</span>`),
      createdAt && row('When', moment(createdAt, now)),
    ],
    status === 'APPLIED' && form('reverse', { id: text(id) }),
  )

export const inviteRow = ({ usesLeft, expiresAt, createdBy }: Entry, now: Date): Html =>
  html`<tr><td>${text(usesLeft)}</td><td>${countdown(text(expiresAt), now)}</td><td>${hash(text(createdBy), 'wallet')}</td></tr>`

export const logRow = ({ at, wallet, method, path, reason, status }: AdminCall): Html =>
  html`<tr><td>${moment(at.toISOString(), new Date())}</td><td>${hash(wallet, 'wallet')}</td><td><code>${method} ${path}</code></td><td>${reason}</td><td>${status === null ? 'none' : chip(String(status), status < 300 ? 'good' : 'bad')}</td></tr>`

const card = (title: Html, facts: readonly (Html | false | undefined | null | '')[], form: Html | false): Html =>
  html`<article class="card"><h3>${title}</h3><dl class="facts">${facts}</dl>${form}</article>`

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
