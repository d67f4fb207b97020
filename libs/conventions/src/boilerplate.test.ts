import assert from 'node:assert/strict'
import { boilerplateFaults } from './boilerplate.ts'

const lines = (count: number) => 'const line = 1\n'.repeat(count)

describe('boilerplateFaults', () => {
  it('finds a service that main.ts, index.ts and parts.ts put together in more than 40 lines of code', () => {
    const sources = { 'services/a/src/main.ts': lines(3), 'services/a/src/index.ts': lines(15), 'services/a/src/parts.ts': lines(23) }

    assert.deepEqual(boilerplateFaults(Object.entries(sources)), ['services/a is put together in 41 lines, 40 at most'])
  })

  it('counts neither blank lines and comments nor what the service does', () => {
    const sources = {
      'services/a/src/index.ts': `/**\n * Why.\n */\n\n// what for\n${lines(20)}`,
      'services/a/src/parts.ts': lines(20),
      'services/a/src/gig.ts': lines(200),
      'services/a/src/http/index.ts': lines(200),
      'services/b/src/parts.ts': lines(40),
    }

    assert.deepEqual(boilerplateFaults(Object.entries(sources)), [])
  })
})
