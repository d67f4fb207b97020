import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { leastServer } from '@carapace/store'
import { featureTable, knownFeatures, leastVersion, usesIn } from './features.ts'
import { manualFile, usesOfSources, withTable } from './sources.ts'

describe('what the stores use of MongoDB', () => {
  it('is known, each with the version that first had it', () => {
    assert.deepEqual(
      usesOfSources().filter(({ feature }) => !knownFeatures.has(feature)),
      [],
    )
  })

  it('is in the manual as it is now: npm run docs', () => {
    const manual = readFileSync(manualFile, 'utf8')

    assert.equal(manual, withTable(manual, featureTable(usesOfSources())))
  })

  it('is there from the version on that a start demands', () => {
    assert.equal(leastVersion(usesOfSources()), leastServer.version)
  })

  it('is found as operators, options and calls, and not as fields, comments or texts', () => {
    const source = `
      /** { $where: 1 } */
      const total = { $sum: '$amount', day: '$rating' } // $near: none
      rows.findOneAndDelete({ place: { $geoWithin: area } })
      const indexes = { one: { key: { a: 1 }, unique: true } }`

    assert.deepEqual(
      usesIn('x.ts', source).map(({ feature }) => feature),
      ['$sum', '$geoWithin', 'unique', 'findOneAndDelete'],
    )
  })
})
