import assert from 'node:assert/strict'
import { type ErrorCode, errorBody, errors, Refusal, refusalIn, refuse, refuseField } from './errors.ts'

const caught = (act: () => never): Refusal => {
  try {
    return act()
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error
  }
}

describe('refuseField', () => {
  it('names the field in the list and in the message', () => {
    const body = errorBody(
      caught(() => refuseField('members.0', 'must be a UUID', { most: 5 })),
      'r',
    )

    assert.deepEqual(body, {
      message: 'members.0: must be a UUID',
      code: 'VALIDATION_ERROR',
      status: 400,
      requestId: 'r',
      errors: [{ path: 'members.0', message: 'must be a UUID' }],
      details: { most: 5 },
    })
  })

  it('is the only way to VALIDATION_ERROR', () => {
    // @ts-expect-error it would name no field
    assert.throws(() => refuse('VALIDATION_ERROR'), Refusal)
  })
})

describe('refusalIn', () => {
  it('reads what errorBody writes, of every code', () => {
    const extras = { message: 'No', errors: [{ path: 'a', message: 'b' }], details: { resource: 'gig' }, retryable: true, retryAfter: 7 }
    for (const code of (Object.keys(errors) as ErrorCode[]).filter(code => code !== 'REPLAY_DETECTED')) {
      const read = refusalIn(JSON.parse(JSON.stringify(errorBody(new Refusal(code, extras), 'r'))), '7')

      assert.deepEqual([read?.code, read?.extras], [code, extras])
    }
    assert.equal(refusalIn(errorBody(new Refusal('REPLAY_DETECTED'), 'r'))?.message, errors.REPLAY_DETECTED.message)
  })

  it('finds none in what is no error body', () => {
    for (const body of [undefined, null, [], 'NOT_FOUND', {}, { code: 5 }, { code: 'constructor' }]) assert.equal(refusalIn(body), undefined)
  })
})
