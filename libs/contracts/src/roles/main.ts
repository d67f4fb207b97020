import { readFile } from 'node:fs/promises'
import { computeAddress, getAddress, isHexString } from 'ethers'
import type { Addressed } from '../deploy/replacement.ts'
import { readRolesConfig } from './config.ts'
import { advanceRoleChange, type RoleAction } from './role-change.ts'

const usage = `usage: RPC_URL=… PROPOSER_KEY=… npm run relayer:roles -- grant|revoke <address of a relayer key> <file of addresses>
or:    npm run relayer:roles -- address <file of a key>`
const [, , action, address, file] = process.argv

/** Grants or revokes the roles of a relayer key; prints how far that is, as JSON. Or prints the address of a key. */
async function run(): Promise<unknown> {
  if (action === 'address' && address) return { address: await addressOf(address) }
  const { rpcUrl, proposerKey } = readRolesConfig()
  if (!isAction(action) || !address || !file || !rpcUrl) throw new Error(usage)
  const present = JSON.parse(await readFile(file, 'utf8')) as Addressed
  return advanceRoleChange({ rpcUrl, action, address: getAddress(address), present, proposerKey })
}

async function addressOf(keyFile: string): Promise<string> {
  const key = (await readFile(keyFile, 'utf8')).trim()
  if (!isHexString(key, 32)) throw new Error(`${keyFile} holds no key: it must be 0x and 64 hex digits`)
  return computeAddress(key)
}

const isAction = (word: string | undefined): word is RoleAction => word === 'grant' || word === 'revoke'

try {
  process.stdout.write(`${JSON.stringify(await run(), null, 2)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
