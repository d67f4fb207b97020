import assert from 'node:assert/strict'
import { explorerOf } from './explorer.ts'

const base = 'https://carapace.example'
const linksOf = (config: Parameters<typeof explorerOf>[1], isDevnet?: boolean) => {
  const explorer = explorerOf({ isDevnet: () => isDevnet }, config, base)
  return [
    explorer.tx('BASE_SEPOLIA', '0x12'),
    explorer.token('SKALE_TESTNET', '0x8004', 7n, '/agents/one'),
    explorer.contract('BASE_SEPOLIA', '0xb0'),
  ]
}

describe('explorerOf', () => {
  const own = [`${base}/tx/BASE_SEPOLIA/0x12`, `${base}/agents/one`, null]
  const open = [
    'https://sepolia.basescan.org/tx/0x12',
    'https://base-sepolia-testnet-explorer.skalenodes.com/token/0x8004?a=7',
    'https://sepolia.basescan.org/address/0xb0',
  ]

  it('leads to pages of the gateway for a devnet, wherever its node is', () => {
    assert.deepEqual(linksOf({ BASE_SEPOLIA_RPC_URL: 'https://devnet.example', SKALE_TESTNET_RPC_URL: 'https://devnet.example' }, true), own)
  })

  it('leads to public explorers for public networks, also through a node on this machine', () => {
    assert.deepEqual(linksOf({ BASE_SEPOLIA_RPC_URL: 'http://127.0.0.1:8545', SKALE_TESTNET_RPC_URL: 'http://localhost:8546' }, false), open)
    assert.deepEqual(linksOf({ SANDBOX: true }, false), open)
  })

  it('believes the configuration until the relayer has answered', () => {
    assert.deepEqual(linksOf({ BASE_SEPOLIA_RPC_URL: 'https://sepolia.base.org' }), open)
    assert.deepEqual(linksOf({ SANDBOX: true }), own)
    assert.deepEqual(linksOf({ BASE_SEPOLIA_RPC_URL: 'http://127.0.0.1:8545', SKALE_TESTNET_RPC_URL: 'ws://localhost:8546' }), own)
    assert.equal(linksOf({ BASE_SEPOLIA_RPC_URL: 'http://[::1]:8545' })[0], own[0])
    assert.match(linksOf({ BASE_SEPOLIA_RPC_URL: 'http://127.0.0.1.evil.example' })[0]!, /basescan/)
  })
})
