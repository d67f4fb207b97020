import assert from 'node:assert/strict'
import fc from 'fast-check'
import { challenges, maxWords, minWords, passScore } from './challenges.ts'
import { grade } from './grade.ts'

const [challenge] = challenges
const keywords = challenge!.keywords
const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')

describe('grading', () => {
  it('gives 30 points for a length within bounds, half for nearly enough or too much', () => {
    for (const [count, points] of [
      [0, 0],
      [112, 0],
      [113, 15],
      [149, 15],
      [minWords, 30],
      [maxWords, 30],
      [maxWords + 1, 15],
    ] as const)
      assert.equal(grade(challenge!, words(count)).breakdown.words, points, String(count))
  })

  it('gives 40 points by the share of expected words, in upper or lower case', () => {
    const half = keywords
      .slice(0, keywords.length / 2)
      .join(' ')
      .toUpperCase()
    assert.equal(grade(challenge!, half).breakdown.keywords, 20)
    assert.equal(grade(challenge!, keywords.join(' ')).breakdown.keywords, 40)
  })

  it('gives points for paragraphs, a list, and code or headings', () => {
    for (const [answer, points] of [
      ['plain', 10],
      ['one\n\ntwo', 15],
      ['- item', 15],
      ['1. item', 15],
      ['# Heading', 20],
      ['`code`', 20],
      ['# H\n\n- a\n\n```x```', 30],
    ] as const)
      assert.equal(grade(challenge!, answer).breakdown.structure, points, answer)
  })

  it('passes a full answer and stays in bounds for any text, the same each time', () => {
    assert.deepEqual(grade(challenge!, `# ${keywords.join(' ')}\n\n- ${words(200)}`), {
      score: 100,
      passed: true,
      breakdown: { keywords: 40, words: 30, structure: 30 },
    })
    fc.assert(
      fc.property(fc.constantFrom(...challenges), fc.string({ unit: 'binary', maxLength: 2_000 }), (given, answer) => {
        const { score, passed, breakdown } = grade(given, answer)
        assert.ok(score >= 10 && score <= 100)
        assert.equal(passed, score >= passScore)
        assert.ok(Math.abs(score - breakdown.keywords - breakdown.words - breakdown.structure) < 0.05)
        assert.deepEqual(grade(given, answer), { score, passed, breakdown })
      }),
    )
  })
})
