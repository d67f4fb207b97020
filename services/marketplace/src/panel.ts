import type { Decision } from '@carapace/store'
import type { Gig } from './gig.ts'

export interface Panel {
  validationId: string
  panel: string[]
  round: number
  appealOf: string | null
}

/** Links the latest validation; its panel may see the deliverable. An older one changes nothing. */
export function linkValidation(gig: Gig, { validationId, panel, round, appealOf }: Panel, version: number): Decision<Gig> | undefined {
  const stage = appealOf === null ? round : 3
  const known = gig.panelAsOf
  if (known && (stage < known.stage || (stage === known.stage && version <= known.version))) return undefined
  return { state: { ...gig, validationId, panelIds: panel, panelAsOf: { stage, version } }, events: [] }
}
