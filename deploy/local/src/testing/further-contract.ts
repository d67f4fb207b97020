import { readFile, writeFile } from 'node:fs/promises'
import type { Chain } from '@carapace/api'
import { type Addressed, deployReplacement } from '@carapace/contracts'
import type { TestEnvironment } from '@carapace/testing'
import { computeAddress, JsonRpcProvider, Wallet } from 'ethers'

/** Deploys a further Escrow on a network and has the next platform use it. @returns former and new address */
export async function replaceEscrow({ networks }: TestEnvironment, chain: Chain): Promise<{ former: string; present: string; file: string }> {
  const { environment, oracleWallet, devnets } = networks
  const file = environment[`${chain}_ADDRESSES`]!
  const { rpcUrl } = devnets[chain]
  const deployer = Wallet.createRandom()
  const provider = new JsonRpcProvider(rpcUrl)
  await provider.send('anvil_setBalance', [deployer.address, '0xde0b6b3a7640000'])
  provider.destroy()
  const present = JSON.parse(await readFile(file, 'utf8')) as Addressed
  const operator = computeAddress(environment[`RELAYER_KEY_${chain}`]!)
  const roles = { operator, pauser: oracleWallet, proposers: [oracleWallet], timelockDelaySeconds: 60, baseUrl: 'http://127.0.0.1:3000' }
  const replaced = await deployReplacement({ ...roles, rpcUrl, deployerKey: deployer.privateKey, name: 'Escrow', present })
  await writeFile(file, JSON.stringify(replaced))
  return { former: present.addresses.Escrow, present: replaced.addresses.Escrow, file }
}
