import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'

const folder = new URL('../../solidity/interfaces/', import.meta.url)
const quantities = [
  ...[
    'amount',
    'budget',
    'expectedBudget',
    'price',
    'fee',
    'net',
    'splitAmount',
    'cap',
    'value',
    'free',
    'locked',
    'fromLocked',
    'increment',
    'decrement',
  ],
  ...['deadline', 'expiredAt', 'validAfter', 'validBefore', 'lockedAt', 'updatedAt', 'submittedAt', 'ttl', 'gas'],
  ...['score', 'risk', 'minScore', 'maxRisk', 'response', 'threshold'],
]
const unit = /micro-USDC|smallest units|Unix seconds|^Seconds|basis points|points|hundredths|Wei|Gas|Approvals|0\.\.100|Fixed point/i
/** Getters of one number that is none of an id, a count or a version. */
const getters = /^(?:totalBonded|totalDeposits|totalSales|totalLocked|totalPending|tvlCapacity|perGigCap|tvlCap|platformFeeBP|ttl)$/

const declaration = /(?<doc>(?:[ \t]*\/\/\/[^\n]*\n)*)[ \t]*(?<kind>function|event|struct)\s+(?<name>\w+)\s*(?<body>\{[^}]*\}|[^;]*;)/g

/** Tag lines of a comment by what they describe. */
const tagsOf = (doc: string, tag: string): string[] => [...doc.matchAll(new RegExp(`@${tag}[ \\t]+([^\\n]*)`, 'g'))].map(([, text]) => text!)

async function faults(): Promise<string[]> {
  const found: string[] = []
  for (const file of (await readdir(folder)).toSorted()) {
    const source = await readFile(new URL(file, folder), 'utf8')
    for (const { groups } of source.matchAll(declaration)) {
      const { doc, kind, name, body } = groups as Record<'doc' | 'kind' | 'name' | 'body', string>
      const params = kind === 'function' ? body.slice(0, body.indexOf(')')) : body
      for (const [, quantity] of params.matchAll(/\bu?int\d+(?:\[\])?\s+(?:indexed\s+|calldata\s+|memory\s+)*(\w+)/g)) {
        if (!quantities.includes(quantity!)) continue
        const described = tagsOf(doc, 'param').find(text => text.startsWith(`${quantity} `))
        if (!described || !unit.test(described.slice(quantity!.length + 1))) found.push(`${file}: ${kind} ${name}, ${quantity}`)
      }
      if (kind === 'function' && getters.test(name) && !tagsOf(doc, 'return').some(text => unit.test(text.replace(/^In /, ''))))
        found.push(`${file}: what ${name} returns`)
    }
  }
  return found
}

describe('NatSpec of the contracts', () => {
  it('says the unit of each amount, time, score and limit', async () => {
    assert.deepEqual(await faults(), [])
  })
})
