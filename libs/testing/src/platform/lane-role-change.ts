import { type Addressed, advanceRoleChange, type RoleAction } from '@carapace/contracts'
import { computeAddress, JsonRpcProvider } from 'ethers'

/** Above the delay of a devnet's timelock. */
const delaySeconds = 61

interface LaneRoleChange {
  rpcUrl: string
  /** The contracts of the devnet. */
  present: Addressed
  action: RoleAction
  /** Of the relayer key. */
  address: string
  proposerKey: string
}

/** Grants or revokes the roles of a relayer key on a devnet, as an operator does with `npm run relayer:roles`, both runs. @returns whether nothing is left to change */
export async function changeLaneRoles(change: LaneRoleChange): Promise<boolean> {
  const provider = new JsonRpcProvider(change.rpcUrl)
  await provider.send('anvil_setBalance', [computeAddress(change.proposerKey), '0x3635c9adc5dea00000'])
  await advanceRoleChange(change)
  await provider.send('evm_increaseTime', [delaySeconds])
  await provider.send('evm_mine', [])
  provider.destroy()
  await advanceRoleChange(change)
  const { state, roles } = await advanceRoleChange(change)
  return state === 'done' && roles.length === 0
}
