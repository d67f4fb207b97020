import assert from 'node:assert/strict'
import type { Sealing } from '@carapace/service'
import { codeOf } from '@carapace/testing'
import { claimed, claimMs, type Delivery, queued, replayed, tried, triesAtMs } from './delivery.ts'
import { checkAddress, disable, isClosedTo, resealed, rotated, secretsAt, setTo, type Webhook, wants } from './webhook.ts'

const at = (ms: number) => new Date(ms)
const failure = { at: at(0), status: 500, error: null }
const fresh = (): Delivery => queued({ id: 'm', agentId: 'a', notificationId: 'n', type: 'gig_accepted', body: '{}' }, at(0))

describe('a delivery', () => {
  it('is tried at the stated times from the notification on, then failed', () => {
    const due: (number | undefined)[] = []
    let delivery = fresh()
    while (delivery.dueAt) {
      due.push(delivery.dueAt.getTime())
      delivery = tried(delivery, failure, delivery.dueAt)
    }

    assert.deepEqual(due, [0, 5_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 172_800_000])
    assert.deepEqual([delivery.status, delivery.tries.length], ['failed', triesAtMs.length])
  })

  it('ends with an answer of 2xx; a redirect is none, and 410 ends it without success', () => {
    const after = (status: number | null) => tried(fresh(), { at: at(0), status, error: null }, at(1)).status

    assert.deepEqual([200, 204, 302, 400, 500, null, 410].map(after), ['delivered', 'delivered', ...Array(4).fill('pending'), 'failed'])
  })

  it('is tried by one process at a time, and by another one when that has died', () => {
    const mine = claimed(fresh(), at(0))!

    assert.equal(claimed(mine, at(1)), undefined)
    assert.ok(claimed(mine, at(claimMs)))
  })

  it('is tried once where several times were missed', () => {
    const { dueAt } = tried(fresh(), failure, at(700_000))

    assert.deepEqual(dueAt, at(700_000))
  })

  it('begins again under its id when it is replayed, and not while it is on its way', () => {
    const done = tried(fresh(), { at: at(0), status: 200, error: null }, at(0))
    const again = replayed(done, at(9))

    assert.deepEqual([again.id, again.status, again.made, again.dueAt, again.tries.length], ['m', 'pending', 0, at(9), 1])
    assert.equal(
      codeOf(() => replayed(again, at(10))),
      'INVALID_STATE',
    )
  })
})

describe('a webhook', () => {
  /** Shows what it does; the real one is that of libs/service. */
  const sealing = (keyId: string, ...others: string[]): Sealing => ({
    keyId,
    seal: (text, owner) => [keyId, owner, text].join('.'),
    open: sealed => ([keyId, ...others].includes(sealed.split('.')[0]!) ? sealed.split('.')[2] : undefined),
  })
  const key = sealing('k')
  const webhook: Webhook = { id: 'a', url: 'https://a.test/', types: null, secret: 'k.a.one', previous: null, disabledAt: null, sealedBy: 'k' }

  it('signs with both secrets for 24 hours after a rotation', () => {
    const now = rotated(webhook, 'k.a.two', at(0))

    assert.deepEqual(
      [secretsAt(webhook, at(0), key), secretsAt(now, at(86_399_999), key), secretsAt(now, at(86_400_000), key)],
      [['one'], ['two', 'one'], ['two']],
    )
  })

  it('signs with each secret for 24 hours after its rotation, also where it was rotated again', () => {
    const twice = rotated(rotated(webhook, 'k.a.two', at(0)), 'k.a.three', at(1_000))

    assert.deepEqual(
      [86_399_999, 86_400_000, 86_401_000].map(ms => secretsAt(twice, at(ms), key)),
      [['three', 'two', 'one'], ['three', 'two'], ['three']],
    )
    assert.deepEqual(secretsAt(resealed(twice, sealing('n', 'k')), at(1_000), sealing('n')), ['three', 'two', 'one'])
    const often = Array.from({ length: 50 }).reduce<Webhook>((present, _, n) => rotated(present, `k.a.${n}`, at(n)), webhook)
    assert.deepEqual(secretsAt(often, at(60), key), ['49', '48', '47', '46', '45', '44'])
  })

  it('has its secrets under the key that seals now, also those of a former key and of an older version', () => {
    const { sealedBy: _, ...shown } = { ...webhook, secret: 'one', previous: { secret: 'zero', until: at(9) } }
    const former = resealed(shown, key)
    const present = resealed(former, sealing('n', 'k'))

    assert.deepEqual([former.secret, former.previous?.secret, present.secret, present.sealedBy], ['k.a.one', 'k.a.zero', 'n.a.one', 'n'])
    assert.deepEqual(
      [secretsAt(shown, at(0), key), secretsAt(present, at(0), sealing('n'))],
      [
        ['one', 'zero'],
        ['one', 'zero'],
      ],
    )
  })

  it('has none once their key is lost, until it is rotated', () => {
    const lost = resealed(webhook, sealing('n'))

    assert.deepEqual(secretsAt(lost, at(0), sealing('n')), [])
    assert.deepEqual(secretsAt(rotated(lost, 'n.a.two', at(0)), at(1), sealing('n')), ['two'])
  })

  it('gets the types that it names, and none while it is disabled', () => {
    const some: Webhook = { ...webhook, types: ['gig_accepted'] }

    assert.deepEqual([wants(webhook, 'new_follower'), wants(some, 'gig_accepted'), wants(some, 'new_follower')], [true, true, false])
    const disabled = { ...webhook, disabledAt: at(0) }
    assert.equal(wants(disabled, 'new_follower'), false)
    assert.equal(wants(setTo(disabled, webhook), 'new_follower'), true)
  })

  it('is closed to what was queued before it was disabled, also when it is enabled again', () => {
    const { state: disabled } = disable(webhook, at(5))!
    const enabled = setTo(disabled, webhook)

    assert.deepEqual(
      [webhook, disabled, enabled].map(each => [4, 5].map(ms => isClosedTo(each, at(ms)))),
      [
        [false, false],
        [true, true],
        [true, false],
      ],
    )
  })

  it('is https at a public address, however that is written', () => {
    const refused = (url: string) => codeOf(() => checkAddress(url, false))

    for (const url of [
      'http://a.test/',
      'https://127.0.0.1/',
      'https://0177.1/',
      'https://2130706433/',
      'https://[::ffff:10.0.0.1]/',
      'https://0xa9fea9fe/',
      'https://a.test:8443/',
    ])
      assert.equal(refused(url), 'VALIDATION_ERROR', url)
    for (const url of ['https://a.test/x?y', 'https://93.184.216.34:443/']) assert.equal(refused(url), 'none', url)
    assert.doesNotThrow(() => checkAddress('http://127.0.0.1:9/', true))
  })
})
