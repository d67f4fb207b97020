import type { Database, Indexes } from '@carapace/store'
import type { SkillMethod } from './skill.ts'

/** Something that was handed in for a skill. */
export interface Evidence {
  id: string
  agentId: string
  skill: string
  method: SkillMethod
  score: number | null
  passed: boolean
  status: 'accepted' | 'rejected' | 'checked' | 'unchecked' | 'pending_review'
  url: string | null
  note: string | null
  submittedAt: Date
}

export interface EvidenceStore {
  /** A second time under the same id adds nothing. */
  add(evidence: Evidence): Promise<void>
  /** Newest first, at most 100. */
  of(agentId: string): Promise<Evidence[]>
}

const shown = 100

export function evidenceStore(db: Database): EvidenceStore {
  type Row = Omit<Evidence, 'id'> & { _id: string }
  const indexes: Indexes = {
    agent_newest: { key: { agentId: 1, submittedAt: -1, _id: -1 } },
  }
  const rows = db.collection<Row>('skill_evidence', indexes)
  return {
    add: async ({ id, ...evidence }) => {
      await rows.updateOne({ _id: id }, { $setOnInsert: evidence }, { upsert: true })
    },
    of: async agentId => {
      const found = await rows.find({ agentId }).sort({ submittedAt: -1, _id: -1 }).limit(shown).toArray()
      return found.map(({ _id, ...evidence }) => ({ id: _id, ...evidence }) as Evidence)
    },
  }
}
