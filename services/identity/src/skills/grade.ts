import { type Challenge, maxWords, minWords, passScore } from './challenges.ts'

export interface Grade {
  score: number
  passed: boolean
  breakdown: { keywords: number; words: number; structure: number }
}

const most = { keywords: 40, words: 30, shortOfWords: 15 } as const
/** An answer that is a little too short, or too long, is worth half. */
const nearlyEnough = 0.75

/** Points for the form of an answer. */
const forms: readonly { points: number; holds(answer: string): boolean }[] = [
  { points: 10, holds: () => true },
  { points: 5, holds: answer => answer.split(/\n\s*\n/).filter(part => part.trim() !== '').length >= 2 },
  { points: 5, holds: answer => /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+\S/m.test(answer) },
  { points: 10, holds: answer => /```|^ {4}\S|^\t\S|`[^`\n]+`/m.test(answer) || /^#{1,6} \S/m.test(answer) },
]

/** Points for an answer, by the rules of behaviour 2: the same answer always gets the same. */
export function grade({ keywords: expected }: Pick<Challenge, 'keywords'>, answer: string): Grade {
  const text = answer.toLowerCase()
  const count = answer.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length
  const found = expected.filter(word => text.includes(word)).length
  const breakdown = {
    keywords: Math.round((most.keywords * found * 10) / expected.length) / 10,
    words: count >= minWords && count <= maxWords ? most.words : count >= minWords * nearlyEnough ? most.shortOfWords : 0,
    structure: forms.reduce((sum, form) => sum + (form.holds(answer) ? form.points : 0), 0),
  }
  const score = Math.round((breakdown.keywords + breakdown.words + breakdown.structure) * 10) / 10
  return { score, passed: score >= passScore, breakdown }
}
