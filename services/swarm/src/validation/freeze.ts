import { limits } from '@carapace/api'

/** Signals that a rejection is manipulated (spec, "Slash freeze signals"; behaviour 5.3). */
export type Signal = 'crew_overlap' | 'new_account_cluster' | 'weak_panel'

export interface FreezeFacts {
  /** Joined crews of each rejection voter. */
  rejecterCrews: readonly (readonly string[])[]
  /** Registration of every validator who voted. */
  voterRegisteredAt: readonly Date[]
  weak: boolean
  quorumText: string
  resolvedAt: Date
}

export interface Freeze {
  signals: Signal[]
  /** In the spec's words; null when nothing fires. */
  reason: string | null
}

const youngMs = limits.newAccountAgeMs

export function freezeOf({ rejecterCrews, voterRegisteredAt, weak, quorumText, resolvedAt }: FreezeFacts): Freeze {
  const counts = new Map<string, number>()
  for (const crews of rejecterCrews) for (const crew of new Set(crews)) counts.set(crew, (counts.get(crew) ?? 0) + 1)
  const shared = [...counts.values()].filter(count => count >= 2).length
  const young = voterRegisteredAt.filter(at => resolvedAt.getTime() - at.getTime() < youngMs).length
  const fired: [Signal, string][] = []
  if (shared >= 1) fired.push(['crew_overlap', `Crew overlap detected: ${shared} shared crew(s) among rejection voters, suspected coordinated slash`])
  if (young >= 2) fired.push(['new_account_cluster', `New account cluster: ${young} validators have accounts < 48h old, Sybil signal`])
  if (weak) fired.push(['weak_panel', `Weak panel: ${quorumText}`])
  return { signals: fired.map(([signal]) => signal), reason: fired.length ? fired.map(([, text]) => text).join('; ') : null }
}
