import type { Parts } from '../parts.ts'
import { crewScoreOf, joined, rescore } from './crew.ts'

/** Computes a crew's score from its members' present scores. */
export async function rescoreCrew({ crews, agents }: Parts, crewId: string): Promise<void> {
  const members = joined(await crews.need(crewId)).map(member => member.agentId)
  const found = await agents.many(members)
  const score = crewScoreOf(members.map(id => found.get(id)?.fusedScore ?? 0))
  await crews.change(crewId, crew => rescore(crew, score))
}
