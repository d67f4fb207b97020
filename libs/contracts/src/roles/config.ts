import { isHexString } from 'ethers'

/** Where roles are changed, and by whom. */
export interface RolesConfig {
  rpcUrl: string | undefined
  /** Private key of a proposer of the timelock. */
  proposerKey: string | undefined
}

/** Reads the variables of `relayer:roles`. @throws Error that names a malformed one, without its value */
export function readRolesConfig(env: Record<string, string | undefined> = process.env): RolesConfig {
  const { RPC_URL: rpcUrl, PROPOSER_KEY: proposerKey } = env
  if (proposerKey && !isHexString(proposerKey, 32)) throw new Error('PROPOSER_KEY must be 0x and 64 hex digits')
  return { rpcUrl, proposerKey }
}
