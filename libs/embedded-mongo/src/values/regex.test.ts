import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { MongoError } from './errors.ts'
import { compileRegex } from './regex.ts'

/** As between two commands: nobody's patterns use up the time of the next one. */
const othersServed = () => new Promise(setImmediate)
const withCode = (code: number) => (error: unknown) => error instanceof MongoError && error.code === code

describe('regular expressions', () => {
  it('end a match that backtracks without end with 51156', () => {
    const regex = compileRegex('^(a+)+$', '')

    assert.throws(() => regex.test(`${'a'.repeat(32)}b`), withCode(51156))
    assert.equal(regex.test('aaa'), true, 'the next match works')
  })

  it('do not let a pattern raise its own limit', () => {
    assert.throws(() => compileRegex('(*LIMIT_MATCH=999999999)^(a+)+$', '').test(`${'a'.repeat(32)}b`), withCode(51156))
  })

  it('end a match that needs too much memory with 51156', () => {
    assert.throws(() => compileRegex('^(?:(a)|(b))*c', '').test('ab'.repeat(1_000_000)), withCode(51156))
  })

  it('end matches that each stay within the limit, and together would hold up everybody', () => {
    const nearly = `${'a'.repeat(16)}b`
    const regex = compileRegex('^(a+)+$', '')
    assert.equal(regex.test(nearly), false, 'one of them is no fault')

    assert.throws(() => Array.from({ length: 100_000 }, () => regex.test(nearly)), withCode(51156))
    assert.throws(() => compileRegex('a(?:(?=(?:b+)+c))?', '').findAll(`a${'b'.repeat(15)}`.repeat(20_000)), withCode(51156))
  })

  it('match again after a pause', async () => {
    const regex = compileRegex('^(a+)+$', '')
    assert.throws(() => Array.from({ length: 100_000 }, () => regex.test(`${'a'.repeat(16)}b`)), withCode(51156))
    await othersServed()

    assert.equal(regex.test('aaa'), true)
  })

  it('match long strings, and refuse longer ones than they have memory for', () => {
    const regex = compileRegex('b+$', '')

    assert.equal(regex.test(`${'a'.repeat(2_999_999)}b`), true)
    assert.throws(() => regex.test('a'.repeat(3_000_001)), withCode(51156))
  })

  it('serve more patterns than stay compiled, and patterns that fill the memory', async () => {
    const regexes = Array.from({ length: 200 }, (_, i) => compileRegex(`^a{${i}}$`, ''))
    for (const [i, regex] of regexes.entries()) assert.equal(regex.test('a'.repeat(i)), true)

    const large = []
    for (let i = 0; i < 200; i++) {
      large.push(compileRegex(`^(?:${'(abc|de)'.repeat(2_000)}|x${i})$`, ''))
      await othersServed()
    }
    for (const [i, regex] of large.entries()) {
      assert.equal(regex.test(`x${i}`), true)
      await othersServed()
    }
  })

  it('match long strings after patterns that have filled the memory', async () => {
    for (let i = 0; i < 100; i++) {
      compileRegex(`^(?:${'(abc|de)'.repeat(2_000)}|x${i})$`, '')
      await othersServed()
    }

    assert.equal(compileRegex('b+$', '').test(`${'a'.repeat(2_999_999)}b`), true)
    assert.equal(compileRegex('^x*y', '').test('xxy'), true)
  })

  it('are refused with the reason and its place', () => {
    assert.throws(() => compileRegex('ab(', ''), /missing closing parenthesis at offset 3/)
    assert.throws(() => compileRegex('a', 'q'), withCode(51108))
    assert.throws(() => compileRegex('a'.repeat(32_765), ''), withCode(51091))
  })

  it('that are plain text do not load PCRE2', () => {
    const script = `
      let loads = 0
      const { Instance } = WebAssembly
      WebAssembly.Instance = function (...args) { loads += 1; return new Instance(...args) }
      const { compileRegex } = await import(${JSON.stringify(new URL('./regex.js', import.meta.url).href)})
      loads = 0
      const found = [compileRegex('^abc', '').test('abcd'), compileRegex('b c', '').test('ab cd')]
      const before = loads
      compileRegex('b+', '').test('abc')
      console.log(JSON.stringify({ found, before, loads }))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })

    assert.deepEqual(JSON.parse(stdout), { found: [true, true], before: 0, loads: 1 })
  })

  it('that are plain text mean the same without PCRE2', () => {
    for (const text of ['a.b', 'xa.b', 'a.b\n', 'A.B', ''])
      for (const [literal, general] of [
        ['^a\\.b', '^(?:a\\.b)'],
        ['a\\.b', '(?:a\\.b)'],
        ['', '(?:)'],
      ] as const)
        assert.equal(compileRegex(literal, '').test(text), compileRegex(general, '').test(text), `${literal} on ${JSON.stringify(text)}`)
  })
})
