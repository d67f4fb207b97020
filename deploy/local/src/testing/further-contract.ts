import { readFile, writeFile } from 'node:fs/promises'
import type { Chain } from '@carapace/api'
import { type Addressed, deployReplacement, type Replaceable } from '@carapace/contracts'
import type { TestEnvironment } from '@carapace/testing'
import { computeAddress, JsonRpcProvider, Wallet } from 'ethers'

/** Deploys a further contract of a name on a network and has the next platform use it. @returns former and new address */
export async function replaceContract(
  { networks }: TestEnvironment,
  chain: Chain,
  name: Replaceable,
): Promise<{ former: string; present: string; file: string }> {
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
  const replaced = await deployReplacement({ ...roles, rpcUrl, deployerKey: deployer.privateKey, name, present })
  await writeFile(file, JSON.stringify(replaced))
  return { former: present.addresses[name], present: replaced.addresses[name], file }
}
