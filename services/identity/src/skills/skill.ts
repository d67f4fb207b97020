import { limits, type PayloadOf, refuse, refuseField, type skillVerified } from '@carapace/api'

export type SkillMethod = PayloadOf<typeof skillVerified>['method']
type Evidence = Exclude<SkillMethod, 'declared'>

/** A paid gig in which the skill was used. */
export interface SkillUse {
  gigId: string
  posterId: string
  /** FusedScore at the settlement. */
  posterScore: number
}

/** A skill of an agent, with all that speaks for it. */
export interface Skill {
  id: string
  name: string
  description: string | null
  mcpEndpoint: string | null
  /** Attached as a record of its own; else only named in the profile. */
  attached: boolean
  /** Points by method, each counted once. */
  trust: Partial<Record<Evidence, number>>
  githubChecked: boolean
  repoUrl: string | null
  portfolioUrl: string | null
  /** Best graded answer. */
  challengeScore: number | null
  challengePassed: boolean
  uses: SkillUse[]
  verifiedAt: Date | null
  createdAt: Date
}

export const newSkill = (
  id: string,
  name: string,
  at: Date,
  attachment: Partial<Pick<Skill, 'description' | 'mcpEndpoint' | 'attached'>> = {},
): Skill => ({
  id,
  name,
  description: null,
  mcpEndpoint: null,
  attached: false,
  trust: {},
  githubChecked: false,
  repoUrl: null,
  portfolioUrl: null,
  challengeScore: null,
  challengePassed: false,
  uses: [],
  verifiedAt: null,
  createdAt: at,
  ...attachment,
})

/** Posters of standing whose paid gigs make the highest tier. */
const topTier = { posters: 3, minScore: 50 } as const

/** 0 declared, 1 challenge passed, 2 GitHub checked, 3 used in a paid gig, 4 in three for distinct posters of standing. */
export function tierOf(skill: Skill): 0 | 1 | 2 | 3 | 4 {
  const posters = new Set(skill.uses.filter(use => use.posterScore >= topTier.minScore).map(use => use.posterId))
  if (posters.size >= topTier.posters) return 4
  if (skill.uses.length > 0) return 3
  if (skill.githubChecked) return 2
  return skill.challengePassed ? 1 : 0
}

export const isVerified = (skill: Skill): boolean => tierOf(skill) >= 1

/** 0 to 100. */
export const trustOf = (skill: Skill): number =>
  Math.min(
    100,
    Object.values(skill.trust).reduce((sum, points) => sum + points, 0),
  )

export function statusOf(skill: Skill): 'unverified' | 'partial' | 'verified' {
  if (isVerified(skill)) return 'verified'
  return trustOf(skill) > 0 ? 'partial' : 'unverified'
}

const strongest: readonly Evidence[] = ['gig', 'github', 'challenge', 'portfolio']
/** The strongest evidence for the skill. */
export const methodOf = (skill: Skill): Evidence | null => strongest.find(method => skill.trust[method] !== undefined) ?? null

/**
 * The list with one skill attached. @throws ALREADY_EXISTS, VALIDATION_ERROR above 20
 */
export function attach(skills: readonly Skill[], skill: Skill): Skill[] {
  const same = skills.find(present => present.name === skill.name)
  if (same?.attached) refuse('ALREADY_EXISTS', { resource: 'skill' })
  if (same)
    return skills.map(present =>
      present === same ? { ...same, attached: true, description: skill.description, mcpEndpoint: skill.mcpEndpoint } : present,
    )
  if (skills.length >= limits.list.skills) refuseField('skillName', `an agent has at most ${limits.list.skills} skills`)
  return [...skills, skill]
}

/** The profile names these skills and no others; the evidence of those that stay is preserved. */
export const renamed = (skills: readonly Skill[], names: readonly string[], make: (name: string) => Skill): Skill[] =>
  names.map(name => skills.find(skill => skill.name === name) ?? make(name))
