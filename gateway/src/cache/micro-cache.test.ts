import assert from 'node:assert/strict'
import { type Filling, microCache } from './micro-cache.ts'

const head = { headers: ['content-type', 'text/plain'], etag: undefined }
const limits = { lifetimeMs: 1_000, bytes: 20_000, bytesOfOne: 4_000 }

describe('microCache', () => {
  let time = 0
  let cache: ReturnType<typeof microCache>
  beforeEach(() => {
    time = 0
    cache = microCache(limits, () => time)
  })
  const begin = (key: string, record?: string, service = 'escrow') => cache.fill({ key, service, record })
  const store = (key: string, text = key, record?: string, service?: string) => {
    const filling = begin(key, record, service)
    filling.add(Buffer.from(text))
    filling.end(head)
  }
  const named = (id: string) => ({ service: 'identity', ids: new Set([id]) })
  const found = (key: string) => cache.find(key)?.body

  it('has an answer for its lifetime, from the moment its request began', () => {
    const filling = begin('a')
    time = 400
    filling.add(Buffer.from('1'))
    filling.end(head)

    time = 999
    assert.equal(found('a'), '1')
    time = 1_000
    assert.equal(found('a'), undefined)
  })

  it('does not store an answer that came later than that', () => {
    const filling = begin('a')
    time = 1_000
    filling.end(head)

    assert.equal(found('a'), undefined)
  })

  it('drops the records that a write names, those of its service, and everything that is no record', () => {
    store('list')
    store('own', 'own', 'id-3', 'identity')
    store('one', 'one', 'id-1')
    store('other', 'other', 'id-2')
    cache.drop(named('id-1'))

    assert.deepEqual([found('list'), found('own'), found('one'), found('other')], [undefined, undefined, undefined, 'other'])
    cache.drop('everything')
    assert.equal(found('other'), undefined)
  })

  it('does not store an answer that was begun before a write has ended', () => {
    const outdated: [string, Filling][] = [
      ['list', begin('list')],
      ['one', begin('one', 'id-1')],
    ]
    const other = begin('other', 'id-2')
    cache.drop(named('id-1'))
    const later = begin('list')
    for (const [, filling] of outdated) filling.end(head)
    other.end(head)

    assert.deepEqual([found('list'), found('one'), found('other')], [undefined, undefined, ''])
    later.end(head)
    assert.equal(found('list'), '')
  })

  it('stores nothing of an answer that was cut', () => {
    const filling = begin('a')
    filling.add(Buffer.from('half'))
    filling.end()
    filling.end(head)

    assert.equal(found('a'), undefined)
  })

  it('needs no more memory than its limit with keys of any size, and drops the oldest first', () => {
    for (let i = 0; i < 100; i++) store(`${i} ${'k'.repeat(2_000)}`, 'x')
    const stored = Array.from({ length: 100 }, (_, i) => found(`${i} ${'k'.repeat(2_000)}`)).flatMap((text, i) => (text === undefined ? [] : [i]))

    assert.deepEqual(stored, [93, 94, 95, 96, 97, 98, 99])
  })

  it('stores no answer above the limit of one, and copies no further part of it', () => {
    store('large', 'x'.repeat(4_001))
    store(`${'k'.repeat(4_001)}`)

    assert.deepEqual([found('large'), found('k'.repeat(4_001))], [undefined, undefined])
  })

  it('counts what is on its way, and has its room again when that ends', () => {
    const under = Array.from({ length: 6 }, (_, i) => begin(`way ${i}`))
    for (const filling of under) filling.add(Buffer.alloc(3_500))
    for (const filling of under) filling.end(head)
    const stored = under.map((_, i) => found(`way ${i}`)).filter(body => body !== undefined)
    time = 2_000
    store('after')

    assert.ok(stored.length < under.length)
    assert.equal(found('after'), 'after')
  })
})
