import assert from 'node:assert/strict'
import { programFaults } from './programs.ts'

describe('programs of packages', () => {
  const manifest = ['libs/sum/package.json', JSON.stringify({ bin: { sum: 'bin/sum.js' } })] as const

  it('may be files of the repository', () => {
    assert.deepEqual(programFaults([manifest, ['package.json', '{}']], new Set(['libs/sum/bin/sum.js'])), [])
  })

  it('may not be what only the build makes', () => {
    assert.deepEqual(programFaults([manifest], new Set(['libs/sum/src/sum.ts'])), [
      'libs/sum/package.json: sum is bin/sum.js, which is not in the repository',
    ])
  })
})
