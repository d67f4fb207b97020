import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { macOf } from './context.ts'

/** RFC 4231, section 4; the fifth is cut to its first 128 bits. */
const vectors: readonly { key: Buffer; data: Buffer; mac: string }[] = [
  {
    key: Buffer.alloc(20, 0x0b),
    data: Buffer.from('Hi There'),
    mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: Buffer.from('Jefe'),
    data: Buffer.from('what do ya want for nothing?'),
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  { key: Buffer.alloc(20, 0xaa), data: Buffer.alloc(50, 0xdd), mac: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe' },
  {
    key: Buffer.from(Array.from({ length: 25 }, (_, n) => n + 1)),
    data: Buffer.alloc(50, 0xcd),
    mac: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  { key: Buffer.alloc(20, 0x0c), data: Buffer.from('Test With Truncation'), mac: 'a3b6167473100ee06e0c796c2955552b' },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
    mac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    mac: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
]

describe('HMAC-SHA256', () => {
  for (const [n, { key, data, mac }] of vectors.entries())
    it(`is as in test case ${n + 1} of RFC 4231`, () => {
      assert.equal(macOf(key)(data).toString('hex').slice(0, mac.length), mac)
    })

  it('is that of the platform for any key and text, also when one key serves many texts', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })

    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (key, texts) => {
        const mac = macOf(key)
        for (const one of texts) assert.deepEqual(mac(one), createHmac('sha256', key).update(one).digest())
      }),
    )
  })
})
