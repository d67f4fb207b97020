import assert from 'node:assert/strict'
import { chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { startDevnets } from '@carapace/devnet'
import { createPublicClient, createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { temporaryDataDir } from '../../testing/child.ts'

describe('a plain viem client', function () {
  this.timeout(120_000)

  it('sends on both networks with what it fills in by itself', async () => {
    const folder = await temporaryDataDir()
    const devnets = await startDevnets({
      networks: chains.map(chain => ({ chain, chainId: networks[chain].chainId, gasless: networks[chain].gasless, port: 0 })),
      dataDir: folder.path,
      deploy: async () => ({}),
    })
    try {
      for (const { rpcUrl, chain } of devnets) {
        const transport = http(rpcUrl)
        const account = privateKeyToAccount(generatePrivateKey())
        const client = createPublicClient({ transport })
        if (!networks[chain as 'BASE_SEPOLIA'].gasless)
          await client.request({ method: 'anvil_setBalance', params: [account.address, '0xde0b6b3a7640000'] } as never)

        const hash = await createWalletClient({ account, transport }).sendTransaction({ to: account.address, value: 0n, chain: null })

        assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success', chain)
      }
    } finally {
      await Promise.all(devnets.map(devnet => devnet.close()))
      await folder.remove()
    }
  })
})
