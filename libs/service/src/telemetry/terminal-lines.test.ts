import assert from 'node:assert/strict'
import { stripVTControlCharacters } from 'node:util'
import { makeLog } from './log.ts'
import { terminalLines } from './terminal-lines.ts'

describe('the log on a terminal', () => {
  const withLevel = (level: 'info' | 'debug') => {
    const texts: string[] = []
    const log = makeLog({ process: 'escrow', level, destination: terminalLines({ write: text => texts.push(text) }, level) })
    return { log, shown: () => texts.map(text => stripVTControlCharacters(text).replace(/^[\d:.]{12} /, '')), texts }
  }
  const request = { method: 'POST', route: '/api/escrow/create', trace: 'abc', status: 409, ms: 3.5, code: 'CONFLICT' }

  it('has one line for a request, with what matters first, and colours', () => {
    const { log, shown, texts } = withLevel('info')

    log.info(request, 'request')

    assert.deepEqual(shown(), ['info  escrow        POST /api/escrow/create 409 CONFLICT 3.5 ms trace=abc\n'])
    assert.ok(texts[0]?.includes('\u001b[33m409\u001b[0m'))
  })

  it('shows events from debug on, and those that failed always', () => {
    const [usual, debugging] = [withLevel('info'), withLevel('debug')]
    for (const { log } of [usual, debugging]) {
      log.info({ event: 'social.thing.made.v1' }, 'event')
      log.error({ event: 'social.thing.made.v1', err: new Error('broken') }, 'event')
    }

    assert.equal(usual.shown().length, 1)
    assert.match(usual.shown()[0]!, /^error escrow +event: Error: broken\n/)
    assert.equal(debugging.shown().length, 2)
  })

  it('lets nothing that was sent command the terminal', () => {
    const { log, texts } = withLevel('info')

    log.warn({ reason: 'a\u001b[2Jb\u0007' }, 'refused')

    assert.ok(texts[0]?.includes('reason=a·[2Jb·'))
  })
})
