import { exchangeRoles, type RoleAction } from '@carapace/contracts'
import { computeAddress } from 'ethers'
import type { Rpc } from '../rpc/rpc.ts'
import { proposerKey } from './keys.ts'
import type { TestDevnet } from './kit.ts'

/** Above the delay of a devnet's timelock. */
const delaySeconds = 61

/** Grants or revokes the roles of a relayer key, as an operator does with `npm run relayer:roles`, both runs. @returns whether nothing is left to change */
export async function changeRoles(devnet: TestDevnet, rpc: Rpc, action: RoleAction, address: string): Promise<boolean> {
  const run = () => exchangeRoles({ rpcUrl: devnet.rpcUrl, present: devnet.deployment, action, address, proposerKey })
  await rpc.call('anvil_setBalance', [computeAddress(proposerKey), '0x3635c9adc5dea00000'])
  await run()
  await rpc.call('evm_increaseTime', [delaySeconds])
  await rpc.call('evm_mine', [])
  await run()
  const { state, roles } = await run()
  return state === 'done' && roles.length === 0
}
