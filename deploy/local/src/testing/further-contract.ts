import { readFile, writeFile } from 'node:fs/promises'
import type { Chain } from '@carapace/api'
import { type Addressed, deployReplacement, type ReplacementGroup } from '@carapace/contracts'
import type { TestEnvironment } from '@carapace/testing'
import { computeAddress, JsonRpcProvider, Wallet } from 'ethers'

/** Deploys a further contract of a name on a network and has the next platform use it. @returns former and new address, and those of all contracts */
export async function replaceContract(
  { networks }: TestEnvironment,
  chain: Chain,
  name: ReplacementGroup,
): Promise<{ former: string; present: string; file: string; before: Addressed['addresses']; after: Addressed['addresses'] }> {
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
  const [before, after] = [present.addresses, replaced.addresses]
  return { former: before[name], present: after[name], file, before, after }
}
