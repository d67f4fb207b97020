import { type Draft, panelChanged, refuse } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { isWeak } from '../selection/quorum.ts'
import { facts, idle, type PanelSeat, quorum, rewardOf, seated, type Validation } from './validation.ts'

/** Other numbers, once and before any vote. `panel` is drawn from the same fixed order. */
export function renumber(v: Validation, candidateCount: number, threshold: number, panel: PanelSeat[]): Decision<Validation> {
  if (v.numbersSet || v.votes.length > 0 || v.status !== 'pending' || v.round !== 1 || v.appealOf !== null)
    refuse('ALREADY_EXISTS', { validationId: v.id })
  if (threshold < 1 || threshold > candidateCount || panel.length !== candidateCount)
    throw new RangeError(`${candidateCount}/${threshold} approves nothing`)
  const before = new Set(seated(v).map(seat => seat.agentId))
  const after = new Set(panel.map(seat => seat.agentId))
  const state = {
    ...v,
    candidateCount,
    threshold,
    panel,
    numbersSet: true,
    oracleAssisted: false,
    weak: isWeak({ candidateCount, threshold }, v.budget),
  }
  return {
    state,
    events: [
      changed(
        state,
        [...after].filter(id => !before.has(id)),
        [...before].filter(id => !after.has(id)),
      ),
    ],
  }
}

/** Replaces those who have not voted by the next of the order, n unchanged. */
export function replaceIdle(
  v: Validation,
  substitutes: PanelSeat[],
): { decision: Decision<Validation>; replacements: { out: PanelSeat; in: PanelSeat }[] } {
  const outgoing = idle(v).slice(0, substitutes.length)
  const replacements = outgoing.map((out, at) => ({ out, in: substitutes[at]! }))
  const outs = new Set(replacements.map(pair => pair.out.agentId))
  // before the first vote the panel is not on chain yet, and goes there as it is then
  const replaced = v.votes.length > 0 ? { replaced: true, replacement: sentOnChain } : { replaced: true }
  const panel = [...v.panel.map(seat => (outs.has(seat.agentId) ? { ...seat, ...replaced } : seat)), ...replacements.map(pair => pair.in)]
  const state = { ...v, panel, replaceAt: null, dueAt: v.expiresAt }
  const events = replacements.length
    ? [
        changed(
          state,
          replacements.map(pair => pair.in.agentId),
          [...outs],
        ),
      ]
    : []
  return { decision: { state, events }, replacements }
}

function changed(v: Validation, added: string[], removed: string[]): Draft {
  return panelChanged.of({
    ...facts(v),
    ...quorum(v),
    panel: seated(v).map(seat => seat.agentId),
    added,
    removed,
    rewardPerValidator: rewardOf(v),
    expiresAt: v.expiresAt.toISOString(),
  })
}
