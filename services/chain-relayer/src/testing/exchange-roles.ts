import type { RoleAction } from '@carapace/contracts'
import { changeLaneRoles } from '@carapace/testing'
import { proposerKey } from './keys.ts'
import type { TestDevnet } from './kit.ts'

/** Grants or revokes the roles of a relayer key on a devnet of `testDevnet`. @returns whether nothing is left to change */
export const changeRoles = ({ rpcUrl, deployment }: TestDevnet, action: RoleAction, address: string): Promise<boolean> =>
  changeLaneRoles({ rpcUrl, present: deployment, action, address, proposerKey })
