import { type Chain, chains } from '@carapace/api'
import { type Html, html } from '../html.ts'
import { countdown, moment, transaction } from './basics.ts'

/** A step of a record from its beginning to its end. */
export interface Step {
  title: string
  detail?: Html | string | undefined
  at?: string | null | undefined
  /** When it ends by itself, where it is under way. */
  until?: string | null | undefined
  chain?: Chain
  txHash?: string | null | undefined
  state: 'done' | 'current' | 'ahead' | 'failed'
}

const spoken = { done: 'done', current: 'under way', ahead: 'still to come', failed: 'ended here' } as const

/** From the first step to the last one. */
export const timeline = (steps: readonly Step[], now: Date): Html =>
  html`<ol class="timeline">${steps.map(
    ({ title, detail, at, until, chain, txHash, state }) =>
      html`<li class="${state}"><div><span class="hidden-label">${spoken[state]}:</span><p><strong>${title}</strong></p>${detail && html`<p class="side">${detail}</p>`}${until && html`<p class="side">ends ${countdown(until, now)}</p>`}</div>${(at || txHash) && html`<p class="when side">${at && moment(at, now)}${txHash && html`<span><span class="hidden-label">Transaction</span> ${transaction(chain ?? chains[0], txHash)}</span>`}</p>`}</li>`,
  )}</ol>`
