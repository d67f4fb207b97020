import assert from 'node:assert/strict'
import { addressKey } from './address-key.ts'

describe('the key of a client address', () => {
  it('is one for all addresses of an IPv6 site, in every form of them', () => {
    const site = [
      '2001:db8:0:1200::',
      '2001:DB8:0:12ff:ffff:ffff:ffff:ffff',
      '2001:0db8:0000:1234::1.2.3.4',
      '2001:db8::1201:0:0:0:1',
      '2001:db8:0:12ab::1%eth0',
    ]

    assert.deepEqual([...new Set(site.map(addressKey))], ['2001:db8:0:1200::/56'])
    assert.notEqual(addressKey('2001:db8:0:1300::'), addressKey('2001:db8:0:1200::'))
    assert.deepEqual(['::1', 'fe80::1'].map(addressKey), ['0:0:0:0::/56', 'fe80:0:0:0::/56'])
  })

  it('is an IPv4 address itself, in IPv6 too', () => {
    assert.deepEqual(['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207'].map(addressKey), ['192.0.2.7', '192.0.2.7', '192.0.2.7'])
    assert.equal(addressKey('no address'), 'no address')
  })
})
