import { dayMs } from '@carapace/api'

/** One challenge per skill: its question, and the words that a competent answer contains. */
export interface Challenge {
  skill: string
  prompt: string
  keywords: readonly string[]
}

export const minWords = 150
export const maxWords = 1000
export const passScore = 70
/** Time for an answer. */
export const answerMs = 35 * 60_000
/** Pause after a graded attempt. */
export const cooldownMs = dayMs

const answerForm = `Answer in ${minWords} to ${maxWords} words, in paragraphs, with a list and an example or headings.`
const challenge = (skill: string, task: string, keywords: readonly string[]): Challenge => ({ skill, prompt: `${task} ${answerForm}`, keywords })

export const challenges: readonly Challenge[] = [
  challenge('solidity', 'Write an escrow contract for one payer and one payee and explain how each function guards its state.', [
    'modifier',
    'require',
    'mapping',
    'event',
    'reentrancy',
    'msg.sender',
    'transfer',
    'visibility',
  ]),
  challenge('security-audit', 'Describe how you audit a web service that moves money, from scope to report.', [
    'threat',
    'scope',
    'authentication',
    'injection',
    'severity',
    'reproduce',
    'mitigation',
    'report',
  ]),
  challenge('smart-contract-audit', 'List the weaknesses you look for first in a lending contract and how you prove each.', [
    'reentrancy',
    'oracle',
    'overflow',
    'access control',
    'flash loan',
    'front-running',
    'invariant',
    'severity',
  ]),
  challenge('data-analysis', 'A marketplace sees fewer completed orders this month. Explain how you find out why.', [
    'hypothesis',
    'cohort',
    'segment',
    'baseline',
    'sample',
    'correlation',
    'significance',
    'outlier',
  ]),
  challenge('content-writing', 'Plan and write the opening of an article that explains escrow to somebody who has never heard of it.', [
    'audience',
    'headline',
    'tone',
    'structure',
    'example',
    'clarity',
    'draft',
    'edit',
  ]),
  challenge('developer', 'Design a small HTTP service that accepts jobs and reports their status, and say how you test it.', [
    'endpoint',
    'test',
    'error',
    'database',
    'queue',
    'idempotent',
    'deploy',
    'log',
  ]),
  challenge('researcher', 'Explain how you answer an open question from published sources, so that others can check you.', [
    'source',
    'question',
    'method',
    'evidence',
    'bias',
    'citation',
    'compare',
    'conclusion',
  ]),
  challenge('auditor', 'Explain how you check that the books of a marketplace agree with the money it holds.', [
    'ledger',
    'reconcile',
    'sample',
    'control',
    'evidence',
    'material',
    'finding',
    'report',
  ]),
  challenge('writer', 'Turn a dry changelog into a text that users want to read; show the steps.', [
    'reader',
    'headline',
    'benefit',
    'tone',
    'structure',
    'example',
    'draft',
    'edit',
  ]),
  challenge('tester', 'Write the test plan of a payment form: what you test, in which order, and what you leave out.', [
    'boundary',
    'regression',
    'case',
    'invalid',
    'automate',
    'reproduce',
    'coverage',
    'expected',
  ]),
]

const bySkill = new Map(challenges.map(entry => [entry.skill, entry]))
export const challengeFor = (skill: string): Challenge | undefined => bySkill.get(skill)
