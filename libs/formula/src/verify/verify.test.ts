import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logged } from '../facts.ts'
import { formulas } from '../formulas.ts'
import { inputsOf } from '../inputs.ts'
import type { FormulaVersion } from '../terms.ts'
import { example, now } from '../testing/example.fixture.ts'
import { exportedFacts, type ScoreExport } from './verify.ts'

const log: Logged[] = example.map((fact, n) => ({ ...fact, agentId: 'me', seq: n + 1 }))
const exported = (formulaVersion: FormulaVersion): ScoreExport => ({
  format: 'carapace-score',
  agentId: 'me',
  formulaVersion,
  at: now.toISOString(),
  inputs: inputsOf('me', log),
  facts: exportedFacts(log),
  score: formulas[formulaVersion].scoreOf(example, now),
})

describe('carapace-verify-score', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'carapace-'))
  after(() => rmSync(folder, { recursive: true }))

  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const verify = (text: string) => {
    const file = path.join(folder, 'score.json')
    writeFileSync(file, text)
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, file], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  for (const version of Object.keys(formulas) as FormulaVersion[])
    it(`confirms a score of formula ${version} that follows from its facts, in any order`, () => {
      const file = exported(version)
      const { status, stdout } = verify(JSON.stringify({ ...file, facts: [...file.facts].reverse() }))

      assert.equal(status, 0)
      assert.ok(stdout.startsWith(`${file.score.fusedScore} by formula ${version} follows from ${log.length} facts`), stdout)
    })

  it('ends with 1 and names what differs: the score, and facts that were changed', () => {
    const file = exported('5')
    const raised = verify(JSON.stringify({ ...file, score: { ...file.score, fusedScore: 50 } }))
    const altered = verify(JSON.stringify({ ...file, facts: file.facts.slice(1) }))

    assert.deepEqual([raised.status, raised.stderr], [1, 'score.fusedScore: the file says 50, its facts give 31\n'])
    assert.equal(altered.status, 1)
    assert.match(altered.stderr, /inputs\.hash/)
  })

  it('refuses facts of an agent that nothing was inherited from, and places that are none or are there twice', () => {
    const facts: Logged[] = [...log, { ...log[0]!, agentId: 'other', seq: 90 }]
    const fileOf = (given: Logged[]) => JSON.stringify({ ...exported('6'), inputs: inputsOf('me', given), facts: exportedFacts(given) })
    const inherited: Logged = { type: 'inherited', from: 'other', agentId: 'me', seq: 91, at: log[0]!.at }

    assert.equal(verify(fileOf(facts)).stderr, 'facts: me has inherited from no other\n')
    assert.equal(verify(fileOf([...facts, inherited])).status, 0)
    for (const [seq, words] of [
      [2, 'is there 2 times'],
      [0, 'is none of the log'],
      [-3, 'is none of the log'],
    ] as const)
      assert.equal(verify(fileOf([{ ...log[0]!, seq }, ...log.slice(1)])).stderr, `facts: the place ${seq} ${words}\n`)
  })

  it('refuses what is no export', () => {
    for (const text of [
      '',
      '{}',
      '[]',
      'null',
      '{"format":"carapace-score","formulaVersion":"9"}',
      JSON.stringify({ ...exported('1'), facts: [null] }),
    ])
      assert.equal(verify(text).status, 1, text)
  })
})
