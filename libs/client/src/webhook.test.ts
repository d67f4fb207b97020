import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookError } from './index.ts'

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
const other = `whsec_${Buffer.from('another secret of many b.').toString('base64')}`
const body = '{"type":"gig_accepted"}'
const at = (seconds: number) => new Date(Math.floor(Date.now() / 1_000 + seconds) * 1_000)

/** As the library of the standard signs. */
const signed = (key = secret, time = at(0)) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(time.getTime() / 1_000),
  'webhook-signature': new Webhook(key).sign('msg_1', time, body),
})

describe('verifyWebhook', () => {
  it('gives the notification of a delivery that the library of the standard has signed', async () => {
    for (const headers of [signed(), new Headers(signed()), { ...signed(), 'Webhook-Id': 'msg_1' }])
      assert.deepEqual(await verifyWebhook(secret, headers, body), { type: 'gig_accepted' })
    assert.deepEqual(await verifyWebhook(secret, signed(), new TextEncoder().encode(body)), { type: 'gig_accepted' })
  })

  it('accepts either secret, and either signature, while a secret is rotated', async () => {
    const both = { ...signed(), 'webhook-signature': `${signed(other)['webhook-signature']} ${signed()['webhook-signature']}` }

    assert.ok(await verifyWebhook([other, secret], signed(), body))
    assert.ok(await verifyWebhook(secret, both, body))
    const strange = { ...signed(), 'webhook-signature': `v1,### v1a,x ${signed()['webhook-signature']}` }
    assert.ok(await verifyWebhook(secret, strange, body))
  })

  it('refuses another body, another secret, an old delivery, and one without headers', async () => {
    const wrong: [string, Record<string, string>, string][] = [
      [secret, signed(), `${body} `],
      [other, signed(), body],
      [secret, signed(secret, at(-301)), body],
      [secret, signed(secret, at(301)), body],
      [secret, { ...signed(), 'webhook-timestamp': 'now' }, body],
      [secret, { ...signed(), 'webhook-signature': 'v1,###' }, body],
      [secret, {}, body],
    ]
    for (const [key, headers, text] of wrong) await assert.rejects(verifyWebhook(key, headers, text), WebhookError)
  })
})
